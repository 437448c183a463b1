/* One tone. */
#ifndef TONE_SELF_H
#define TONE_SELF_H

#include "../report.h"

#include <stdbool.h>

struct msdk_self {
  plugin_report report;
  _Atomic double frequency, amplitude; /* LIVE: set by one thread while another makes sound */
  uint32_t duration_ms;                /* 0: without end */
  msdk_audio_format format;
  bool started, ended;
  double phase;   /* of the next sample, in turns, 0..<1 */
  double pitch;   /* the frequency that sounds, or sounded last */
  double level;   /* the amplitude that the last buffer ended with; below 0: none yet */
  uint64_t made;  /* samples since the tone began */
};

extern const msdk_audio_producer tone_producer;

/* The sine of an angle in turns, 0..<1, exact to about 1e-13. */
double tone_sine(double turns);

#endif
