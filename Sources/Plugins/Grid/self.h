/* One grid: several inputs composed into one frame. Its renderer's side keeps the newest of each input; its producer's side composes and
 * passes on, on a thread of its own, when something has changed. */
#ifndef GRID_SELF_H
#define GRID_SELF_H

#include "../report.h"
#include "compose.h"

#include <pthread.h>

enum { GRID_WIDTH_DEFAULT = 1280, GRID_HEIGHT_DEFAULT = 720, GRID_FPS_DEFAULT = 30, GRID_SIDE_MIN = 64, GRID_SIDE_MAX = 3840 };

typedef struct grid_output {
  uint32_t pixel_format, width, height, fps_num, fps_den;
} grid_output;

struct msdk_self {
  plugin_report report;
  uint32_t width, height, fps; /* as the parameters say */

  pthread_mutex_t lock; /* for all that follows up to `drawing`; never held while a frame is given back or delivered */
  pthread_cond_t changed;
  grid_settings settings;
  grid_inputs inputs;
  uint64_t version; /* counts the changes */
  int64_t age_ns;   /* by which frames are late when they come here */
  bool aged;
  grid_output output;
  bool started, stopping;
  pthread_t thread;
  bool *orphaned; /* of the thread's: told that it was stopped from inside its own delivery */

  pthread_mutex_t drawing; /* for the composer: the thread draws, and a snapshot does */
  grid_composer composer;
};

extern const msdk_video_renderer grid_renderer;
extern const msdk_video_producer grid_producer;

/* Something is to be seen differently. Under the lock. */
void grid_touch(msdk_self *self);

/* The composition as it is now into a frame of I420 or NV12, whose size it takes; `version` gets what it shows. False when there is no memory.
 * Under no lock. */
bool grid_draw(msdk_self *self, msdk_video_frame *into, uint64_t *version);

msdk_video_format grid_format(const grid_output *output);
grid_output grid_output_of_params(const msdk_self *self);

#endif
