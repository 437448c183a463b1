/* The sums of samples with rows of a bank; NAME gives each function its name. Vectors never cross a call by value: how they would depends
 * on the instructions that a file is built for. */
#include "resampler.h"

#include <string.h>

typedef float lanes __attribute__((vector_size(4 * CRESAMPLER_LANES)));
typedef float four_lanes __attribute__((vector_size(16)));
typedef float two_lanes __attribute__((vector_size(8)));

/* Of any alignment. */
#define LOAD(name, from) \
  lanes name; \
  memcpy(&name, from, sizeof name)

/* Where an output lies: the sample of its first tap, the row before it, and how far it is from there to the next row, of `denominator`. */
typedef struct place {
  int64_t sample, part, phase, rest;
} place;

static inline void find_rows(place *place, const cresampler_bank *bank, const cresampler_places *places, double rows_a_part) {
  /* A division of floats may be off by one, which is corrected: it costs less than one of integers. */
  place->phase = (int64_t)((double)place->part * rows_a_part);
  place->rest = place->part * bank->phases - place->phase * places->denominator;
  if (place->rest < 0) {
    place->phase--;
    place->rest += places->denominator;
  } else if (place->rest >= places->denominator) {
    place->phase++;
    place->rest -= places->denominator;
  }
}

static inline void advance(place *place, const cresampler_places *places, int64_t whole, int64_t part) {
  place->part += part;
  place->sample += whole;
  if (place->part >= places->denominator) {
    place->part -= places->denominator;
    place->sample++;
  }
}

static inline float add_lanes(const lanes *sums) {
  four_lanes four = __builtin_shufflevector(*sums, *sums, 0, 1, 2, 3) + __builtin_shufflevector(*sums, *sums, 4, 5, 6, 7);
  two_lanes two = __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
  return two[0] + two[1];
}

/* On the line from the sum with one row to that with the next. */
static inline float add_between(const lanes *sums, const lanes *next, float part) {
  lanes between = *sums + part * (*next - *sums);
  return add_lanes(&between);
}

static inline float mono_row(const float *in, const float *row, int taps) {
  lanes even = {0}, odd = {0};
  int tap = 0;
  for (; tap + 2 * CRESAMPLER_LANES <= taps; tap += 2 * CRESAMPLER_LANES) {
    LOAD(sample, in + tap);
    LOAD(coefficient, row + tap);
    even += sample * coefficient;
    LOAD(odd_sample, in + tap + CRESAMPLER_LANES);
    LOAD(odd_coefficient, row + tap + CRESAMPLER_LANES);
    odd += odd_sample * odd_coefficient;
  }
  if (tap < taps) {
    LOAD(sample, in + tap);
    LOAD(coefficient, row + tap);
    even += sample * coefficient;
  }
  even += odd;
  return add_lanes(&even);
}

static inline float mono_between(const float *in, const float *row, int taps, float part) {
  const float *next = row + taps;
  lanes even = {0}, odd = {0}, next_even = {0}, next_odd = {0};
  int tap = 0;
  for (; tap + 2 * CRESAMPLER_LANES <= taps; tap += 2 * CRESAMPLER_LANES) {
    LOAD(sample, in + tap);
    LOAD(coefficient, row + tap);
    LOAD(next_coefficient, next + tap);
    even += sample * coefficient;
    next_even += sample * next_coefficient;
    LOAD(odd_sample, in + tap + CRESAMPLER_LANES);
    LOAD(odd_coefficient, row + tap + CRESAMPLER_LANES);
    LOAD(next_odd_coefficient, next + tap + CRESAMPLER_LANES);
    odd += odd_sample * odd_coefficient;
    next_odd += odd_sample * next_odd_coefficient;
  }
  if (tap < taps) {
    LOAD(sample, in + tap);
    LOAD(coefficient, row + tap);
    LOAD(next_coefficient, next + tap);
    even += sample * coefficient;
    next_even += sample * next_coefficient;
  }
  even += odd;
  next_even += next_odd;
  return add_between(&even, &next_even, part);
}

static inline void stereo_row(const float *left, const float *right, const float *row, int taps, float *out) {
  lanes left_sum = {0}, right_sum = {0};
  for (int tap = 0; tap < taps; tap += CRESAMPLER_LANES) {
    LOAD(coefficient, row + tap);
    LOAD(left_sample, left + tap);
    LOAD(right_sample, right + tap);
    left_sum += left_sample * coefficient;
    right_sum += right_sample * coefficient;
  }
  out[0] = add_lanes(&left_sum);
  out[1] = add_lanes(&right_sum);
}

static inline void stereo_between(const float *left, const float *right, const float *row, int taps, float part, float *out) {
  const float *next = row + taps;
  lanes left_sum = {0}, right_sum = {0}, next_left_sum = {0}, next_right_sum = {0};
  for (int tap = 0; tap < taps; tap += CRESAMPLER_LANES) {
    LOAD(coefficient, row + tap);
    LOAD(next_coefficient, next + tap);
    LOAD(left_sample, left + tap);
    LOAD(right_sample, right + tap);
    left_sum += left_sample * coefficient;
    next_left_sum += left_sample * next_coefficient;
    right_sum += right_sample * coefficient;
    next_right_sum += right_sample * next_coefficient;
  }
  out[0] = add_between(&left_sum, &next_left_sum, part);
  out[1] = add_between(&right_sum, &next_right_sum, part);
}

/* An output that lies on a row needs that row only: the result is the same, since nothing of the next one would be added. */
void NAME(mono)(const cresampler_bank *bank, const cresampler_places *places, const float *in, float *out, int count) {
  double rows_a_part = (double)bank->phases / (double)places->denominator, unit = 1 / (double)places->denominator;
  int64_t whole = places->step / places->denominator, part = places->step % places->denominator;
  place place = {.part = places->part};
  for (int i = 0; i < count; i++) {
    find_rows(&place, bank, places, rows_a_part);
    const float *samples = in + place.sample, *row = bank->rows + place.phase * bank->taps;
    out[i] = place.rest == 0 ? mono_row(samples, row, bank->taps) : mono_between(samples, row, bank->taps, (float)((double)place.rest * unit));
    advance(&place, places, whole, part);
  }
}

void NAME(stereo)(const cresampler_bank *bank, const cresampler_places *places, const float *left, const float *right, float *out,
                  int count) {
  double rows_a_part = (double)bank->phases / (double)places->denominator, unit = 1 / (double)places->denominator;
  int64_t whole = places->step / places->denominator, part = places->step % places->denominator;
  place place = {.part = places->part};
  for (int i = 0; i < count; i++, out += 2) {
    find_rows(&place, bank, places, rows_a_part);
    const float *row = bank->rows + place.phase * bank->taps;
    if (place.rest == 0) {
      stereo_row(left + place.sample, right + place.sample, row, bank->taps, out);
    } else {
      stereo_between(left + place.sample, right + place.sample, row, bank->taps, (float)((double)place.rest * unit), out);
    }
    advance(&place, places, whole, part);
  }
}
