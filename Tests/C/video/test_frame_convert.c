/* frame.h: conversion between all formats and sizes: colours, byte orders, matrices, ranges. */
#include "picture.h"

static msdk_video_frame *converted(const msdk_video_frame *frame, uint32_t pixel_format, uint32_t width, uint32_t height) {
  msdk_video_format wanted = MSDK_INIT(msdk_video_format);
  wanted.pixel_format = pixel_format;
  wanted.width = width;
  wanted.height = height;
  msdk_video_frame *out = NULL;
  CHECK_OK(msdk_video_frame_convert(frame, &wanted, &out));
  return out;
}

/* Where red, green, blue and alpha stand in a pixel; -1: no alpha. */
typedef struct byte_order {
  uint32_t pixel_format;
  int bytes, red, green, blue, alpha;
} byte_order;
static const byte_order orders[] = {
  {MSDK_PIXEL_RGBA, 4, 0, 1, 2, 3}, {MSDK_PIXEL_BGRA, 4, 2, 1, 0, 3},  {MSDK_PIXEL_ARGB, 4, 1, 2, 3, 0},
  {MSDK_PIXEL_ABGR, 4, 3, 2, 1, 0}, {MSDK_PIXEL_RGB24, 3, 0, 1, 2, -1}, {MSDK_PIXEL_BGR24, 3, 2, 1, 0, -1},
};
enum { ORDERS = sizeof orders / sizeof orders[0] };

static msdk_video_frame *rgb_flat(const byte_order *order, uint32_t width, uint32_t height, int red, int green, int blue) {
  msdk_video_frame *frame = picture_new(order->pixel_format, width, height, 0);
  for (uint32_t y = 0; frame != NULL && y < height; y++) {
    for (uint32_t x = 0; x < width; x++) {
      uint8_t *pixel = row_of(frame, 0, y) + x * (uint32_t)order->bytes;
      pixel[order->red] = (uint8_t)red;
      pixel[order->green] = (uint8_t)green;
      pixel[order->blue] = (uint8_t)blue;
      if (order->alpha >= 0) pixel[order->alpha] = 255;
    }
  }
  return frame;
}

static msdk_video_frame *yuv_flat(uint32_t pixel_format, uint32_t width, uint32_t height, uint32_t matrix, uint32_t full, int y, int u,
                                  int v) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = pixel_format;
  format.width = width;
  format.height = height;
  format.color_matrix = matrix;
  format.color_full_range = full;
  msdk_video_frame *frame = NULL;
  CHECK_OK(msdk_video_frame_create(&format, &frame));
  if (frame == NULL) return NULL;
  for (uint32_t plane = 0; plane < frame->plane_count; plane++) {
    for (uint32_t row = 0; row < rows_of(pixel_format, plane, height); row++) {
      uint8_t *at = row_of(frame, plane, row);
      for (uint32_t x = 0; x < row_bytes_of(pixel_format, plane, width); x++) {
        int chroma = pixel_format == MSDK_PIXEL_NV12 ? (x % 2 == 0 ? u : v) : (plane == 1 ? u : v);
        at[x] = (uint8_t)(plane == 0 ? y : chroma);
      }
    }
  }
  return frame;
}

static void rgb_byte_orders(void) {
  for (int from = 0; from < ORDERS; from++) {
    for (int to = 0; to < ORDERS; to++) {
      msdk_video_frame *source = rgb_flat(&orders[from], 5, 3, 10, 100, 200);
      msdk_video_frame *result = converted(source, orders[to].pixel_format, 0, 0);
      NEED(result != NULL);
      const uint8_t *pixel = row_of(result, 0, 2) + 4 * orders[to].bytes;
      int ok = CHECK_EQ(pixel[orders[to].red], 10) & CHECK_EQ(pixel[orders[to].green], 100) & CHECK_EQ(pixel[orders[to].blue], 200);
      if (orders[to].alpha >= 0) ok &= CHECK_EQ(pixel[orders[to].alpha], 255);
      if (!ok) fprintf(stderr, "  from %08X to %08X\n", orders[from].pixel_format, orders[to].pixel_format);
      msdk_video_frame_unref(source);
      msdk_video_frame_unref(result);
    }
  }
}

