#define _XOPEN_SOURCE 700
#include "filtering.h"

#include <stdlib.h>

static const msdk_class *class;

static uint32_t place(int64_t at, uint32_t count) { return at < 0 ? 0 : at >= (int64_t)count ? count - 1 : (uint32_t)at; }

/* A box along the rows and one along the columns, twice, each sum worked out anew. */
static void blurred(uint8_t *plane, uint32_t columns, uint32_t rows, uint32_t each, int radius) {
  uint32_t bytes = columns * each, box = (uint32_t)(2 * radius + 1);
  uint8_t *other = malloc((size_t)bytes * rows);
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t y = 0; y < rows; y++) {
      for (uint32_t x = 0; x < bytes; x++) {
        uint32_t sum = box / 2;
        for (int i = -radius; i <= radius; i++) sum += plane[y * bytes + place((int64_t)(x / each) + i, columns) * each + x % each];
        other[y * bytes + x] = (uint8_t)(sum / box);
      }
    }
    for (uint32_t y = 0; y < rows; y++) {
      for (uint32_t x = 0; x < bytes; x++) {
        uint32_t sum = box / 2;
        for (int i = -radius; i <= radius; i++) sum += other[place((int64_t)y + i, rows) * bytes + x];
        plane[y * bytes + x] = (uint8_t)(sum / box);
      }
    }
  }
  free(other);
}

static uint32_t wrong_bytes(const msdk_video_frame *out, const msdk_video_frame *source, uint32_t radius) {
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < source->plane_count; i++) {
    uint32_t bytes = host_row_bytes(source->format, i), rows = host_rows(source->format, i);
    uint32_t each = i > 0 && source->plane_count == 2 ? 2 : 1;
    uint8_t *plane = malloc((size_t)bytes * rows);
    for (uint32_t y = 0; y < rows; y++) memcpy(plane + y * bytes, source->plane[i].data + (ptrdiff_t)y * source->plane[i].stride, bytes);
    if (radius > 0) blurred(plane, bytes / each, rows, each, (int)(i == 0 ? radius : (radius + 1) / 2));
    for (uint32_t y = 0; y < rows; y++) {
      for (uint32_t x = 0; x < bytes; x++) wrong += plane[y * bytes + x] != out->plane[i].data[(ptrdiff_t)y * out->plane[i].stride + x];
    }
    free(plane);
  }
  return wrong;
}

static void every_format_size_and_radius(void) {
  static const uint32_t pixel_formats[] = {MSDK_PIXEL_NV12, MSDK_PIXEL_I420, MSDK_PIXEL_GRAY8};
  static const uint32_t sizes[][2] = {{32, 24}, {64, 48}, {33, 17}, {1, 1}, {1, 7}};
  static const uint32_t radii[] = {1, 2, 8, 128}; /* live, one after the other */
  for (int i = 0; i < 3; i++) {
    host_instance instance;
    host_create(&instance, class);
    CHECK_EQ(class->video_filter->init_filter(instance.self), MSDK_OK);
    for (int size = 0; size < 5; size++) {
      msdk_video_format format = host_format(pixel_formats[i], sizes[size][0], sizes[size][1]);
      CHECK_EQ(filtering_format(&instance, &format), MSDK_OK);
      for (int r = 0; r < 4; r++) {
        CHECK_EQ(host_set_u32(&instance, "radius", radii[r]), MSDK_OK);
        for (int writable = 0; writable < 2; writable++) {
          msdk_video_frame *in = host_frame(&instance, &format), *source = host_frame(&instance, &format);
          host_paint(in, (uint32_t)r);
          host_paint(source, (uint32_t)r);
          msdk_video_frame *out = filtering_pass(&instance, in, writable);
          CHECK_EQ(wrong_bytes(out, source, radii[r]), 0);
          if (!writable) {
            CHECK(host_same(in, source));
            host_unref(in);
          }
          host_unref(out);
          host_unref(source);
        }
      }
      filtering_starves(&instance, &format);
    }
    CHECK_EQ(class->video_filter->release_filter(instance.self), MSDK_OK);
    host_destroy(&instance);
  }
}

static void none_at_all_and_refusals(void) {
  host_instance instance;
  host_create(&instance, class);
  CHECK_EQ(class->video_filter->init_filter(instance.self), MSDK_OK);
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, 16, 16), rgb = host_format(MSDK_PIXEL_BGRA, 16, 16);
  CHECK_EQ(filtering_format(&instance, &rgb), MSDK_E_FORMAT);
  CHECK_EQ(filtering_format(&instance, &format), MSDK_OK);
  host_check_params(&instance);
  CHECK_EQ(host_set_u32(&instance, "radius", 129), MSDK_E_RANGE);
  CHECK_TEXT(instance.context.error_text, "129");
  CHECK_EQ(host_set_u32(&instance, "radius", 0), MSDK_OK);
  msdk_video_frame *in = host_frame(&instance, &format), *out = NULL;
  in->flags = 0; /* goes through without being copied */
  CHECK_EQ(class->video_filter->filter_video_frame(instance.self, in, &out), MSDK_OK);
  CHECK(out == in);
  host_unref(out);
  CHECK_EQ(class->video_filter->release_filter(instance.self), MSDK_OK);
  host_destroy(&instance);
}

int main(int argc, char **argv) {
  class = host_load(argc, argv, "blur.so", "org.mediasdk.filter.blur");
  every_format_size_and_radius();
  none_at_all_and_refusals();
  return check_done();
}
