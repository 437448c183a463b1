/* One blur. */
#ifndef BLUR_SELF_H
#define BLUR_SELF_H

#include <mediasdk/plugin.h>

enum { BLUR_RADIUS_MAX = 128 };

struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
  _Atomic uint32_t radius; /* LIVE */
  /* Of the filtering thread: a plane blurred along its rows, and the sums of its columns. */
  uint8_t *plane;
  uint32_t *sums;
  uint64_t plane_size, columns;
};

extern const msdk_video_filter blur_filter;

/* Gives the words for the error, and returns it. */
msdk_result blur_fail(const msdk_self *self, msdk_result result, const char *text, ...) __attribute__((format(printf, 3, 4)));

#endif
