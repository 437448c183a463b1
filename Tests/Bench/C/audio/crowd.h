/* The sound of a crowd: for each participant a buffer of 20 ms, stereo, in memory of its own, which is sent again and again. The tones have
 * whole periods in it, so that there is no step between two buffers. The mix is of 48 kHz. */
#ifndef BENCH_CROWD_H
#define BENCH_CROWD_H

#include <stddef.h>
#include <stdint.h>

enum { CROWD = 50, CROWD_MS = 20, CROWD_MIX_RATE = 48000, CROWD_MIX_FLOATS = CROWD_MIX_RATE / 1000 * CROWD_MS * 2 };

struct crowd {
  uint64_t rate;
  int floats;
  size_t bytes; /* of a buffer */
  float *buffers[CROWD];
};

void crowd_open(struct crowd *crowd, uint64_t rate); /* 44,100 or 48,000 Hz */
void crowd_close(struct crowd *crowd);

/* Ends the program unless `mixed`, CROWD_MIX_FLOATS long, is as loud as the sum of all, to a hundredth: it may be late by any time. */
void crowd_check(const struct crowd *crowd, const float *mixed);

/* For each of the mixed buffers: processor time of sending and of mixing, in seconds, and all the time that went by. */
void crowd_report(int64_t count, double sending, double mixing, int64_t elapsed_ns);

enum { CROWD_WARM_UP = 100 }; /* buffers, before anything is timed */

#endif
