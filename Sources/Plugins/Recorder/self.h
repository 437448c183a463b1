/* One recorder: two sides that are attached and released on their own, and the file that both go into. The host calls one side at a time
 * (plugin.h, [media]), so there are no locks. */
#ifndef RECORDER_SELF_H
#define RECORDER_SELF_H

#include "sound.h"
#include "timeline.h"
#include "vp8.h"

typedef struct rec_video {
  rec_vp8 encoder;
  int source;      /* REC_FROM_* */
  int64_t last_ns; /* the frame before */
  bool told_key, told_orientation;
} rec_video;

struct msdk_self {
  plugin_report report;
  bool shared;
  char *path;         /* NULL: not set */
  const char *tracks; /* "auto", "video", "audio" or "both" */
  uint32_t video_bitrate, audio_bitrate;
  rec_timeline timeline;
  rec_video video;
  rec_sound sound;
};

extern const msdk_video_renderer rec_video_renderer;
extern const msdk_audio_renderer rec_audio_renderer;

/* The first side that is attached opens the file, the last that is released finishes it. */
msdk_result rec_attach(msdk_self *self, int track);
msdk_result rec_detach(msdk_self *self, int track);

/* Pictures have come to this time: sound that is far behind is not to be waited for, and becomes silence. */
msdk_result rec_audio_follow(msdk_self *self, int64_t timestamp_ns);

#endif
