/* One file that is played. */
#ifndef FILEPRODUCER_SELF_H
#define FILEPRODUCER_SELF_H

#include "plan.h"

struct msdk_self {
  char *path; /* NULL: not set */
  bool loop;
  bool started, ended;
  bool timed; /* base_ns is known */
  int64_t base_ns; /* the host's time of the file's first frame */
  fp_source source;
  msdk_video_format format; /* agreed on */
  fp_plan plan;
};

extern const msdk_video_producer fp_producer;

#endif
