/* One blur. */
#ifndef BLUR_SELF_H
#define BLUR_SELF_H

#include "../report.h"

enum { BLUR_RADIUS_MAX = 128 };

struct msdk_self {
  plugin_report report;
  _Atomic uint32_t radius; /* LIVE */
  /* Of the filtering thread: a plane blurred along its rows, and the sums of its columns. */
  uint8_t *plane;
  uint32_t *sums;
  uint64_t plane_size, columns;
};

extern const msdk_video_filter blur_filter;

#endif
