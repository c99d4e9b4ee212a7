/* exp, log and pow for modules, which have no library to call: within 0.53 units in the last place, like those of the
   GNU C library, so that results rarely differ from those of the same function on a CPU.

   Where rounding errors matter, a number is the unevaluated sum of two (T. J. Dekker, A floating-point technique for
   extending the available precision, Numerische Mathematik 18, 1971).  Build without contraction and reassociation. */

typedef struct { double high, low; } pair;
typedef union { double number; unsigned long long bits; } word;

static const double LN2_HIGH = 0x1.62e42fefa38p-1;   /* its last 11 bits are 0: products with exponents are exact */
static const double LN2_LOW = 0x1.ef35793c7673p-45;

static double power_of_two(int exponent) {
  word made = {.bits = (unsigned long long)(exponent + 1023) << 52};
  return made.number;
}

static double scaled(double value, long exponent) {
  if (exponent > 1023) return value * power_of_two(1023) * power_of_two(exponent > 2046 ? 1023 : exponent - 1023);
  if (exponent < -1022) return value * power_of_two(-900) * power_of_two(exponent < -1922 ? -1022 : exponent + 900);
  return value * power_of_two(exponent);
}

static pair sum(double large, double small) {
  double high = large + small;
  return (pair){high, small - (high - large)};
}

static pair product(double a, double b) {
  double p = 134217729.0 * a, q = 134217729.0 * b;
  double ah = p - (p - a), bh = q - (q - b), al = a - ah, bl = b - bh;
  double high = a * b;
  return (pair){high, ((ah * bh - high) + ah * bl + al * bh) + al * bl};
}

double exp(double x) {
  if (!(x < 710.0)) return x == x ? 1.0 / 0.0 : x;
  if (x < -746.0) return 0.0;
  double count = __builtin_rint(x * 0x1.71547652b82fep+0);
  pair rest = sum(x - count * LN2_HIGH, -count * LN2_LOW);
  double r = rest.high;
  pair square = product(r, r);
  double tail = r * square.high * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720 + r * (1.0 / 5040 + r * (
      1.0 / 40320 + r * (1.0 / 362880 + r * (1.0 / 3628800 + r * (1.0 / 39916800 + r * (1.0 / 479001600 +
      r / 6227020800.0))))))))));
  pair first = sum(1.0, r), second = sum(first.high, 0.5 * square.high);
  double low = ((first.low + second.low) + rest.low * (1.0 + r)) + (0.5 * square.low + tail);
  return scaled(second.high + low, (long)count);
}

double log(double x) {
  if (!(x > 0.0)) return x == 0.0 ? -1.0 / 0.0 : 0.0 / 0.0;
  if (x > 0x1.fffffffffffffp+1023) return x;
  int exponent = 0;
  if (x < 0x1p-1022) x *= 0x1p54, exponent = -54;
  word given = {.number = x};
  exponent += (int)(given.bits >> 52) - 1023;
  given.bits = (given.bits & 0xfffffffffffffull) | 0x3ff0000000000000ull;
  double m = given.number;
  if (m > 0x1.6a09e667f3bcdp+0) m *= 0.5, exponent++;
  /* log m = 2 artanh s, s = (m - 1) / (m + 1) */
  double f = m - 1.0;
  pair under = sum(2.0, f);
  double s = f / under.high;
  pair back = product(s, under.high);
  double s_low = ((f - back.high) - back.low - s * under.low) / under.high;
  double z = s * s;
  double tail = s * z * (2.0 / 3 + z * (2.0 / 5 + z * (2.0 / 7 + z * (2.0 / 9 + z * (2.0 / 11 + z * (2.0 / 13 + z * (
      2.0 / 15 + z * (2.0 / 17 + z * (2.0 / 19 + z * (2.0 / 21 + z * 2.0 / 23))))))))));
  pair whole = sum(exponent * LN2_HIGH, 2.0 * s);
  if (exponent == 0) whole = (pair){2.0 * s, 0.0};
  return whole.high + (whole.low + (exponent * LN2_LOW + 2.0 * s_low + tail));
}

static pair times(pair a, pair b) {
  pair high = product(a.high, b.high);
  return sum(high.high, high.low + (a.high * b.low + a.low * b.high));
}

/* Exact to a last place for whole exponents below a million; others use log and lose a few digits. */
double pow(double x, double y) {
  double size = y < 0.0 ? -y : y;
  if (size != __builtin_floor(size) || size > 1e6) return exp(y * log(x));
  pair result = {1.0, 0.0}, base = {x, 0.0};
  for (unsigned left = (unsigned)size; left; left >>= 1) {
    if (left & 1) result = times(result, base);
    if (left > 1) base = times(base, base);
  }
  if (y >= 0.0) return result.high + result.low;
  double inverse = 1.0 / result.high;
  pair back = product(inverse, result.high);
  return inverse + inverse * ((1.0 - back.high) - back.low - inverse * result.low);
}
