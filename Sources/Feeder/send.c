#include "self.h"

#include <string.h>

/* Copies what the caller's struct has; the missing members are zero. */
static msdk_result take(const msdk_feeder_frame *given, msdk_feeder_frame *frame) {
  if (given == NULL) return fail(MSDK_E_INVALID, "frame is NULL");
  if (given->struct_size < 24 || given->struct_size > 65536) {
    return fail(MSDK_E_INVALID, "frame.struct_size is %u; accepted: that of msdk_feeder_frame, %zu", given->struct_size, sizeof *given);
  }
  memset(frame, 0, sizeof *frame);
  memcpy(frame, given, given->struct_size < sizeof *given ? given->struct_size & ~7u : sizeof *given);
  if (frame->orientation > 7) return fail(MSDK_E_INVALID, "frame.orientation is %u; accepted: 0..7", frame->orientation);
  if (frame->color_full_range > 1) return fail(MSDK_E_INVALID, "frame.color_full_range is %u; accepted: 0, 1", frame->color_full_range);
  return MSDK_OK;
}

static void copy_plane(uint8_t *to, const msdk_plane *from, uint32_t row_bytes, uint32_t rows) {
  if (from->stride == (int32_t)row_bytes) {
    memcpy(to, from->data, (size_t)row_bytes * rows);
    return;
  }
  for (uint32_t y = 0; y < rows; y++) memcpy(to + (size_t)y * row_bytes, from->data + (size_t)y * (size_t)from->stride, row_bytes);
}

msdk_result msdk_feeder_send(msdk_feeder *feeder, const msdk_feeder_frame *given) {
  if (feeder == NULL) return fail(MSDK_E_INVALID, "feeder is NULL");
  msdk_feeder_frame frame;
  layout planes;
  msdk_result result = take(given, &frame);
  if (result >= 0) result = layout_of(frame.pixel_format, frame.width, frame.height, 1, &planes);
  if (result < 0) return result;
  for (uint32_t p = 0; p < planes.planes; p++) {
    if (frame.plane[p].data == NULL || frame.plane[p].stride < (int32_t)planes.row_bytes[p]) {
      return fail(MSDK_E_INVALID, "frame.plane[%u] has the stride %d%s; a row has %u bytes", p, frame.plane[p].stride,
                  frame.plane[p].data == NULL ? " and no data" : "", planes.row_bytes[p]);
    }
  }
  if (planes.size > feeder->largest) {
    return fail(MSDK_E_RANGE, "the frame has %llu bytes; the session accepts %llu", (unsigned long long)planes.size,
                (unsigned long long)feeder->largest);
  }
  pthread_mutex_lock(&feeder->lock);
  result = link_check(feeder);
  size_t size = HEAD_SIZE + FRAME_HEADER_SIZE + (size_t)planes.size;
  uint8_t *at = result >= 0 ? link_reserve(feeder, size) : NULL;
  if (result >= 0 && at == NULL) result = fail(MSDK_E_NOMEM, "no memory for a frame of %zu bytes", size);
  if (at != NULL) {
    wire_frame wire = describe(&frame, &planes);
    at = put_frame_header(put_head(at, (uint32_t)(size - HEAD_SIZE), SAY_FRAME), &wire);
    for (uint32_t p = 0; p < planes.planes; p++) {
      copy_plane(at, &frame.plane[p], planes.row_bytes[p], planes.rows[p]);
      at += (size_t)planes.row_bytes[p] * planes.rows[p];
    }
    link_send(feeder, size, -1, 0);
  }
  pthread_mutex_unlock(&feeder->lock);
  return result;
}

msdk_result msdk_feeder_send_encoded(msdk_feeder *feeder, const msdk_encoded_frame *frame) {
  if (feeder == NULL || frame == NULL) return fail(MSDK_E_INVALID, "%s is NULL", feeder == NULL ? "feeder" : "frame");
  if (!MSDK_HAS(frame, msdk_encoded_frame, timestamp_ns)) {
    return fail(MSDK_E_INVALID, "frame.struct_size is %u; accepted: that of msdk_encoded_frame, %zu", frame->struct_size, sizeof *frame);
  }
  if (frame->codec != MSDK_CODEC_VP8) return fail(MSDK_E_UNSUPPORTED, "frame.codec is 0x%x; accepted: MSDK_CODEC_VP8", frame->codec);
  if (frame->orientation > 7) return fail(MSDK_E_INVALID, "frame.orientation is %u; accepted: 0..7", frame->orientation);
  if (frame->data == NULL || frame->size == 0 || frame->size > feeder->largest || frame->size > 16 << 20) {
    return fail(MSDK_E_RANGE, "frame.size is %llu; accepted: 1..%llu bytes", (unsigned long long)frame->size,
                (unsigned long long)(feeder->largest < 16 << 20 ? feeder->largest : 16 << 20));
  }
  bool has_color = MSDK_HAS(frame, msdk_encoded_frame, color_full_range);
  wire_frame wire = {
      .format = frame->codec, .width = frame->width, .height = frame->height, .flags = (frame->flags & MSDK_ENCODED_KEY) != 0,
      .orientation = frame->orientation, .color_matrix = has_color ? frame->color_matrix : 0,
      .color_full_range = has_color && frame->color_full_range == 1, .timestamp_ns = frame->timestamp_ns, .payload = frame->size};
  if (wire.timestamp_ns == 0) wire.timestamp_ns = now_ns();
  pthread_mutex_lock(&feeder->lock);
  msdk_result result = link_check(feeder);
  size_t size = HEAD_SIZE + FRAME_HEADER_SIZE + (size_t)frame->size;
  uint8_t *at = result >= 0 ? link_reserve(feeder, size) : NULL;
  if (result >= 0 && at == NULL) result = fail(MSDK_E_NOMEM, "no memory for a frame of %zu bytes", size);
  if (at != NULL) {
    at = put_frame_header(put_head(at, (uint32_t)(size - HEAD_SIZE), SAY_FRAME), &wire);
    memcpy(at, frame->data, (size_t)frame->size);
    link_send(feeder, size, -1, 0);
  }
  pthread_mutex_unlock(&feeder->lock);
  return result;
}
