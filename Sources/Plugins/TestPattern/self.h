/* One test pattern. */
#ifndef TESTPATTERN_SELF_H
#define TESTPATTERN_SELF_H

#include "../report.h"
#include "pattern.h"

enum { TP_LINES = 0, TP_BARS = 1, TP_COUNTER = 2 };

struct msdk_self {
  plugin_report report;
  _Atomic int pattern;  /* TP_*; like speed it is LIVE: set by one thread while another draws */
  _Atomic double speed;
  msdk_video_format format;
  tp_bars bars;
  uint64_t counter; /* pictures made since init_capture */
  double seconds;   /* how far the motion has come, at speed 1 */
};

extern const msdk_video_producer tp_producer;

#endif
