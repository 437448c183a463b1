/* Buffers of sound at real pace, 20 ms of 48 kHz mono f32 each, and when each arrived. A buffer is sent when its last sample exists. */
#ifndef BENCH_SOUND_PACE_H
#define BENCH_SOUND_PACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct sound_pace {
  uint64_t count, sent;
  int64_t next;
  int64_t *at;    /* when each was handed in */
  int64_t *taken; /* nanoseconds */
  atomic_uint_fast64_t arrived;
  float buffer[960];
};

void sound_pace_open(struct sound_pace *pace, uint64_t count);

/* Sleeps until the next buffer is there, and notes the time. False when all were sent. */
bool sound_pace_next(struct sound_pace *pace);

/* The receiver has buffer `index`, from 0. */
void sound_pace_arrived(struct sound_pace *pace, uint64_t index);

/* Waits until all arrived, and reports. Ends the program if they do not. */
void sound_pace_close(struct sound_pace *pace);

#endif
