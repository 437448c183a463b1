/* One file that is played. */
#ifndef FILEPRODUCER_SELF_H
#define FILEPRODUCER_SELF_H

#include "source.h"

struct msdk_self {
  char *path; /* NULL: not set */
  bool loop;
  bool started, ended;
  fp_source source;
  msdk_video_format format; /* agreed on */
  /* Between two pictures the file goes on by step_num / step_den frames, which is at least 1: the file's rate over the agreed one. */
  uint64_t step_num, step_den, step_rest;
  uint64_t to_skip; /* frames that are due to be skipped before the next picture */
};

extern const msdk_video_producer fp_producer;

#endif
