"""What the picture of the table tells."""
