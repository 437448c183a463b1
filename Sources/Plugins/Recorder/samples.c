#include "samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SILENT 0.00003f /* one step of 16 bits */

static float *make_room(rec_samples *samples, uint32_t count) {
  uint32_t needed = samples->count + count;
  if (needed > samples->capacity) {
    uint32_t capacity = needed + needed / 2;
    float *grown = realloc(samples->data, (size_t)capacity * samples->channels * sizeof *grown);
    if (grown == NULL) return NULL;
    samples->data = grown;
    samples->capacity = capacity;
  }
  return samples->data + (size_t)samples->count * samples->channels;
}

bool rec_samples_add(rec_samples *samples, const float *from, uint32_t channels, uint32_t count) {
  float *to = make_room(samples, count);
  if (to == NULL) return false;
  if (channels == samples->channels) {
    memcpy(to, from, (size_t)count * channels * sizeof *to);
  } else if (channels == 1) {
    for (uint32_t i = 0; i < count; i++) to[2 * (size_t)i] = to[2 * (size_t)i + 1] = from[i];
  } else {
    for (uint32_t i = 0; i < count; i++) to[i] = (from[2 * (size_t)i] + from[2 * (size_t)i + 1]) / 2;
  }
  samples->count += count;
  return true;
}

bool rec_samples_add_silence(rec_samples *samples, uint32_t count) {
  float *to = make_room(samples, count);
  if (to == NULL) return false;
  memset(to, 0, (size_t)count * samples->channels * sizeof *to);
  samples->count += count;
  return true;
}

/* A cubic through four neighbours (Catmull-Rom). */
static float between(const float *from, uint32_t channels, uint32_t count, uint32_t at, float part) {
  uint32_t before = at > 0 ? at - 1 : 0, after = at + 1 < count ? at + 1 : count - 1, beyond = at + 2 < count ? at + 2 : count - 1;
  float a = from[(size_t)before * channels], b = from[(size_t)at * channels];
  float c = from[(size_t)after * channels], d = from[(size_t)beyond * channels];
  return b + part / 2 * (c - a + part * (2 * a - 5 * b + 4 * c - d + part * (3 * (b - c) + d - a)));
}

bool rec_samples_add_stretched(rec_samples *samples, const float *from, uint32_t channels, uint32_t count, uint32_t into) {
  if (count < 4 || into < 4) return rec_samples_add(samples, from, channels, count);
  float *made = malloc((size_t)into * channels * sizeof *made);
  if (made == NULL) return false;
  double step = (double)(count - 1) / (into - 1);
  for (uint32_t i = 0; i < into; i++) {
    double at = i * step;
    uint32_t whole = (uint32_t)at < count ? (uint32_t)at : count - 1;
    for (uint32_t c = 0; c < channels; c++) made[(size_t)i * channels + c] = between(from + c, channels, count, whole, (float)(at - whole));
  }
  bool added = rec_samples_add(samples, made, channels, into);
  free(made);
  return added;
}

uint32_t rec_samples_take_back_silence(rec_samples *samples, uint32_t most) {
  uint32_t taken = 0;
  while (taken < most && samples->count > 0) {
    const float *last = samples->data + (size_t)(samples->count - 1) * samples->channels;
    for (uint32_t c = 0; c < samples->channels; c++) {
      if (fabsf(last[c]) > SILENT) return taken;
    }
    samples->count--;
    taken++;
  }
  return taken;
}

void rec_samples_drop(rec_samples *samples, uint32_t count) {
  if (count > samples->count) count = samples->count;
  samples->count -= count;
  samples->start += count;
  memmove(samples->data, samples->data + (size_t)count * samples->channels,
          (size_t)samples->count * samples->channels * sizeof *samples->data);
}

void rec_samples_free(rec_samples *samples) {
  free(samples->data);
  *samples = (rec_samples){0};
}
