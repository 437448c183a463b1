/* One that makes pictures black and white: as a filter in a stream; or as a renderer, which is a producer as well, beside it. */
#ifndef BW_SELF_H
#define BW_SELF_H

#include "../report.h"

#include <pthread.h>
#include <stdbool.h>

enum { BW_GRAY = 0, BW_THRESHOLD = 1 };

typedef struct bw_picture {
  uint8_t *data; /* rows without padding; NULL before the first picture */
  uint64_t capacity;
  msdk_video_format format; /* GRAY8 of full range */
  int64_t timestamp_ns;
  uint32_t orientation;
} bw_picture;

/* Grey for luma, and what it was made for. */
typedef struct bw_table {
  uint8_t grey[256];
  bool made, full_range;
  int mode;
  uint32_t level;
} bw_table;

struct msdk_self {
  plugin_report report;
  _Atomic int mode; /* BW_*; like level it is LIVE */
  _Atomic uint32_t level;

  bw_table table;     /* of the rendering thread */
  uint64_t dropped;   /* likewise: frames that were not passed on */
  uint64_t dropped_told;
  int64_t told_ns;
  bool told;

  pthread_mutex_t lock; /* for all that follows; never held while the host is called */
  bw_picture picture;   /* written by the rendering thread only, which therefore reads it without the lock */
  bool started;
  bool delivering; /* the rendering thread is in the host, on its way to consume_video_frame */
  pthread_t deliverer;
  pthread_cond_t delivered;
};

extern const msdk_video_renderer bw_renderer;
extern const msdk_video_producer bw_producer;
extern const msdk_video_filter bw_filter;

/* Passes the latest picture on, if the producer's side is started. Called by the rendering thread. `resized`: it has another size than the
 * one before. */
void bw_pass_on(msdk_self *self, bool resized);

#endif
