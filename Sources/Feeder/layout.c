#include "self.h"

static uint32_t half(uint32_t value) { return value / 2 + value % 2; }

msdk_result layout_of(uint32_t pixel_format, uint32_t width, uint32_t height, uint32_t alignment, layout *out) {
  if (width < 1 || width > MSDK_DIMENSION_MAX || height < 1 || height > MSDK_DIMENSION_MAX) {
    return fail(MSDK_E_RANGE, "the frame is %ux%u; accepted: width and height 1..%d", width, height, MSDK_DIMENSION_MAX);
  }
  layout made = {.planes = 1, .row_bytes = {width}, .rows = {height}};
  switch (pixel_format) {
    case MSDK_PIXEL_I420:
      made.planes = 3;
      made.row_bytes[1] = made.row_bytes[2] = half(width);
      made.rows[1] = made.rows[2] = half(height);
      break;
    case MSDK_PIXEL_NV12:
      made.planes = 2;
      made.row_bytes[1] = 2 * half(width);
      made.rows[1] = half(height);
      break;
    case MSDK_PIXEL_BGRA:
    case MSDK_PIXEL_RGBA:
    case MSDK_PIXEL_ARGB:
    case MSDK_PIXEL_ABGR: made.row_bytes[0] = 4 * width; break;
    case MSDK_PIXEL_BGR24:
    case MSDK_PIXEL_RGB24: made.row_bytes[0] = 3 * width; break;
    case MSDK_PIXEL_GRAY8: break;
    default: return fail(MSDK_E_UNSUPPORTED, "pixel_format is 0x%x; accepted: MSDK_PIXEL_* of types.h", pixel_format);
  }
  for (uint32_t p = 0; p < made.planes; p++) {
    made.stride[p] = (made.row_bytes[p] + alignment - 1) / alignment * alignment;
    made.size += (uint64_t)made.stride[p] * made.rows[p];
  }
  *out = made;
  return MSDK_OK;
}

wire_frame describe(const msdk_feeder_frame *frame, const layout *planes) {
  wire_frame wire = {
      .format = frame->pixel_format, .width = frame->width, .height = frame->height, .orientation = frame->orientation,
      .planes = planes->planes, .color_matrix = frame->color_matrix, .color_full_range = frame->color_full_range,
      .timestamp_ns = frame->timestamp_ns != 0 ? frame->timestamp_ns : now_ns(), .payload = planes->size};
  for (int p = 0; p < MSDK_PLANES_MAX; p++) wire.stride[p] = planes->stride[p];
  return wire;
}
