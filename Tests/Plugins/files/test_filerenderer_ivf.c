/* IVF files: packets go through unchanged and play, and what is refused. */
#define _XOPEN_SOURCE 700
#include "filerenderer_write.h"

/* Live, with a pause after the tenth. */
static int64_t captured_at(int64_t frame) { return frame * 40000000 + frame * 7919 % 13 * 1000000 + (frame > 10) * INT64_C(3000000000); }

/* The film goes through frame by frame and comes out with the same bytes. */
static void test_ivf_pass_through(void) {
  size_t size, out_size;
  uint8_t *bunny = read_file(media_path("bunny-720p25.ivf"), &size);
  host_instance instance;
  open_file(&instance, host_path("b.ivf"));
  CHECK_EQ(renderer->accepts_codec(instance.self, MSDK_CODEC_VP8), 1);
  CHECK_EQ(renderer->accepts_codec(instance.self, 0x30395056), 0);
  msdk_video_format nv12 = host_format(MSDK_PIXEL_NV12, 6, 4);
  CHECK_EQ(renderer->accepts_format(instance.self, &nv12), 0);
  CHECK_EQ(render(&instance, &nv12, 0), MSDK_E_FORMAT);
  uint32_t count = 0;
  for (size_t at = 32; at < size; count++) {
    uint32_t bytes = u32_at(bunny + at);
    msdk_encoded_frame frame = encoded_of(bunny + at + 12, bytes, count == 0, 7000000000000 + (int64_t)count * 40000000);
    CHECK_EQ(renderer->render_encoded_frame(instance.self, &frame), MSDK_OK);
    at += 12 + bytes;
  }
  close_file(&instance);
  uint8_t *out = read_file(host_path("b.ivf"), &out_size);
  CHECK_EQ(out_size, size);
  CHECK_EQ(count, 132);
  CHECK_EQ(memcmp(out, bunny, 16), 0); /* signature, codec and size */
  CHECK_EQ(u32_at(out + 16), 90000);
  CHECK_EQ(u32_at(out + 20), 1);
  CHECK_EQ(u32_at(out + 24), 132);
  uint32_t different = 0;
  for (size_t at = 32, i = 0; at < size && out_size == size; i++) {
    uint32_t bytes = u32_at(bunny + at);
    different += u32_at(out + at) != bytes || memcmp(out + at + 12, bunny + at + 12, bytes) != 0;
    different += u32_at(out + at + 4) != 3600 * i || u32_at(out + at + 8) != 0;
    at += 12 + bytes;
  }
  CHECK_EQ(different, 0);
  free(out);

  /* And plays: 25 frames a second, of the first 20, as far apart as they were. */
  open_file(&instance, host_path("b.ivf"));
  CHECK_EQ(host_set_u64(&instance, "max_frames", 20), MSDK_OK);
  for (size_t at = 32, i = 0; at < size; i++) {
    msdk_encoded_frame frame = encoded_of(bunny + at + 12, u32_at(bunny + at), i == 0, captured_at((int64_t)i));
    CHECK_EQ(renderer->render_encoded_frame(instance.self, &frame), MSDK_OK);
    at += 12 + u32_at(bunny + at);
  }
  close_file(&instance);
  const msdk_video_producer *producer = file_producer_class->video_producer;
  host_create(&instance, file_producer_class);
  CHECK_EQ(host_set_string(&instance, "path", host_path("b.ivf")), MSDK_OK);
  CHECK_EQ(producer->init_capture(instance.self), MSDK_OK);
  msdk_video_format format = {0};
  CHECK_EQ(producer->capture_settings(instance.self, &format), MSDK_OK);
  CHECK_EQ(format.fps_num, 25);
  CHECK_EQ(format.fps_den, 1);
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  msdk_video_frame *frame = NULL;
  int64_t due = 40000000;
  for (count = 0; producer->produce_frame(instance.self, due, &frame) == MSDK_OK; count++) {
    CHECK_EQ(frame->timestamp_ns, due);
    CHECK(llabs(due - 40000000 - (captured_at(count) - captured_at(0))) < 20000); /* stamps are 90000ths of a second */
    due += frame->duration_ns;
    host_unref(frame);
  }
  CHECK_EQ(count, 20);
  CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
  CHECK_EQ(producer->release_capture(instance.self), MSDK_OK);
  host_destroy(&instance);
  free(bunny);
}

