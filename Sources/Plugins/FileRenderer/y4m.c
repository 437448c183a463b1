/* YUV4MPEG2: a line of text, then for each frame the line FRAME and its planes without padding. */
#include "writer.h"

#include <stdio.h>
#include <string.h>

enum { FPS_UNKNOWN = 30 };

static bool is_mono(const msdk_video_format *format) { return format->pixel_format == MSDK_PIXEL_GRAY8; }

static bool y4m_accepts(const fr_writer *writer, const msdk_video_format *format) {
  if (writer->frames > 0 && is_mono(format) != is_mono(&writer->format)) return false;
  return format->pixel_format == MSDK_PIXEL_I420 || format->pixel_format == MSDK_PIXEL_NV12 || is_mono(format);
}

static msdk_result check_fit(const fr_writer *writer, const msdk_video_format *format) {
  const msdk_video_format *first = &writer->format;
  if (format->width != first->width || format->height != first->height) {
    return report_fail(&writer->output.report, MSDK_E_FORMAT, "frame %llu is %ux%u; the Y4M file has %ux%u, and its size cannot change",
                   (unsigned long long)writer->frames + 1, format->width, format->height, first->width, first->height);
  }
  if ((format->color_full_range == 1) != (first->color_full_range == 1)) {
    return report_fail(&writer->output.report, MSDK_E_FORMAT, "frame %llu changes the colour range, which cannot change in a Y4M file",
                   (unsigned long long)writer->frames + 1);
  }
  return MSDK_OK;
}

/* The header and "FRAME\n" are put in front of the first frame, so that a file has both or neither. */
static size_t put_header(const msdk_video_format *format, char *to, size_t room) {
  uint32_t num = format->fps_num, den = format->fps_den;
  if (num == 0 || den == 0) num = FPS_UNKNOWN, den = 1;
  int length = snprintf(to, room, "YUV4MPEG2 W%u H%u F%u:%u Ip A1:1 %s XCOLORRANGE=%s\n", format->width, format->height, num, den,
                        is_mono(format) ? "Cmono" : "C420jpeg", format->color_full_range == 1 ? "FULL" : "LIMITED");
  return length > 0 ? (size_t)length : 0;
}

static uint8_t *put_rows(uint8_t *to, const msdk_plane *plane, uint32_t bytes, uint32_t rows) {
  for (uint32_t row = 0; row < rows; row++) {
    memcpy(to, plane->data + (ptrdiff_t)row * plane->stride, bytes);
    to += bytes;
  }
  return to;
}

/* One of the two components that NV12 interleaves. */
static uint8_t *put_every_second(uint8_t *restrict to, const msdk_plane *plane, uint32_t component, uint32_t pairs, uint32_t rows) {
  for (uint32_t row = 0; row < rows; row++) {
    const uint8_t *restrict from = plane->data + (ptrdiff_t)row * plane->stride + component;
    for (uint32_t i = 0; i < pairs; i++) to[i] = from[2 * (size_t)i];
    to += pairs;
  }
  return to;
}

static msdk_result y4m_picture(fr_writer *writer, const msdk_video_frame *frame) {
  const msdk_video_format *format = frame->format;
  msdk_result result = writer->frames > 0 ? check_fit(writer, format) : MSDK_OK;
  if (result < 0) return result;

  char header[160];
  size_t header_size = writer->frames == 0 ? put_header(format, header, sizeof header) : 0;
  uint32_t half_width = (format->width + 1) / 2, half_height = (format->height + 1) / 2;
  uint64_t size = header_size + 6 + (uint64_t)format->width * format->height + 2 * (uint64_t)half_width * half_height;
  result = fr_reserve(writer, size);
  if (result < 0) return result;

  uint8_t *at = writer->buffer;
  memcpy(at, header, header_size);
  at += header_size;
  memcpy(at, "FRAME\n", 6);
  at = put_rows(at + 6, &frame->plane[0], format->width, format->height);
  if (format->pixel_format == MSDK_PIXEL_I420) {
    at = put_rows(at, &frame->plane[1], half_width, half_height);
    at = put_rows(at, &frame->plane[2], half_width, half_height);
  } else if (format->pixel_format == MSDK_PIXEL_NV12) {
    at = put_every_second(at, &frame->plane[1], 0, half_width, half_height);
    at = put_every_second(at, &frame->plane[1], 1, half_width, half_height);
  }
  result = fr_output_append(&writer->output, writer->buffer, (uint64_t)(at - writer->buffer));
  if (result == MSDK_OK && writer->frames == 0) writer->format = *format;
  return result;
}

const fr_kind fr_y4m = {.name = "y4m", .accepts = y4m_accepts, .picture = y4m_picture};
