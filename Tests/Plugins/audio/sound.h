/* What a stretch of sound holds. All look at one channel: every `stride`-th of `count` samples. */
#ifndef TESTS_SOUND_H
#define TESTS_SOUND_H

#include <math.h>
#include <stdint.h>

#define SOUND_TURN 6.283185307179586

/* The amplitude of one frequency, by correlation with a Hann window over all of it. */
static inline double sound_amplitude(const float *samples, uint64_t count, uint32_t stride, double rate, double frequency) {
  double in_phase = 0, across = 0, weights = 0;
  for (uint64_t i = 0; i < count; i++) {
    double weight = 0.5 - 0.5 * cos(SOUND_TURN * ((double)i + 0.5) / (double)count), angle = SOUND_TURN * frequency * (double)i / rate;
    in_phase += weight * samples[i * stride] * cos(angle);
    across += weight * samples[i * stride] * sin(angle);
    weights += weight;
  }
  return weights > 0 ? 2 * sqrt(in_phase * in_phase + across * across) / weights : 0;
}

static inline double sound_rms(const float *samples, uint64_t count, uint32_t stride) {
  double sum = 0;
  for (uint64_t i = 0; i < count; i++) sum += (double)samples[i * stride] * samples[i * stride];
  return count > 0 ? sqrt(sum / (double)count) : 0;
}

/* From the upward crossings of zero, the first and the last of them placed between their samples. 0: there are not two. */
static inline double sound_frequency(const float *samples, uint64_t count, uint32_t stride, double rate) {
  double first = 0, last = 0;
  uint64_t crossings = 0;
  for (uint64_t i = 1; i < count; i++) {
    double before = samples[(i - 1) * stride], after = samples[i * stride];
    if (!(before < 0 && after >= 0)) continue;
    last = (double)i - after / (after - before);
    if (crossings++ == 0) first = last;
  }
  return crossings > 1 ? (double)(crossings - 1) * rate / (last - first) : 0;
}

/* The largest step from one sample to the next. */
static inline double sound_step(const float *samples, uint64_t count, uint32_t stride) {
  double most = 0;
  for (uint64_t i = 1; i < count; i++) most = fmax(most, fabs((double)samples[i * stride] - samples[(i - 1) * stride]));
  return most;
}

#endif
