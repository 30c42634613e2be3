// exp, log and powers without branches or calls, so that a loop over rows becomes vector
// instructions.
#pragma once

#include <bit>
#include <cstdint>

#include "shared/multiversion.h"

namespace ocelot {

// 1.5 * 2^52: adding it leaves the nearest integer in the low bits of the sum.
inline constexpr double integer_shift = 6755399441055744.0;

// A number as a quotient that is still to be taken, perhaps together with another division.
struct Ratio {
  double numerator, denominator;
};

// exp(x) for x in [-708, 708]: 2^k * exp(r), and of exp(r) the Padé approximant of degree 5, which
// on |r| <= log(2) / 2 is as close as a double. Numerator and denominator differ in the sign of r.
OCELOT_INLINE Ratio exp_ratio(double x) {
  const double shifted = x * 1.4426950408889634 + integer_shift;
  const double k = shifted - integer_shift;
  const double r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
  const double r2 = r * r, r4 = r2 * r2;
  const double even = 1.0 + r2 * (1.0 / 9.0) + r4 * (1.0 / 1008.0);
  const double odd = r * (0.5 + r2 * (1.0 / 72.0) + r4 * (1.0 / 30240.0));
  const auto power = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
  return {(even + odd) * std::bit_cast<double>(power), even - odd};
}

// Relative error below 2e-15 on [-708, 708]; arguments beyond are clamped to that range.
OCELOT_INLINE double vector_exp(double x) {
  x = x < -708.0 ? -708.0 : x;
  x = x > 708.0 ? 708.0 : x;
  const Ratio e = exp_ratio(x);
  return e.numerator / e.denominator;
}

// For normal x > 0; absolute error below 1e-15 near 1, relative error below 1e-15 elsewhere.
OCELOT_INLINE double vector_log(double x) {
  // Split x = 2^e * m with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh((m - 1) / (m + 1)).
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t offset = bits - 0x3fe6a09e667f3bcdULL;  // bits of sqrt(1/2)
  const std::uint64_t exponent_bits = (offset + (std::uint64_t{1} << 62)) >> 52;  // e + 1024
  const double exponent =
      std::bit_cast<double>(exponent_bits + 0x4330000000000000ULL) - (4503599627370496.0 + 1024.0);
  const double m = std::bit_cast<double>((offset & 0x000fffffffffffffULL) + 0x3fe6a09e667f3bcdULL);
  const double f = (m - 1.0) / (m + 1.0);
  const double s = f * f;
  const double s2 = s * s, s4 = s2 * s2;
  const double p01 = 2.0 / 3.0 + s * (2.0 / 5.0);
  const double p23 = 2.0 / 7.0 + s * (2.0 / 9.0);
  const double p45 = 2.0 / 11.0 + s * (2.0 / 13.0);
  const double p67 = 2.0 / 15.0 + s * (2.0 / 17.0);
  const double p89 = 2.0 / 19.0 + s * (2.0 / 21.0);
  const double p = (p01 + s2 * p23) + s4 * ((p45 + s2 * p67) + s4 * p89);
  return exponent * 0.6931471805599453 + (f * s * p + 2.0 * f);
}

// x to the power y for normal x > 0; beyond exp(-708) and exp(708) it is clamped to them.
OCELOT_INLINE double vector_pow(double x, double y) { return vector_exp(y * vector_log(x)); }

}  // namespace ocelot
