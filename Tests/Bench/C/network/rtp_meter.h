/* Video at real pace over a network, 30 pictures a second, and when each came out at the other end. A picture's number is painted into it,
 * so that nothing but the picture has to carry it: sender and receiver may be of any make. */
#ifndef BENCH_RTP_METER_H
#define BENCH_RTP_METER_H

#include "video/clip.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { RTP_FPS = 30, RTP_STREAMS = 64 };

struct rtp_stream {
  atomic_int_least64_t *at;    /* when each picture was handed in; 0: not yet */
  atomic_int_least64_t *taken; /* nanoseconds until it came out; 0: it did not */
  atomic_uint_fast64_t bytes;  /* sent, where the candidate counts them */
  void *user;                  /* the candidate's */
};

struct rtp_meter {
  struct clip clip;
  uint32_t streams;
  uint64_t count, warm_up;
  int64_t begin;
  struct rtp_stream stream[RTP_STREAMS];
};

/* Arguments: CLIP WIDTHxHEIGHT STREAMS FRAMES. A size below the clip's cuts out its middle. */
void rtp_meter_open(struct rtp_meter *meter, char *const arguments[4], enum clip_layout layout);

/* Hands in picture i of a stream, which is valid for seconds. Its time is i / RTP_FPS seconds from the beginning. */
typedef void (*rtp_send_fn)(struct rtp_meter *meter, uint32_t stream, uint8_t *picture, uint64_t i);

/* Sends all pictures, each stream on a thread of its own, the streams spread over the time of a picture; waits for the last ones and
 * reports: latency from the moment of handing in, processor time of a stream in per cent of a core, per cent of the pictures that came
 * out, kbit/s. */
void rtp_meter_run(struct rtp_meter *meter, rtp_send_fn send);

/* A picture came out. [one thread a stream] */
void rtp_meter_arrived(struct rtp_meter *meter, uint32_t stream, const uint8_t *luma, ptrdiff_t stride);

void rtp_meter_close(struct rtp_meter *meter);

/* A port of UDP that is free now, and so is the next one; each call another. */
uint16_t rtp_free_port(void);

#endif