static void check_pixel(const char *what, msdk_video_frame *source, int red, int green, int blue, int tolerance) {
  for (int i = 0; i < ORDERS; i++) {
    msdk_video_frame *result = converted(source, orders[i].pixel_format, 0, 0);
    NEED(result != NULL);
    const uint8_t *pixel = row_of(result, 0, 1) + 2 * orders[i].bytes;
    int ok = CHECK_RANGE(pixel[orders[i].red], red - tolerance, red + tolerance) &
             CHECK_RANGE(pixel[orders[i].green], green - tolerance, green + tolerance) &
             CHECK_RANGE(pixel[orders[i].blue], blue - tolerance, blue + tolerance);
    if (orders[i].alpha >= 0) ok &= CHECK_EQ(pixel[orders[i].alpha], 255);
    if (!ok) fprintf(stderr, "  %s to %08X\n", what, orders[i].pixel_format);
    msdk_video_frame_unref(result);
  }
  msdk_video_frame_unref(source);
}

static void yuv_to_rgb_knows_matrix_and_range(void) {
  for (int i = 0; i < 2; i++) {
    uint32_t yuv = i == 0 ? MSDK_PIXEL_I420 : MSDK_PIXEL_NV12;
    check_pixel("white", yuv_flat(yuv, 7, 5, 0, 0, 235, 128, 128), 255, 255, 255, 1);
    check_pixel("black", yuv_flat(yuv, 7, 5, 0, 0, 16, 128, 128), 0, 0, 0, 1);
    check_pixel("grey", yuv_flat(yuv, 7, 5, 0, 0, 126, 128, 128), 128, 128, 128, 2);
    check_pixel("red, BT.601", yuv_flat(yuv, 7, 5, MSDK_MATRIX_SMPTE170M, 0, 81, 90, 240), 255, 0, 0, 3);
    check_pixel("red, BT.601", yuv_flat(yuv, 7, 5, MSDK_MATRIX_BT470BG, 0, 81, 90, 240), 255, 0, 0, 3);
    check_pixel("red, unspecified", yuv_flat(yuv, 7, 5, MSDK_COLOR_UNSPECIFIED, 0, 81, 90, 240), 255, 0, 0, 3);
    check_pixel("red, BT.709", yuv_flat(yuv, 7, 5, MSDK_MATRIX_BT709, 0, 63, 102, 240), 255, 0, 0, 3);
    check_pixel("green, BT.709", yuv_flat(yuv, 7, 5, MSDK_MATRIX_BT709, 0, 173, 42, 26), 0, 255, 0, 4);
    check_pixel("red, BT.2020", yuv_flat(yuv, 7, 5, MSDK_MATRIX_BT2020_NCL, 0, 74, 97, 240), 255, 0, 0, 4);
    check_pixel("full range white", yuv_flat(yuv, 7, 5, 0, 1, 255, 128, 128), 255, 255, 255, 1);
    check_pixel("full range grey", yuv_flat(yuv, 7, 5, 0, 1, 128, 128, 128), 128, 128, 128, 1);
    check_pixel("full range red, BT.601", yuv_flat(yuv, 7, 5, MSDK_MATRIX_SMPTE170M, 1, 76, 85, 255), 255, 0, 0, 3);
  }
}

static void rgb_to_yuv_is_bt601_limited(void) {
  for (int i = 0; i < ORDERS; i++) {
    for (int kind = 0; kind < 2; kind++) {
      msdk_video_frame *source = rgb_flat(&orders[i], 7, 5, 255, 0, 0);
      msdk_video_frame *result = converted(source, kind == 0 ? MSDK_PIXEL_I420 : MSDK_PIXEL_NV12, 0, 0);
      NEED(result != NULL);
      CHECK_RANGE(row_of(result, 0, 4)[6], 80, 83);
      int u = kind == 0 ? row_of(result, 1, 2)[3] : row_of(result, 1, 2)[6];
      int v = kind == 0 ? row_of(result, 2, 2)[3] : row_of(result, 1, 2)[7];
      CHECK_RANGE(u, 88, 92);
      CHECK_RANGE(v, 238, 241);
      CHECK_EQ(result->format->color_full_range, 0);
      CHECK(result->format->color_matrix == MSDK_MATRIX_SMPTE170M || result->format->color_matrix == MSDK_MATRIX_BT470BG);
      msdk_video_frame_unref(source);
      msdk_video_frame_unref(result);
    }
    msdk_video_frame *white = rgb_flat(&orders[i], 3, 3, 255, 255, 255);
    msdk_video_frame *grey = converted(white, MSDK_PIXEL_GRAY8, 0, 0);
    NEED(grey != NULL);
    CHECK_RANGE(row_of(grey, 0, 2)[2], 254, 255);
    CHECK_EQ(grey->format->color_full_range, 1);
    msdk_video_frame_unref(white);
    msdk_video_frame_unref(grey);
    msdk_video_frame *red = rgb_flat(&orders[i], 3, 3, 255, 0, 0);
    grey = converted(red, MSDK_PIXEL_GRAY8, 0, 0);
    NEED(grey != NULL);
    CHECK_RANGE(row_of(grey, 0, 0)[0], 75, 78);
    msdk_video_frame_unref(red);
    msdk_video_frame_unref(grey);
  }
}

