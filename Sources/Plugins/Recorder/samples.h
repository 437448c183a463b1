/* Samples that wait to be encoded, on a count that never stands still: `start` is the position of the first one. Interleaved, 1 or 2
 * channels; what is given with the other number of channels is converted. */
#ifndef RECORDER_SAMPLES_H
#define RECORDER_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rec_samples {
  float *data; /* owned */
  uint32_t channels;
  uint32_t count, capacity; /* per channel */
  int64_t start;
} rec_samples;

static inline int64_t rec_samples_end(const rec_samples *samples) { return samples->start + samples->count; }

/* All that add say false when there is no memory; then nothing was added. */
bool rec_samples_add(rec_samples *samples, const float *from, uint32_t channels, uint32_t count);
bool rec_samples_add_silence(rec_samples *samples, uint32_t count);
/* As many as `into`, which the `count` are stretched or squeezed to; inaudible for a sample more or less in 20 ms. */
bool rec_samples_add_stretched(rec_samples *samples, const float *from, uint32_t channels, uint32_t count, uint32_t into);

/* Takes silence away at the end, at most `most` of it; returns how much that was. */
uint32_t rec_samples_take_back_silence(rec_samples *samples, uint32_t most);

/* Removes the first ones. */
void rec_samples_drop(rec_samples *samples, uint32_t count);
void rec_samples_free(rec_samples *samples);

#endif