static void test_ivf_refusals(void) {
  static const uint8_t bits[100] = {1, 2, 3};
  host_instance instance;
  open_file(&instance, host_path("x.ivf"));
  msdk_encoded_frame key = encoded_of(bits, 10, 1, 100), delta = encoded_of(bits, 20, 0, 50), bad;
  CHECK_EQ(renderer->render_encoded_frame(instance.self, &delta), MSDK_E_FORMAT); /* not before a key frame */
  CHECK_TEXT(instance.context.error_text, "key frame");
  CHECK_EQ(renderer->render_encoded_frame(instance.self, &key), MSDK_OK);
  CHECK_EQ(renderer->render_encoded_frame(instance.self, &delta), MSDK_OK); /* its time goes back */
  bad = delta;
  bad.width = 640;
  CHECK_EQ(renderer->render_encoded_frame(instance.self, &bad), MSDK_E_FORMAT);
  CHECK_TEXT(instance.context.error_text, "640x720");
  CHECK_EQ(renderer->render_encoded_frame(instance.self, &delta), MSDK_E_FORMAT); /* what it builds on is missing */
  delta.timestamp_ns = 1000000100;
  key.width = delta.width = 640; /* of another size from here on */
  CHECK_EQ(renderer->render_encoded_frame(instance.self, &key), MSDK_OK);
  CHECK_EQ(renderer->render_encoded_frame(instance.self, &delta), MSDK_OK);
  bad = key;
  bad.codec = 0x30395056;
  CHECK_EQ(renderer->render_encoded_frame(instance.self, &bad), MSDK_E_FORMAT);
  bad = key;
  bad.size = 0;
  CHECK_EQ(renderer->render_encoded_frame(instance.self, &bad), MSDK_E_INVALID);
  CHECK_EQ(renderer->render_encoded_frame(instance.self, NULL), MSDK_E_INVALID);
  close_file(&instance);
  size_t size;
  uint8_t *out = read_file(host_path("x.ivf"), &size);
  CHECK_EQ(size, 32 + 4 * 12 + 10 + 20 + 10 + 20);
  CHECK_EQ(u32_at(out + 24), 4);
  CHECK_EQ(u32_at(out + 12), 720u << 16 | 1280); /* the first one's */
  static const uint32_t stamps[] = {0, 1, 2, 90000};
  for (size_t at = 32, i = 0; at + 12 <= size; i++) {
    CHECK_EQ(u32_at(out + at + 4), stamps[i]);
    at += 12 + u32_at(out + at);
  }
  free(out);
}

/* Without a place for an orientation, what is rotated is refused, and so is what refers to it. */
static void test_ivf_orientation(void) {
  static const uint8_t bits[100] = {1, 2, 3};
  host_instance instance;
  open_file(&instance, host_path("rotated.ivf"));
  msdk_encoded_frame key = encoded_of(bits, 10, 1, 100), delta = encoded_of(bits, 20, 0, 200);
  for (uint32_t orientation = 1; orientation < 8; orientation++) {
    key.orientation = orientation;
    CHECK_EQ(renderer->render_encoded_frame(instance.self, &key), MSDK_E_FORMAT);
    CHECK_TEXT(instance.context.error_text, "accepted: orientation 0");
  }
  CHECK_EQ(renderer->render_encoded_frame(instance.self, &delta), MSDK_E_FORMAT);
  key.orientation = 0;
  CHECK_EQ(renderer->render_encoded_frame(instance.self, &key), MSDK_OK);
  delta.orientation = MSDK_ROTATE_90; /* from here on */
  CHECK_EQ(renderer->render_encoded_frame(instance.self, &delta), MSDK_E_FORMAT);
  delta.orientation = 0;
  CHECK_EQ(renderer->render_encoded_frame(instance.self, &delta), MSDK_E_FORMAT);
  close_file(&instance);
  size_t size;
  uint8_t *out = read_file(host_path("rotated.ivf"), &size);
  CHECK_EQ(size, 32 + 12 + 10); /* what was stored before stays whole */
  CHECK_EQ(u32_at(out + 24), 1);
  free(out);
}

int main(int argc, char **argv) {
  load_renderer(argc, argv);
  test_ivf_pass_through();
  test_ivf_refusals();
  test_ivf_orientation();
  return check_done();
}