static void yuv_to_yuv_loses_nothing(void) {
  static const uint32_t sizes[][2] = {{64, 48}, {63, 47}, {1, 1}, {2, 1}, {1, 2}, {640, 360}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    msdk_video_frame *nv12 = picture_new(MSDK_PIXEL_NV12, sizes[i][0], sizes[i][1], (uint32_t)i);
    msdk_video_frame *i420 = converted(nv12, MSDK_PIXEL_I420, 0, 0);
    msdk_video_frame *back = converted(i420, MSDK_PIXEL_NV12, 0, 0);
    NEED(back != NULL);
    CHECK(picture_hash(HASH_START, nv12) == picture_hash(HASH_START, back));
    msdk_video_frame_unref(nv12);
    msdk_video_frame_unref(i420);
    msdk_video_frame_unref(back);
  }
}

static void every_pair_of_formats_at_odd_sizes(void) {
  static const uint32_t sizes[][2] = {{1, 1}, {3, 5}, {17, 9}, {2, 16}};
  for (int from = 0; from < PIXEL_FORMATS; from++) {
    for (int to = 0; to < PIXEL_FORMATS; to++) {
      for (int size = 0; size < 4; size++) {
        for (int target = 0; target < 4; target++) {
          msdk_video_frame *source = picture_new(pixel_formats[from], sizes[size][0], sizes[size][1], 0);
          NEED(source != NULL);
          picture_fill(source, 128); /* grey everywhere, whatever the format; limited range luma 128 is RGB 130 */
          msdk_video_frame *result = converted(source, pixel_formats[to], sizes[target][0], sizes[target][1]);
          NEED(result != NULL);
          CHECK_EQ(result->format->width, sizes[target][0]);
          CHECK_EQ(result->format->height, sizes[target][1]);
          CHECK_EQ(result->format->pixel_format, pixel_formats[to]);
          uint32_t last = row_bytes_of(pixel_formats[to], 0, sizes[target][0]);
          const uint8_t *row = row_of(result, 0, sizes[target][1] - 1);
          for (uint32_t x = 0; x < last; x++) {
            if (row[x] == 255 && row_bytes_of(pixel_formats[to], 0, 1) == 4) continue; /* alpha */
            if (row[x] < 122 || row[x] > 134) {
              CHECK_RANGE(row[x], 122, 134);
              fprintf(stderr, "  from %08X %ux%u to %08X %ux%u, byte %u\n", pixel_formats[from], sizes[size][0], sizes[size][1],
                      pixel_formats[to], sizes[target][0], sizes[target][1], x);
              break;
            }
          }
          msdk_video_frame_unref(source);
          msdk_video_frame_unref(result);
        }
      }
    }
  }
}

static void scaling_keeps_the_picture(void) {
  msdk_video_frame *source = picture_new(MSDK_PIXEL_NV12, 321, 241, 3);
  msdk_video_frame *doubled = converted(source, 0, 642, 482);
  msdk_video_frame *back = converted(doubled, MSDK_PIXEL_NV12, 321, 241);
  NEED(back != NULL);
  CHECK_RANGE(picture_psnr(source, back), 28, 100);
  msdk_video_frame *small = converted(source, MSDK_PIXEL_NV12, 80, 60);
  NEED(small != NULL);
  double mean_source = 0, mean_small = 0;
  for (uint32_t y = 0; y < 241; y++) {
    for (uint32_t x = 0; x < 321; x++) mean_source += row_of(source, 0, y)[x];
  }
  for (uint32_t y = 0; y < 60; y++) {
    for (uint32_t x = 0; x < 80; x++) mean_small += row_of(small, 0, y)[x];
  }
  CHECK_RANGE(mean_small / (80 * 60) - mean_source / (321 * 241), -1.5, 1.5);
  msdk_video_frame_unref(source);
  msdk_video_frame_unref(doubled);
  msdk_video_frame_unref(back);
  msdk_video_frame_unref(small);
}

