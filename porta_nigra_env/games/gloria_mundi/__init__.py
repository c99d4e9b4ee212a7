"""Gloria Mundi: Romans on the road to Africa, the Goth on the road to Rome."""
