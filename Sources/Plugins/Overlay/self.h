/* One overlay: a PNG that is laid over pictures. */
#ifndef OVERLAY_SELF_H
#define OVERLAY_SELF_H

#include "../report.h"

enum { OVERLAY_PLACE_MAX = MSDK_DIMENSION_MAX, OVERLAY_SIDE_MAX = 4096 };

struct msdk_self {
  plugin_report report;
  _Atomic int32_t x, y;       /* LIVE: of its left upper corner */
  _Atomic uint32_t opacity;   /* LIVE: 0..256 */
  char path[1024];
  uint32_t width, height;     /* of the image, which is there from init to release */
  uint8_t *rgba;
  uint8_t *yuva;              /* the same in the picture's colours */
  uint32_t matrix, full_range, made; /* those */
};

extern const msdk_video_filter overlay_filter;

#endif
