/* How 1080p NV12 frames are fed and counted, the same for every candidate.
 *
 * throughput  The next frame is fed as soon as the one before has been taken whole.
 * latency     `rate` frames a second; from before the frame is handed in until the receiver's code has it whole. */
#ifndef BENCH_FEED_H
#define BENCH_FEED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { FEED_WIDTH = 1920, FEED_HEIGHT = 1080, FEED_BYTES = FEED_WIDTH * FEED_HEIGHT * 3 / 2 };

struct feed {
  bool latency;
  uint64_t count, rate, sent;
  int64_t begin, next, *taken;
  double cpu;
  uint8_t *picture;
  atomic_uint_fast64_t arrived;
};

void feed_open(struct feed *feed, const char *mode, const char *count, const char *rate);
bool feed_next(struct feed *feed); /* waits until the next frame is due; false when all were sent */
void feed_arrived(struct feed *feed, int64_t at);
void feed_report(struct feed *feed); /* frame_us, cpu_us (of both sides), latency_p50_us, latency_p99_us */

#endif
