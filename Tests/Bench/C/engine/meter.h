/* How frames are paced and counted, the same for every candidate of the raw passage.
 *
 * turns       One frame at a time: the sender sleeps (on a futex of the meter's) until the frame has arrived. Both threads are woken for
 *             every frame, as they are for a camera's.
 * throughput  The sender goes on as soon as fewer than `window` frames are on the way, looking at an atomic without sleeping. So nobody's
 *             queue overflows, no frame is lost, and what is measured is the candidate's own hand-over.
 * latency     The sender wakes at absolute deadlines, `rate` times a second, and each frame carries the time at which it was handed in.
 */
#ifndef BENCH_METER_H
#define BENCH_METER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct meter {
  bool latency, turns;
  uint64_t count;         /* frames to send */
  uint64_t window, rate;  /* of throughput, of latency */
  uint64_t sent;
  int64_t begin, next;
  int64_t *taken;         /* latency: nanoseconds, frame by frame */
  _Alignas(64) atomic_uint_fast64_t arrived;
  atomic_uint turn; /* turns: its value changes with each arrival; the futex */
  _Alignas(64) _Atomic int64_t last; /* when the last frame arrived */
};

/* arguments: "throughput COUNT WINDOW", "turns COUNT 1" or "latency COUNT RATE" */
void meter_open(struct meter *meter, char *const arguments[3]);

/* Waits until the next frame may be sent. False when all were. *at: latency: now, to be carried by the frame; otherwise 0. */
bool meter_next(struct meter *meter, int64_t *at);

/* The receiver has the frame. One thread at a time. */
void meter_arrived(struct meter *meter, int64_t at);

/* Waits until all arrived, and reports. Ends the program if they do not: a lost frame is a failed measurement. */
void meter_close(struct meter *meter);

#endif
