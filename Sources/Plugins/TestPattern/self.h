/* One test pattern. */
#ifndef TESTPATTERN_SELF_H
#define TESTPATTERN_SELF_H

#include "pattern.h"

enum { TP_LINES = 0, TP_BARS = 1, TP_COUNTER = 2 };

struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
  _Atomic int pattern;  /* TP_*; like speed it is LIVE: set by one thread while another draws */
  _Atomic double speed;
  msdk_video_format format;
  tp_bars bars;
  uint64_t counter; /* pictures made since init_capture */
  double seconds;   /* how far the motion has come, at speed 1 */
};

extern const msdk_video_producer tp_producer;

/* Gives the words for the error, and returns it. */
msdk_result tp_fail(const msdk_self *self, msdk_result result, const char *text, ...) __attribute__((format(printf, 3, 4)));

#endif
