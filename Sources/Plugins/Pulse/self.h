/* One stream to or from a sound server. Both classes share it. */
#ifndef PULSE_SELF_H
#define PULSE_SELF_H

#include "link.h"

#include <stdatomic.h>

typedef struct pulse_record {
  uint8_t *buffer; /* what is not yet a whole buffer */
  uint32_t length, staged; /* in samples per channel */
  int64_t measured_ns; /* when the first of the staged samples was captured, as measured */
  int64_t next_ns;     /* of the next buffer, as counted; 0: not known */
  int64_t least_ns;    /* no timestamp is below this one */
  bool gap, closed, told;
  uint64_t dropped;    /* buffers */
} pulse_record;

typedef struct pulse_playback {
  pthread_mutex_t lock; /* of the ring */
  uint8_t *ring;
  uint64_t capacity, begin, fill; /* bytes */
  uint64_t dropped;               /* samples per channel */
  _Atomic int64_t delay_us;       /* of the server; 0: not known */
} pulse_playback;

struct msdk_self {
  plugin_report report;
  uint32_t latency_ms;
  msdk_audio_format format;
  _Atomic int started;
  pulse_link link;
  pulse_record record;
  pulse_playback playback;
};

extern const msdk_audio_producer pulse_producer;
extern const msdk_audio_renderer pulse_renderer;

/* The format that a class begins with. */
msdk_audio_format pulse_default_format(void);

static inline uint32_t pulse_width(const msdk_audio_format *format) { /* bytes of a sample of all channels */
  return format->channels * (format->sample_format == MSDK_SAMPLE_S16 ? 2 : 4);
}

static inline int64_t pulse_duration_ns(const msdk_audio_format *format, uint64_t samples) {
  return (int64_t)(samples * 1000000000 / format->sample_rate);
}

#endif
