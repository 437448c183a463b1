/* Measuring sound: which sines are in it, how large they are, and how much else there is. */
#ifndef TONES_H
#define TONES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define PI 3.14159265358979323846

typedef struct tone {
  double frequency; /* Hz, given */
  double amplitude, phase; /* found: amplitude * sin(2 pi frequency t + phase), t from the first sample */
} tone;

enum { TONES_MAX = 4 };

/* Solves a small system of linear equations by elimination; the right side is the last column. */
static inline void tones_solve(double rows[2 * TONES_MAX][2 * TONES_MAX + 1], int count) {
  for (int column = 0; column < count; column++) {
    int best = column;
    for (int row = column; row < count; row++) {
      if (fabs(rows[row][column]) > fabs(rows[best][column])) best = row;
    }
    for (int i = 0; i <= count; i++) {
      double other = rows[column][i];
      rows[column][i] = rows[best][i];
      rows[best][i] = other;
    }
    for (int row = 0; row < count; row++) {
      if (row == column || rows[column][column] == 0) continue;
      double factor = rows[row][column] / rows[column][column];
      for (int i = column; i <= count; i++) rows[row][i] -= factor * rows[column][i];
    }
  }
  for (int row = 0; row < count; row++) rows[row][count] = rows[row][row] != 0 ? rows[row][count] / rows[row][row] : 0;
}

static inline double tones_base(const tone *tones, int index, double seconds) {
  double angle = 2 * PI * tones[index / 2].frequency * seconds;
  return index % 2 == 0 ? sin(angle) : cos(angle);
}

/* Fits the tones to `count` samples that are `stride` apart (least squares), and gives the power of what they leave over against their
 * own, in dB: -60 is a thousandth in amplitude. 0 when there is no sound at all. */
static inline double tones_fit(const float *samples, uint64_t count, uint32_t stride, uint32_t rate, tone *tones, int tone_count) {
  double rows[2 * TONES_MAX][2 * TONES_MAX + 1];
  int unknowns = 2 * tone_count;
  memset(rows, 0, sizeof rows);
  for (uint64_t i = 0; i < count; i++) {
    double base[2 * TONES_MAX], seconds = (double)i / rate, value = samples[i * stride];
    for (int j = 0; j < unknowns; j++) base[j] = tones_base(tones, j, seconds);
    for (int j = 0; j < unknowns; j++) {
      for (int k = 0; k < unknowns; k++) rows[j][k] += base[j] * base[k];
      rows[j][unknowns] += base[j] * value;
    }
  }
  tones_solve(rows, unknowns);
  double signal = 0, left = 0;
  for (uint64_t i = 0; i < count; i++) {
    double fitted = 0;
    for (int j = 0; j < unknowns; j++) fitted += rows[j][unknowns] * tones_base(tones, j, (double)i / rate);
    signal += fitted * fitted;
    left += (samples[i * stride] - fitted) * (samples[i * stride] - fitted);
  }
  for (int j = 0; j < tone_count; j++) {
    double sine = rows[2 * j][unknowns], cosine = rows[2 * j + 1][unknowns];
    tones[j].amplitude = sqrt(sine * sine + cosine * cosine);
    tones[j].phase = atan2(cosine, sine);
  }
  if (signal <= 0) return 0;
  return left <= 0 ? -300 : 10 * log10(left / signal);
}

/* An angle brought between -pi and pi. */
static inline double tones_wrap(double angle) { return remainder(angle, 2 * PI); }

/* The largest sample, and the largest step from one sample to the next. */
static inline double samples_peak(const float *samples, uint64_t count, uint32_t stride) {
  double peak = 0;
  for (uint64_t i = 0; i < count; i++) peak = fmax(peak, fabs((double)samples[i * stride]));
  return peak;
}

static inline double samples_step(const float *samples, uint64_t count, uint32_t stride) {
  double step = 0;
  for (uint64_t i = 1; i < count; i++) step = fmax(step, fabs((double)samples[i * stride] - (double)samples[(i - 1) * stride]));
  return step;
}

/* The root mean square. */
static inline double samples_rms(const float *samples, uint64_t count, uint32_t stride) {
  double sum = 0;
  for (uint64_t i = 0; i < count; i++) sum += (double)samples[i * stride] * samples[i * stride];
  return count > 0 ? sqrt(sum / (double)count) : 0;
}

#endif
