#define _XOPEN_SOURCE 700
#include "filtering.h"

static const msdk_class *class;
static const uint32_t pixel_formats[] = {MSDK_PIXEL_NV12, MSDK_PIXEL_I420, MSDK_PIXEL_GRAY8};
static const uint32_t sizes[][2] = {{64, 48}, {33, 17}, {1, 1}, {2, 1}};

static uint8_t at(const msdk_video_frame *frame, uint32_t plane, uint32_t row, uint32_t x) {
  return frame->plane[plane].data[(ptrdiff_t)row * frame->plane[plane].stride + x];
}

static void check_picture(const msdk_video_frame *out, const msdk_video_frame *source, int threshold, int level) {
  uint32_t wrong = 0;
  int full = source->format->color_full_range == 1 || source->format->pixel_format == MSDK_PIXEL_GRAY8;
  for (uint32_t y = 0; y < source->format->height; y++) {
    for (uint32_t x = 0; x < source->format->width; x++) {
      double luma = at(source, 0, y, x), grey = full ? luma : (luma - 16) * 255 / 219;
      int white = (grey < 0 ? 0 : grey > 255 ? 255 : (int)(grey + 0.5)) >= level;
      wrong += at(out, 0, y, x) != (!threshold ? (int)luma : white ? (full ? 255 : 235) : full ? 0 : 16);
    }
  }
  for (uint32_t plane = 1; plane < out->plane_count; plane++) {
    for (uint32_t y = 0; y < host_rows(out->format, plane); y++) {
      for (uint32_t x = 0; x < host_row_bytes(out->format, plane); x++) wrong += at(out, plane, y, x) != 128;
    }
  }
  CHECK_EQ(wrong, 0);
}

static void every_format_and_size(void) {
  for (size_t i = 0; i < 3 * 4 * 2 * 2 * 2; i++) {
    uint32_t threshold = i % 2, full = i / 2 % 2, writable = i / 4 % 2;
    const uint32_t *size = sizes[i / 8 % 4];
    msdk_video_format format = host_format(pixel_formats[i / 32], size[0], size[1]);
    format.color_full_range = full;
    host_instance instance;
    host_create(&instance, class);
    CHECK_EQ(class->video_filter->init_filter(instance.self), MSDK_OK);
    CHECK_EQ(filtering_format(&instance, &format), MSDK_OK);
    CHECK_EQ(host_set_string(&instance, "mode", threshold ? "threshold" : "gray"), MSDK_OK);
    CHECK_EQ(host_set_u32(&instance, "level", 100), MSDK_OK);
    msdk_video_frame *in = host_frame(&instance, &format), *source = host_frame(&instance, &format);
    host_paint(in, 3);
    host_paint(source, 3);
    msdk_video_frame *out = filtering_pass(&instance, in, (int)writable);
    check_picture(out, source, (int)threshold, 100);
    if (!writable) {
      CHECK(host_same(in, source)); /* left alone */
      host_unref(in);
    }
    host_unref(out);
    host_unref(source);
    filtering_starves(&instance, &format);
    CHECK_EQ(class->video_filter->release_filter(instance.self), MSDK_OK);
    host_destroy(&instance);
  }
}

static void other_formats_are_refused(void) {
  host_instance instance;
  host_create(&instance, class);
  CHECK_EQ(class->video_filter->init_filter(instance.self), MSDK_OK);
  msdk_video_format format = host_format(MSDK_PIXEL_BGRA, 8, 8);
  CHECK_EQ(filtering_format(&instance, &format), MSDK_E_FORMAT);
  CHECK_TEXT(instance.context.error_text, "NV12");
  CHECK_EQ(class->video_filter->release_filter(instance.self), MSDK_OK);
  host_destroy(&instance);
}

int main(int argc, char **argv) {
  class = host_load(argc, argv, "bw.so", "org.mediasdk.filter.bw");
  CHECK_EQ(class->kinds, MSDK_KIND_VIDEO_FILTER);
  every_format_and_size();
  other_formats_are_refused();
  return check_done();
}