static void what_belongs_to_the_frame_is_copied(void) {
  msdk_video_frame *source = picture_new(MSDK_PIXEL_NV12, 32, 32, 0);
  NEED(source != NULL);
  source->timestamp_ns = 123456789;
  source->orientation = MSDK_ROTATE_180 | MSDK_MIRROR;
  msdk_video_frame *result = converted(source, MSDK_PIXEL_BGRA, 16, 8);
  NEED(result != NULL);
  CHECK_EQ(result->timestamp_ns, 123456789);
  CHECK_EQ(result->orientation, MSDK_ROTATE_180 | MSDK_MIRROR);
  CHECK_EQ(result->sequence, source->sequence);
  CHECK_EQ(video_references(result), 1);
  CHECK(result->flags & MSDK_FRAME_WRITABLE);
  msdk_video_frame_unref(source);
  msdk_video_frame_unref(result);
}

static void converting_into_a_frame(void) {
  msdk_video_frame *source = picture_new(MSDK_PIXEL_I420, 32, 32, 5);
  msdk_video_frame *into = picture_new(MSDK_PIXEL_NV12, 32, 32, 0);
  CHECK_OK(msdk_video_frame_convert_into(source, into));
  msdk_video_frame *direct = converted(source, MSDK_PIXEL_NV12, 0, 0);
  NEED(direct != NULL);
  CHECK(picture_hash(HASH_START, into) == picture_hash(HASH_START, direct));
  CHECK_RESULT(msdk_video_frame_convert_into(source, NULL), MSDK_E_HANDLE);
  CHECK_RESULT(msdk_video_frame_convert_into(NULL, into), MSDK_E_HANDLE);
  CHECK_OK(msdk_video_frame_ref(into)); /* a second holder: not writable any more */
  CHECK(msdk_video_frame_convert_into(source, into) < 0);
  msdk_video_frame_unref(into);
  msdk_video_frame_unref(source);
  msdk_video_frame_unref(into);
  msdk_video_frame_unref(direct);
}

static void refused_wishes(void) {
  msdk_video_frame *source = picture_new(MSDK_PIXEL_NV12, 32, 32, 5), *out = NULL;
  msdk_video_format wanted = MSDK_INIT(msdk_video_format);
  CHECK_RESULT(msdk_video_frame_convert(NULL, &wanted, &out), MSDK_E_HANDLE);
  CHECK_ERROR(msdk_video_frame_convert(source, NULL, &out), MSDK_E_INVALID, "wanted");
  CHECK_ERROR(msdk_video_frame_convert(source, &wanted, NULL), MSDK_E_INVALID, "out");
  wanted.pixel_format = 99;
  CHECK_ERROR(msdk_video_frame_convert(source, &wanted, &out), MSDK_E_UNSUPPORTED, "pixel");
  wanted = MSDK_INIT(msdk_video_format);
  wanted.width = 16385;
  CHECK_ERROR(msdk_video_frame_convert(source, &wanted, &out), MSDK_E_RANGE, "width");
  msdk_video_frame *rgba = rgb_flat(&orders[0], 8, 8, 1, 2, 3);
  wanted = MSDK_INIT(msdk_video_format);
  wanted.pixel_format = MSDK_PIXEL_NV12;
  wanted.color_matrix = MSDK_MATRIX_BT709;
  CHECK_ERROR(msdk_video_frame_convert(rgba, &wanted, &out), MSDK_E_UNSUPPORTED, "color");
  wanted.color_matrix = 0;
  wanted.color_full_range = 1;
  CHECK_ERROR(msdk_video_frame_convert(rgba, &wanted, &out), MSDK_E_UNSUPPORTED, "color");
  CHECK(out == NULL);
  msdk_video_frame_unref(rgba);
  msdk_video_frame_unref(source);
}

int main(int argc, char **argv) {
  RUN(rgb_byte_orders);
  RUN(yuv_to_rgb_knows_matrix_and_range);
  RUN(rgb_to_yuv_is_bt601_limited);
  RUN(yuv_to_yuv_loses_nothing);
  RUN(every_pair_of_formats_at_odd_sizes);
  RUN(scaling_keeps_the_picture);
  RUN(what_belongs_to_the_frame_is_copied);
  RUN(converting_into_a_frame);
  RUN(refused_wishes);
  return check_finish();
}
