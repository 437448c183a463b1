#include "tone.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

struct tone_fit tone_fit(const float *samples, const double *times, int count, int skip, double frequency) {
  double cc = 0, cs = 0, ss = 0, cx = 0, sx = 0, rest = 0;
  for (int i = skip; i < count; i++) {
    double c = cos(2 * PI * frequency * times[i]), s = sin(2 * PI * frequency * times[i]), x = samples[i];
    cc += c * c, cs += c * s, ss += s * s, cx += c * x, sx += s * x;
  }
  double d = cc * ss - cs * cs, a = (cx * ss - sx * cs) / d, b = (sx * cc - cx * cs) / d;
  for (int i = skip; i < count; i++) {
    double r = samples[i] - a * cos(2 * PI * frequency * times[i]) - b * sin(2 * PI * frequency * times[i]);
    rest += r * r;
  }
  double power = (a * a + b * b) / 2 * (count - skip);
  return (struct tone_fit){.amplitude = sqrt(a * a + b * b), .snr = 10 * log10(power / rest)};
}

float tone_sample(double frequency, int rate, int index) { return (float)(0.5 * sin(2 * PI * frequency * index / rate)); }
