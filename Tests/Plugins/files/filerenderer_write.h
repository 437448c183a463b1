/* Writes files with the plugin `filerenderer`, and plays them with `fileproducer`. */
#ifndef TESTS_FILERENDERER_WRITE_H
#define TESTS_FILERENDERER_WRITE_H

#include "files.h"
#include "host.h"

static const msdk_class *class, *file_producer_class;
static const msdk_video_renderer *renderer;

static inline void load_renderer(int argc, char **argv) {
  class = host_load(argc, argv, "filerenderer.so", "org.mediasdk.renderer.file");
  file_producer_class = host_load(argc, argv, "fileproducer.so", "org.mediasdk.producer.file");
  renderer = class->video_renderer;
}

static inline void open_file(host_instance *instance, const char *path) {
  host_create(instance, class);
  CHECK_EQ(host_set_string(instance, "path", path), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance->self), MSDK_OK);
}

static inline void close_file(host_instance *instance) {
  CHECK_EQ(renderer->release_render(instance->self), MSDK_OK);
  host_destroy(instance);
}

static inline msdk_result render(host_instance *instance, const msdk_video_format *format, uint32_t seed) {
  return host_render(instance, format, seed, 0, 0);
}

/* What this plugin writes, the file producer reads back. */
static inline void check_round_trip(const msdk_video_format *format, uint32_t frames) {
  const msdk_video_producer *producer = file_producer_class->video_producer;
  host_instance reader;
  host_create(&reader, file_producer_class);
  CHECK_EQ(host_set_string(&reader, "path", host_path("round.y4m")), MSDK_OK);
  CHECK_EQ(producer->init_capture(reader.self), MSDK_OK);
  msdk_video_format read = {0};
  CHECK_EQ(producer->capture_settings(reader.self, &read), MSDK_OK);
  CHECK_EQ(read.width, format->width);
  CHECK_EQ(read.height, format->height);
  CHECK_EQ(read.color_full_range, format->color_full_range);
  CHECK_EQ(read.fps_num, format->fps_num == 0 ? 30 : format->fps_num);
  CHECK_EQ(read.fps_den, format->fps_num == 0 ? 1 : format->fps_den);
  if (format->pixel_format == MSDK_PIXEL_I420) read.pixel_format = MSDK_PIXEL_I420;
  CHECK_EQ(producer->set_format(reader.self, &read), MSDK_OK);
  CHECK_EQ(producer->start_capture(reader.self), MSDK_OK);
  for (uint32_t i = 0; i < frames; i++) {
    msdk_video_frame *frame = NULL, *expected = host_frame(&reader, format);
    host_paint(expected, i);
    CHECK_EQ(producer->produce_frame(reader.self, INT64_C(2000000000) * i, &frame), MSDK_OK); /* late, and so not early */
    if (format->pixel_format == MSDK_PIXEL_GRAY8) { /* comes back with chroma that is neutral */
      uint32_t wrong = 0;
      for (uint32_t y = 0; y < format->height; y++) {
        wrong += memcmp(frame->plane[0].data + (ptrdiff_t)y * frame->plane[0].stride,
                        expected->plane[0].data + (ptrdiff_t)y * expected->plane[0].stride, format->width) != 0;
      }
      CHECK_EQ(wrong, 0);
      CHECK_EQ(frame->plane[1].data[0], 128);
    } else {
      CHECK(host_same(frame, expected));
    }
    CHECK_EQ((frame->flags & MSDK_FRAME_END) != 0, i + 1 == frames);
    host_unref(frame);
    host_unref(expected);
  }
  CHECK_EQ(producer->stop_capture(reader.self), MSDK_OK);
  CHECK_EQ(producer->release_capture(reader.self), MSDK_OK);
  host_destroy(&reader);
}

static inline msdk_encoded_frame encoded_of(const uint8_t *data, uint64_t size, int key, int64_t timestamp_ns) {
  msdk_encoded_frame frame = MSDK_INIT(msdk_encoded_frame);
  frame.codec = MSDK_CODEC_VP8;
  frame.flags = key ? MSDK_ENCODED_KEY : 0;
  frame.width = 1280;
  frame.height = 720;
  frame.data = data;
  frame.size = size;
  frame.timestamp_ns = timestamp_ns;
  return frame;
}

#endif
