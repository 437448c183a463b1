/* One file that is played. */
#ifndef FILEPRODUCER_SELF_H
#define FILEPRODUCER_SELF_H

#include "plan.h"

struct msdk_self {
  char *path; /* NULL: not set */
  bool loop;
  int64_t start_ns; /* when the file is to begin; 0: not said */
  bool begun;       /* it has */
  bool started, ended;
  bool timed; /* base_ns is known */
  int64_t base_ns; /* the host's time of the file's first frame */
  fp_source source;
  msdk_video_format format; /* agreed on */
  fp_plan plan;
  bool has_key; /* of packets: a key frame was delivered since the start */
};

extern const msdk_video_producer fp_producer, fp_packets;

/* What both classes have in common. */
msdk_result fp_init_capture(msdk_self *self);
msdk_result fp_release_capture(msdk_self *self);
msdk_result fp_stop_capture(msdk_self *self);
msdk_result fp_capture_settings(msdk_self *self, msdk_video_format *out);
msdk_video_format fp_format_of(const fp_source *source, uint32_t pixel_format);
void fp_agree(msdk_self *self, msdk_video_format format);
/* Whether the next frame is due, or when the file was to go on from here. */
bool fp_is_due(msdk_self *self, int64_t due_ns);

#endif
