/* The filter: a sinc in Kaiser's window (J. F. Kaiser, "Nonrecursive digital filter design using the I0-sinh window function", 1974). */
#include "resampler.h"

#include <math.h>
#include <stddef.h>

/* Decibels by which is attenuated what the lower rate cannot hold: all from half of it on. The transition band before it is as narrow as
 * the reach allows, which gives -0.1 dB at 0.43 and -3.5 dB at 0.4535 of the lower rate. */
#define ATTENUATION 112.0
#define TRANSITION ((ATTENUATION - 7.95) / 14.36 / (2 * CRESAMPLER_REACH))
#define CUTOFF (0.5 - TRANSITION / 2)
#define BETA (0.1102 * (ATTENUATION - 8.7))

#define PI 3.14159265358979323846

/* The modified Bessel function of order 0, of 0 to BETA: the terms left out are below the precision of a double. */
static double bessel(double x) {
  enum { TERMS = 24 };
  double square = x * x / 4, term = 1, sum = 1;
  for (int i = 1; i <= TERMS; i++) {
    term *= square * (1.0 / (i * i));
    sum += term;
  }
  return sum;
}

/* In samples of the lower rate from the middle. */
static double filter_at(double distance) {
  double part = distance / CRESAMPLER_REACH;
  if (fabs(part) >= 1) return 0;
  double angle = 2 * PI * CUTOFF * distance;
  double sinc = fabs(angle) < 1e-9 ? 1 : sin(angle) / angle;
  return sinc * bessel(BETA * sqrt(1 - part * part));
}

void cresampler_fill(float *rows, int phases, int taps, int after, double scale) {
  int middle = taps - 1 - after;
  for (int phase = 0; phase <= phases; phase++) {
    float *row = rows + (ptrdiff_t)phase * taps;
    double sum = 0;
    for (int tap = 0; tap < taps; tap++) {
      double value = filter_at((middle - tap + (double)phase / phases) * scale);
      row[tap] = (float)value;
      sum += value;
    }
    /* So that a constant passes unchanged at every phase. */
    for (int tap = 0; tap < taps; tap++) row[tap] = (float)(row[tap] / sum);
  }
}
