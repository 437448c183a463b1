#include "self.h"
#include "../formats.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFERS_PER_SECOND = 100 };
#define JUMP_NS 100000000 /* what is measured further ahead is a gap, not a clock that drifts */

static msdk_result deliver(msdk_self *self, int64_t timestamp_ns) {
  pulse_record *record = &self->record;
  const msdk_host *host = self->report.host;
  msdk_audio_frame *frame = NULL;
  msdk_result result = host->audio_frame_acquire(self->report.context, &self->format, record->length, &frame);
  if (result < 0) {
    record->gap = true;
    record->dropped++;
    return result;
  }
  memcpy(frame->planes[0], record->buffer, (size_t)record->length * pulse_width(&self->format));
  frame->timestamp_ns = timestamp_ns;
  if (record->gap) frame->flags |= MSDK_FRAME_DISCONTINUITY;
  record->gap = false;
  result = host->consume_audio_frame(self->report.context, frame);
  if (result == MSDK_E_AGAIN) record->dropped++;
  if (result < 0) record->gap = true;
  return result;
}

/* The timestamp of the whole buffer. What is measured trembles, so that samples are counted, and the count is drawn slowly towards what is
 * measured. It never runs backwards. */
static int64_t next_timestamp(msdk_self *self) {
  pulse_record *record = &self->record;
  int64_t duration_ns = pulse_duration_ns(&self->format, record->length), off_ns = record->measured_ns - record->next_ns;
  if (record->next_ns == 0 || off_ns > JUMP_NS) {
    if (record->next_ns != 0) record->gap = true;
    record->next_ns = record->measured_ns;
  } else {
    int64_t most_ns = duration_ns / 20, correction_ns = off_ns / 32;
    record->next_ns += correction_ns > most_ns ? most_ns : correction_ns < -most_ns ? -most_ns : correction_ns;
  }
  if (record->next_ns < record->least_ns) record->next_ns = record->least_ns;
  int64_t timestamp_ns = record->next_ns;
  record->next_ns += duration_ns;
  record->least_ns = timestamp_ns + duration_ns / 2;
  return timestamp_ns;
}

/* `count` samples, NULL for silence, the first of them captured at `captured_ns`. */
static void take(msdk_self *self, const uint8_t *samples, uint64_t count, int64_t captured_ns) {
  pulse_record *record = &self->record;
  uint32_t width = pulse_width(&self->format);
  for (uint64_t done = 0; done < count && !record->closed && pulse_link_wanted(&self->link);) {
    if (record->staged == 0) record->measured_ns = captured_ns + pulse_duration_ns(&self->format, done);
    uint64_t room = record->length - record->staged, part = count - done < room ? count - done : room;
    uint8_t *to = record->buffer + (size_t)record->staged * width;
    if (samples != NULL) memcpy(to, samples + done * width, part * width);
    else memset(to, 0, part * width);
    record->staged += (uint32_t)part;
    done += part;
    if (record->staged < record->length) continue;
    record->staged = 0;
    msdk_result result = deliver(self, next_timestamp(self));
    if (result == MSDK_E_CLOSED) record->closed = true;
    if (result < 0 && result != MSDK_E_CLOSED && result != MSDK_E_AGAIN && !record->told) {
      record->told = true;
      report_log(&self->report, MSDK_LOG_WARN, "the host did not accept recorded audio: result %d", result);
    }
  }
}

static void pump(msdk_self *self, pa_stream *stream) {
  const void *data;
  size_t bytes;
  while (pulse_link_wanted(&self->link) && pa_stream_peek(stream, &data, &bytes) == 0 && bytes > 0) {
    uint64_t count = bytes / pulse_width(&self->format);
    pa_usec_t latency_us = 0;
    int negative = 0;
    /* By so much the next sample to be read is old; of a monitor it may be still to come. */
    int64_t age_ns = pulse_duration_ns(&self->format, count);
    if (pa_stream_get_latency(stream, &latency_us, &negative) == 0) age_ns = (int64_t)latency_us * (negative ? -1000 : 1000);
    take(self, data, count, self->report.host->now_ns(self->report.context) - age_ns);
    pa_stream_drop(stream);
  }
}

static int connect_record(msdk_self *self, pa_stream *stream, const char *device) {
  pulse_record *record = &self->record;
  if (record->next_ns != 0) record->gap = true; /* there was a stream before this one */
  record->next_ns = 0;
  record->staged = 0;
  uint32_t width = pulse_width(&self->format);
  uint32_t wanted = self->format.sample_rate / 1000 * self->latency_ms, fragment = record->length < wanted ? record->length : wanted;
  pa_buffer_attr attributes = {.maxlength = (uint32_t)-1, .fragsize = fragment * width};
  int flags = PA_STREAM_INTERPOLATE_TIMING | PA_STREAM_AUTO_TIMING_UPDATE | PA_STREAM_ADJUST_LATENCY;
  /* A device that was named is not to be replaced by another one. */
  if (device != NULL) flags |= PA_STREAM_DONT_MOVE;
  return pa_stream_connect_record(stream, device, &attributes, (pa_stream_flags_t)flags);
}

static const pulse_kind kind = {.device = "source", .connect = connect_record, .pump = pump};

static msdk_result init_capture(msdk_self *self) {
  self->format = pulse_default_format();
  return pulse_link_open(self, &kind);
}

static msdk_result release_capture(msdk_self *self) {
  pulse_link_close(self);
  return MSDK_OK;
}

static msdk_result start_capture(msdk_self *self) {
  uint32_t length = self->format.frames_per_buffer != 0 ? self->format.frames_per_buffer : self->format.sample_rate / BUFFERS_PER_SECOND;
  int64_t least_ns = self->record.least_ns;
  self->record = (pulse_record){.length = length, .least_ns = least_ns, .buffer = malloc((size_t)length * pulse_width(&self->format))};
  if (self->record.buffer == NULL) return report_fail(&self->report, MSDK_E_NOMEM, "no memory for %u samples", length);
  msdk_result result = pulse_link_start(self);
  if (result == MSDK_OK) {
    self->started = 1;
    return MSDK_OK;
  }
  free(self->record.buffer);
  self->record.buffer = NULL;
  return result;
}

static msdk_result stop_capture(msdk_self *self) {
  if (!self->started) return MSDK_OK;
  pulse_link_stop(self);
  self->started = 0;
  if (self->record.dropped > 0) {
    report_log(&self->report, MSDK_LOG_WARN, "%llu buffers were dropped", (unsigned long long)self->record.dropped);
  }
  free(self->record.buffer);
  self->record.buffer = NULL;
  return MSDK_OK;
}

static int32_t is_capture_started(const msdk_self *self) { return self->started; }

static msdk_result capture_settings(msdk_self *self, msdk_audio_format *out) {
  *out = self->format;
  out->expected_delay_ns = (int64_t)self->latency_ms * 1000000;
  return MSDK_OK;
}

static msdk_result set_format(msdk_self *self, const msdk_audio_format *asked) {
  return audio_format_check(&self->report, asked, &self->format);
}

const msdk_audio_producer pulse_producer = {
  .struct_size = sizeof(msdk_audio_producer),
  .flags = MSDK_PRODUCER_LIVE,
  .init_capture = init_capture,
  .release_capture = release_capture,
  .start_capture = start_capture,
  .stop_capture = stop_capture,
  .is_capture_started = is_capture_started,
  .capture_settings = capture_settings,
  .set_format = set_format,
};
