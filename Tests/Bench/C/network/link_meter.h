/* Pictures over a bad link, from one process to another in other namespaces: both write into one file that they share, the sender when it
 * handed in each picture, the receiver when it came out and how like the sent one it was. The clock is the machine's. */
#ifndef BENCH_LINK_METER_H
#define BENCH_LINK_METER_H

#include "video/clip.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { LINK_FPS = 30 };

struct link_picture {              /* of the file, in the order of the numbers */
  atomic_int_least64_t sent, came; /* CLOCK_MONOTONIC in nanoseconds; 0: not yet */
  double psnr;                     /* of luma, without the corner with the number */
};

struct link_meter {
  struct clip clip;
  uint64_t count;
  struct link_picture *picture;
};

/* Arguments: FILE CLIP WIDTHxHEIGHT FRAMES. The file has room for the frames already, all zero. */
void link_meter_open(struct link_meter *meter, char *const arguments[4], enum clip_layout layout);

/* Hands all pictures in at real pace. */
void link_meter_send(struct link_meter *meter, void (*send)(struct link_meter *meter, uint8_t *picture, uint64_t i, int64_t at));

/* A picture came out. One that shows no number that was sent is none. */
void link_meter_came(struct link_meter *meter, const uint8_t *luma, ptrdiff_t stride);

/* For the receiver: until standard input ends. */
void link_meter_wait(void);

#endif
