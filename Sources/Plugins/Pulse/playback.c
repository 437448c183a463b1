#include "self.h"
#include "../formats.h"

#include <stdlib.h>
#include <string.h>

enum { RING_MIN_MS = 40 };

/* Takes up to `bytes` of the oldest; returns how many. Called with the ring's lock held. */
static uint64_t take(pulse_playback *playback, uint8_t *to, uint64_t bytes) {
  if (bytes > playback->fill) bytes = playback->fill;
  uint64_t first = playback->capacity - playback->begin;
  if (first > bytes) first = bytes;
  memcpy(to, playback->ring + playback->begin, first);
  memcpy(to + first, playback->ring, bytes - first);
  playback->begin = (playback->begin + bytes) % playback->capacity;
  playback->fill -= bytes;
  return bytes;
}

/* Called with the ring's lock held, when there is room. */
static void add(pulse_playback *playback, const uint8_t *from, uint64_t bytes) {
  uint64_t end = (playback->begin + playback->fill) % playback->capacity, first = playback->capacity - end;
  if (first > bytes) first = bytes;
  memcpy(playback->ring + end, from, first);
  memcpy(playback->ring, from + first, bytes - first);
  playback->fill += bytes;
}

/* Room for at least `bytes`; keeps what is in it. Called with the ring's lock held. */
static bool reserve(pulse_playback *playback, uint64_t bytes) {
  if (bytes <= playback->capacity) return true;
  uint8_t *larger = malloc((size_t)bytes);
  if (larger == NULL) return false;
  uint64_t kept = playback->capacity != 0 ? take(playback, larger, playback->fill) : 0;
  free(playback->ring);
  playback->ring = larger;
  playback->capacity = bytes;
  playback->begin = 0;
  playback->fill = kept;
  return true;
}

static void pump(msdk_self *self, pa_stream *stream) {
  pulse_playback *playback = &self->playback;
  uint32_t width = pulse_width(&self->format);
  for (;;) {
    size_t room = pa_stream_writable_size(stream), bytes;
    if (room == (size_t)-1) break;
    pthread_mutex_lock(&playback->lock);
    bytes = playback->fill < room ? (size_t)playback->fill : room;
    pthread_mutex_unlock(&playback->lock);
    bytes -= bytes % width;
    void *memory = NULL;
    if (bytes == 0 || pa_stream_begin_write(stream, &memory, &bytes) < 0 || memory == NULL) break;
    pthread_mutex_lock(&playback->lock);
    bytes = (size_t)take(playback, memory, bytes - bytes % width);
    pthread_mutex_unlock(&playback->lock);
    /* The other thread may have dropped what was counted before. */
    if (bytes == 0) {
      pa_stream_cancel_write(stream);
      break;
    }
    if (pa_stream_write(stream, memory, bytes, NULL, 0, PA_SEEK_RELATIVE) < 0) break;
  }
  pa_usec_t latency_us = 0;
  int negative = 0;
  bool known = pa_stream_get_latency(stream, &latency_us, &negative) == 0;
  playback->delay_us = known && !negative ? (int64_t)latency_us : 0;
}

static int connect_playback(msdk_self *self, pa_stream *stream, const char *device) {
  pulse_playback *playback = &self->playback;
  pthread_mutex_lock(&playback->lock);
  playback->begin = playback->fill = 0; /* it waited for a server that was away */
  pthread_mutex_unlock(&playback->lock);
  playback->delay_us = 0;
  uint32_t width = pulse_width(&self->format), target = self->format.sample_rate / 1000 * self->latency_ms;
  pa_buffer_attr attributes = {.maxlength = (uint32_t)-1, .tlength = target * width, .prebuf = target / 2 * width,
                               .minreq = target / 4 * width, .fragsize = (uint32_t)-1};
  int flags = PA_STREAM_INTERPOLATE_TIMING | PA_STREAM_AUTO_TIMING_UPDATE | PA_STREAM_ADJUST_LATENCY;
  /* A device that was named is not to be replaced by another one. */
  if (device != NULL) flags |= PA_STREAM_DONT_MOVE;
  return pa_stream_connect_playback(stream, device, &attributes, (pa_stream_flags_t)flags, NULL, NULL);
}

static const pulse_kind kind = {.device = "sink", .connect = connect_playback, .pump = pump};

static msdk_result init_render(msdk_self *self) {
  self->format = pulse_default_format();
  return pulse_link_open(self, &kind);
}

