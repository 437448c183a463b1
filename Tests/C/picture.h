/* Pictures for tests: what a format's rows are, drawing, comparing. Written without the library's layout function, so as to check it. */
#ifndef PICTURE_H
#define PICTURE_H

#include "check.h"
#include "random.h"

#include <math.h>

static const uint32_t pixel_formats[] = {MSDK_PIXEL_I420, MSDK_PIXEL_NV12, MSDK_PIXEL_RGBA,  MSDK_PIXEL_BGRA, MSDK_PIXEL_ARGB,
                                         MSDK_PIXEL_ABGR, MSDK_PIXEL_RGB24, MSDK_PIXEL_BGR24, MSDK_PIXEL_GRAY8};
enum { PIXEL_FORMATS = sizeof pixel_formats / sizeof pixel_formats[0] };

static inline int is_yuv(uint32_t pixel_format) { return pixel_format == MSDK_PIXEL_I420 || pixel_format == MSDK_PIXEL_NV12; }

static inline uint32_t planes_of(uint32_t pixel_format) {
  return pixel_format == MSDK_PIXEL_I420 ? 3 : pixel_format == MSDK_PIXEL_NV12 ? 2 : 1;
}

static inline uint32_t row_bytes_of(uint32_t pixel_format, uint32_t plane, uint32_t width) {
  switch (pixel_format) {
  case MSDK_PIXEL_I420: return plane == 0 ? width : (width + 1) / 2;
  case MSDK_PIXEL_NV12: return plane == 0 ? width : (width + 1) / 2 * 2;
  case MSDK_PIXEL_RGB24:
  case MSDK_PIXEL_BGR24: return width * 3;
  case MSDK_PIXEL_GRAY8: return width;
  default: return width * 4;
  }
}

static inline uint32_t rows_of(uint32_t pixel_format, uint32_t plane, uint32_t height) {
  return is_yuv(pixel_format) && plane > 0 ? (height + 1) / 2 : height;
}

static inline uint8_t *row_of(const msdk_video_frame *frame, uint32_t plane, uint32_t row) {
  return frame->plane[plane].data + (int64_t)frame->plane[plane].stride * row;
}

/* Every byte that carries pixels set to one value. */
static inline void picture_fill(msdk_video_frame *frame, int value) {
  const msdk_video_format *format = frame->format;
  for (uint32_t plane = 0; plane < frame->plane_count; plane++) {
    for (uint32_t row = 0; row < rows_of(format->pixel_format, plane, format->height); row++) {
      memset(row_of(frame, plane, row), value, row_bytes_of(format->pixel_format, plane, format->width));
    }
  }
}

/* Picture number `index` of a film: a gradient, a texture that stays and a box that moves; chroma that changes slowly. */
static inline void picture_draw(msdk_video_frame *frame, uint32_t index) {
  const msdk_video_format *format = frame->format;
  uint32_t width = format->width, height = format->height;
  uint32_t box_x = index * 5 % (width > 40 ? width - 39 : 1), box_y = index * 3 % (height > 40 ? height - 39 : 1);
  for (uint32_t y = 0; y < height; y++) {
    uint8_t *row = row_of(frame, 0, y);
    uint32_t bytes = row_bytes_of(format->pixel_format, 0, width), each = bytes / width;
    for (uint32_t i = 0; i < bytes; i++) {
      uint32_t x = i / each;
      uint32_t value = 40 + (x * 80 / width) + (y * 60 / height) + ((x / 8 * 7 + y / 8 * 13) % 5) * 8;
      if (x - box_x < 40 && y - box_y < 40) value = 210 - (x - box_x + y - box_y) / 2;
      row[i] = (uint8_t)value;
    }
  }
  for (uint32_t plane = 1; plane < frame->plane_count; plane++) {
    for (uint32_t y = 0; y < rows_of(format->pixel_format, plane, height); y++) {
      uint8_t *row = row_of(frame, plane, y);
      for (uint32_t x = 0; x < row_bytes_of(format->pixel_format, plane, width); x++) row[x] = (uint8_t)(108 + (y + index) / 4 % 32);
    }
  }
}

/* Noise that no encoder likes, moved by some pixels from picture to picture: needs bits. */
static inline void picture_draw_noise(msdk_video_frame *frame, uint32_t index) {
  picture_draw(frame, index);
  const msdk_video_format *format = frame->format;
  for (uint32_t y = 0; y < format->height; y++) {
    uint64_t seed = y * 7919u + index * 104729u;
    uint8_t *row = row_of(frame, 0, y);
    for (uint32_t x = 0; x < format->width; x += 8) {
      uint64_t bits = random_next(&seed);
      for (uint32_t i = 0; i < 8 && x + i < format->width; i++) row[x + i] = (uint8_t)(row[x + i] + (bits >> (8 * i) & 31));
    }
  }
}

static inline uint64_t hash_bytes(uint64_t hash, const void *data, uint64_t size) { /* FNV-1a */
  const uint8_t *bytes = data;
  for (uint64_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001B3u;
  return hash;
}
#define HASH_START UINT64_C(0xCBF29CE484222325)

/* Of the pixels, not of the padding. */
static inline uint64_t picture_hash(uint64_t hash, const msdk_video_frame *frame) {
  const msdk_video_format *format = frame->format;
  for (uint32_t plane = 0; plane < frame->plane_count; plane++) {
    for (uint32_t row = 0; row < rows_of(format->pixel_format, plane, format->height); row++) {
      hash = hash_bytes(hash, row_of(frame, plane, row), row_bytes_of(format->pixel_format, plane, format->width));
    }
  }
  return hash;
}

/* Of the luma, in dB; 100 for equal pictures, 0 for those of different sizes. */
static inline double picture_psnr(const msdk_video_frame *a, const msdk_video_frame *b) {
  if (a->format->width != b->format->width || a->format->height != b->format->height) return 0;
  uint64_t sum = 0;
  for (uint32_t y = 0; y < a->format->height; y++) {
    const uint8_t *row_a = row_of(a, 0, y), *row_b = row_of(b, 0, y);
    for (uint32_t x = 0; x < a->format->width; x++) {
      int difference = row_a[x] - row_b[x];
      sum += (uint64_t)(difference * difference);
    }
  }
  if (sum == 0) return 100;
  double mean = (double)sum / ((double)a->format->width * a->format->height);
  return 10 * log10(255.0 * 255.0 / mean);
}

static inline msdk_video_frame *picture_new(uint32_t pixel_format, uint32_t width, uint32_t height, uint32_t index) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = pixel_format;
  format.width = width;
  format.height = height;
  msdk_video_frame *frame = NULL;
  if (CHECK_OK(msdk_video_frame_create(&format, &frame)) && frame != NULL) picture_draw(frame, index);
  return frame;
}

#endif
