#include "self.h"

#include <string.h>

msdk_result take_frame(const msdk_feeder_frame *given, msdk_feeder_frame *frame) {
  msdk_result result = take_struct(given, frame, sizeof *frame, 24, "frame");
  for (int p = 0; p < MSDK_PLANES_MAX && result >= 0; p++) {
    if (frame->plane[p].reserved0 == 0 && frame->plane[p].reserved1 == 0) continue;
    return fail(MSDK_E_UNSUPPORTED, "frame.plane[%d].reserved0 or reserved1 is not 0; accepted: 0", p);
  }
  return result >= 0 ? check_choices(frame->orientation, frame->color_full_range) : result;
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
  msdk_result result = take_frame(given, &frame);
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

static msdk_result take_encoded(const msdk_encoded_frame *given, msdk_encoded_frame *frame) {
  msdk_result result = take_struct(given, frame, sizeof *frame, offsetof(msdk_encoded_frame, duration_ns), "frame");
  if (result < 0) return result;
  if (frame->codec != MSDK_CODEC_VP8) return fail(MSDK_E_UNSUPPORTED, "frame.codec is 0x%x; accepted: MSDK_CODEC_VP8", frame->codec);
  const uint32_t flags = MSDK_ENCODED_KEY | MSDK_ENCODED_DISCONTINUITY | MSDK_ENCODED_DROPPABLE | MSDK_ENCODED_COARSE;
  if ((frame->flags & ~flags) != 0) {
    return fail(MSDK_E_UNSUPPORTED, "frame.flags is %u; accepted: a sum of MSDK_ENCODED_*, 0..%u", frame->flags, flags);
  }
  if (frame->reserved0 != 0) return fail(MSDK_E_UNSUPPORTED, "frame.reserved0 is %u; accepted: 0, as it is reserved", frame->reserved0);
  return check_choices(frame->orientation, frame->color_full_range);
}

msdk_result msdk_feeder_send_encoded(msdk_feeder *feeder, const msdk_encoded_frame *given) {
  if (feeder == NULL) return fail(MSDK_E_INVALID, "feeder is NULL");
  msdk_encoded_frame taken, *frame = &taken;
  msdk_result result = take_encoded(given, frame);
  if (result < 0) return result;
  if (frame->data == NULL || frame->size == 0 || frame->size > feeder->largest || frame->size > 16 << 20) {
    return fail(MSDK_E_RANGE, "frame.size is %llu; accepted: 1..%llu bytes", (unsigned long long)frame->size,
                (unsigned long long)(feeder->largest < 16 << 20 ? feeder->largest : 16 << 20));
  }
  wire_frame wire = {
      .format = frame->codec, .width = frame->width, .height = frame->height, .flags = (frame->flags & MSDK_ENCODED_KEY) != 0,
      .orientation = frame->orientation, .color_matrix = frame->color_matrix,
      .color_full_range = frame->color_full_range, .timestamp_ns = frame->timestamp_ns, .payload = frame->size};
  if (wire.timestamp_ns == 0) wire.timestamp_ns = now_ns();
  pthread_mutex_lock(&feeder->lock);
  result = link_check(feeder);
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
