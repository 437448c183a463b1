/* The class that passes VP8 from an IVF file through as it is stored, for streams that take encoded frames. */
#include "self.h"

#include "vp8.h"

#include <string.h>

/* Damaged frames, and those before the first key frame, that one call passes over; more are left to the next. */
enum { SKIPPED_MAX = 64 };

static msdk_result packets_init(msdk_self *self) {
  msdk_result result = fp_init_capture(self);
  if (result < 0 || self->source.container == &fp_ivf) return result;
  fp_release_capture(self);
  return report_fail(&self->source.report, MSDK_E_UNSUPPORTED, "the file has raw frames (Y4M); accepted: IVF with VP8");
}

/* From the beginning: what follows builds on the first key frame. */
static msdk_result packets_start(msdk_self *self) {
  fp_source_rewind(&self->source);
  fp_plan_begin(&self->plan, &self->source, self->loop);
  self->ended = self->timed = self->has_key = false;
  self->started = true;
  return MSDK_OK;
}

static msdk_result packets_formats(msdk_self *self, uint32_t index, msdk_video_format *out) {
  if (index > 0) return MSDK_E_NOT_FOUND;
  *out = fp_format_of(&self->source, MSDK_PIXEL_I420);
  return MSDK_OK;
}

static msdk_result packets_set_format(msdk_self *self, const msdk_video_format *asked) {
  const fp_source *source = &self->source;
  if (asked == NULL) return report_fail(&source->report, MSDK_E_INVALID, "set_format needs a format, not NULL");
  if (asked->width != source->width || asked->height != source->height) {
    return report_fail(&source->report, MSDK_E_FORMAT, "%ux%u was requested; the file's frames are %ux%u and are not scaled", asked->width,
                   asked->height, source->width, source->height);
  }
  if (asked->fps_num != 0 && (uint64_t)asked->fps_num * source->fps_den < (uint64_t)source->fps_num * asked->fps_den) {
    return report_fail(&source->report, MSDK_E_FORMAT, "%u/%u frames a second were requested; encoded frames are not dropped, accepted: %u/%u or more",
                   asked->fps_num, asked->fps_den, source->fps_num, source->fps_den);
  }
  fp_agree(self, fp_format_of(source, MSDK_PIXEL_I420));
  return MSDK_OK;
}

/* The next frame that can be sent, hidden or shown. */
static msdk_result next_packet(msdk_self *self, fp_chunk *chunk, fp_vp8_info *info) {
  fp_source *source = &self->source;
  for (int i = 0; i < SKIPPED_MAX; i++) {
    msdk_result result = fp_source_read_packet(source, chunk);
    if (result == MSDK_E_CLOSED && self->loop) {
      fp_source_rewind(source);
      result = fp_source_read_packet(source, chunk);
    }
    if (result < 0) return result;
    *info = chunk->size >= FP_VP8_KEY_HEADER ? fp_vp8_peek(source->buffer, chunk->size) : (fp_vp8_info){0};
    bool is_usable = chunk->size > 0 && (!info->key || info->plausible) && (info->key || self->has_key);
    if (is_usable) return MSDK_OK;
    if (!chunk->hidden) fp_plan_advance(&self->plan);
  }
  return MSDK_E_AGAIN;
}

static msdk_result produce_packet(msdk_self *self, int64_t due_ns, msdk_encoded_frame **out) {
  fp_source *source = &self->source;
  if (!self->started) return report_fail(&source->report, MSDK_E_STATE, "capture is not started");
  if (self->ended) return MSDK_E_CLOSED;
  if (!fp_is_due(self, due_ns)) return MSDK_E_AGAIN;
  fp_chunk chunk;
  fp_vp8_info info;
  msdk_result result = next_packet(self, &chunk, &info);
  if (result < 0) {
    if (result == MSDK_E_CLOSED) self->ended = true;
    return result;
  }
  msdk_encoded_frame frame = MSDK_INIT(msdk_encoded_frame);
  frame.codec = MSDK_CODEC_VP8;
  frame.data = source->buffer;
  frame.size = chunk.size;
  frame.flags = info.key ? MSDK_ENCODED_KEY : 0;
  if (info.key) frame.width = info.width, frame.height = info.height;
  frame.timestamp_ns = self->base_ns + self->plan.next_ns;
  if (!chunk.hidden) fp_plan_advance(&self->plan);
  /* One that is not shown takes no time: the next is due at the same time, or nearly. */
  int64_t next_in = self->base_ns + self->plan.next_ns - due_ns;
  frame.duration_ns = next_in > 0 ? next_in : 1;
  result = source->report.host->encoded_frame_create(source->report.context, &frame, out);
  if (result < 0) return result;
  self->has_key = true;
  if (self->plan.over) self->ended = true;
  return MSDK_OK;
}

const msdk_video_producer fp_packets = {
  .struct_size = sizeof(msdk_video_producer),
  .flags = MSDK_PRODUCER_PULL | MSDK_PRODUCER_TIMED | MSDK_PRODUCER_ENCODED,
  .init_capture = packets_init,
  .release_capture = fp_release_capture,
  .start_capture = packets_start,
  .stop_capture = fp_stop_capture,
  .capture_settings = fp_capture_settings,
  .enum_formats = packets_formats,
  .set_format = packets_set_format,
  .codec = MSDK_CODEC_VP8,
  .produce_encoded_frame = produce_packet,
};