static msdk_result release_render(msdk_self *self) {
  pulse_link_close(self);
  return MSDK_OK;
}

static msdk_result render_settings(msdk_self *self, msdk_audio_format *out) {
  return audio_format_check(&self->report, out, &self->format);
}

static msdk_result start_render(msdk_self *self) {
  pulse_playback *playback = &self->playback;
  uint32_t milliseconds = self->latency_ms > RING_MIN_MS ? self->latency_ms : RING_MIN_MS;
  pthread_mutex_lock(&playback->lock);
  bool room = reserve(playback, (uint64_t)self->format.sample_rate * milliseconds / 1000 * pulse_width(&self->format));
  pthread_mutex_unlock(&playback->lock);
  playback->dropped = 0;
  if (!room) return report_fail(&self->report, MSDK_E_NOMEM, "no memory for %u ms of audio", milliseconds);
  msdk_result result = pulse_link_start(self);
  if (result == MSDK_OK) self->started = 1;
  return result;
}

static msdk_result stop_render(msdk_self *self) {
  pulse_playback *playback = &self->playback;
  if (!self->started) return MSDK_OK;
  pulse_link_stop(self);
  self->started = 0;
  playback->delay_us = 0;
  if (playback->dropped > 0) {
    report_log(&self->report, MSDK_LOG_INFO, "%lld ms of audio were not played, because the server had no room or was not connected",
               (long long)(pulse_duration_ns(&self->format, playback->dropped) / 1000000));
  }
  pthread_mutex_lock(&playback->lock);
  free(playback->ring);
  playback->ring = NULL;
  playback->capacity = playback->begin = playback->fill = 0;
  pthread_mutex_unlock(&playback->lock);
  return MSDK_OK;
}

static int32_t is_render_started(const msdk_self *self) { return self->started; }

/* Never waits for the server: the oldest makes room for what is new. */
static msdk_result render_audio_frame(msdk_self *self, const msdk_audio_frame *frame) {
  pulse_playback *playback = &self->playback;
  const msdk_audio_format *own = &self->format;
  if (!self->started) return report_fail(&self->report, MSDK_E_STATE, "rendering is not started");
  if (frame == NULL || frame->format == NULL || frame->planes == NULL) {
    return report_fail(&self->report, MSDK_E_INVALID, "the buffer has no format or no samples");
  }
  const msdk_audio_format *format = frame->format;
  if (format->sample_format != own->sample_format || format->sample_rate != own->sample_rate || format->channels != own->channels ||
      format->planar != 0) {
    return report_fail(&self->report, MSDK_E_FORMAT,
                       "the buffer has sample format %u, %u Hz, %u channels; agreed: sample format %u, %u Hz, %u channels",
                       format->sample_format, format->sample_rate, format->channels, own->sample_format, own->sample_rate, own->channels);
  }
  uint32_t width = pulse_width(own);
  uint64_t bytes = (uint64_t)frame->sample_count * width;
  pthread_mutex_lock(&playback->lock);
  bool room = reserve(playback, 2 * bytes);
  if (room && playback->fill + bytes > playback->capacity) {
    uint64_t excess = playback->fill + bytes - playback->capacity;
    playback->begin = (playback->begin + excess) % playback->capacity;
    playback->fill -= excess;
    playback->dropped += excess / width;
  }
  if (room) add(playback, frame->planes[0], bytes);
  pthread_mutex_unlock(&playback->lock);
  if (!room) return report_fail(&self->report, MSDK_E_NOMEM, "no memory for %u samples", frame->sample_count);
  pulse_link_wake(&self->link);
  return MSDK_OK;
}

static int64_t render_delay_ns(const msdk_self *self) {
  if (!self->started) return 0;
  msdk_self *own = (msdk_self *)(uintptr_t)self; /* for the lock */
  pthread_mutex_lock(&own->playback.lock);
  uint64_t waiting = own->playback.fill / pulse_width(&self->format);
  pthread_mutex_unlock(&own->playback.lock);
  return (int64_t)(pulse_duration_ns(&self->format, waiting) + (uint64_t)self->playback.delay_us * 1000);
}

const msdk_audio_renderer pulse_renderer = {
  .struct_size = sizeof(msdk_audio_renderer),
  .init_render = init_render,
  .release_render = release_render,
  .start_render = start_render,
  .stop_render = stop_render,
  .is_render_started = is_render_started,
  .render_settings = render_settings,
  .render_audio_frame = render_audio_frame,
  .render_delay_ns = render_delay_ns,
};
