/* Y4M files: every size and format comes back, and what a stream may not change. */
#define _XOPEN_SOURCE 700
#include "filerenderer_write.h"

static void test_y4m(void) {
  static const uint32_t sizes[][2] = {{1, 1}, {2, 2}, {3, 5}, {17, 9}, {1, 8}, {1279, 719}};
  static const uint32_t formats[] = {MSDK_PIXEL_NV12, MSDK_PIXEL_I420, MSDK_PIXEL_GRAY8};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    for (size_t f = 0; f < 3; f++) {
      msdk_video_format format = host_format(formats[f], sizes[s][0], sizes[s][1]);
      format.color_full_range = s % 2;
      format.fps_num = s == 3 ? 0 : s == 4 ? 30000 : 25;
      format.fps_den = s == 3 ? 0 : s == 4 ? 1001 : 1;
      host_instance instance;
      open_file(&instance, host_path("round.y4m"));
      CHECK_EQ(renderer->accepts_format(instance.self, &format), 1);
      for (uint32_t i = 0; i < 3; i++) CHECK_EQ(render(&instance, &format, i), MSDK_OK);
      close_file(&instance);
      check_round_trip(&format, 3);
    }
  }
}

static void test_y4m_header(void) {
  host_instance instance;
  open_file(&instance, host_path("h.Y4M"));
  msdk_video_format format = host_format(MSDK_PIXEL_I420, 2, 2);
  CHECK_EQ(render(&instance, &format, 0), MSDK_OK);
  close_file(&instance);
  size_t size;
  uint8_t *bytes = read_file(host_path("h.Y4M"), &size);
  const char *header = "YUV4MPEG2 W2 H2 F30:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\nFRAME\n";
  CHECK_EQ(size, strlen(header) + 6);
  CHECK_TEXT((char *)bytes, header);
  free(bytes);
}

static void test_y4m_changes(void) {
  host_instance instance;
  open_file(&instance, host_path("round.y4m"));
  msdk_video_format nv12 = host_format(MSDK_PIXEL_NV12, 6, 4), i420 = host_format(MSDK_PIXEL_I420, 6, 4), other = nv12;
  CHECK_EQ(render(&instance, &nv12, 0), MSDK_OK);
  other.width = 8;
  CHECK_EQ(render(&instance, &other, 1), MSDK_E_FORMAT);
  CHECK_TEXT(instance.context.error_text, "8x4");
  CHECK_TEXT(instance.context.error_text, "6x4");
  other.width = 6;
  other.color_full_range = 1;
  CHECK_EQ(render(&instance, &other, 1), MSDK_E_FORMAT);
  other = host_format(MSDK_PIXEL_GRAY8, 6, 4);
  CHECK_EQ(renderer->accepts_format(instance.self, &other), 0);
  CHECK_EQ(render(&instance, &other, 1), MSDK_E_FORMAT);
  other = host_format(MSDK_PIXEL_BGRA, 6, 4);
  CHECK_EQ(renderer->accepts_format(instance.self, &other), 0);
  CHECK_EQ(render(&instance, &other, 1), MSDK_E_FORMAT);
  CHECK_EQ(renderer->render_video_frame(instance.self, NULL), MSDK_E_INVALID);
  msdk_encoded_frame encoded = MSDK_INIT(msdk_encoded_frame);
  encoded.data = (const uint8_t *)"x";
  encoded.size = 1;
  CHECK_EQ(renderer->render_encoded_frame(instance.self, &encoded), MSDK_E_FORMAT);
  CHECK_EQ(renderer->accepts_codec(instance.self, MSDK_CODEC_VP8), 0);
  CHECK_EQ(render(&instance, &nv12, 1), MSDK_OK);
  close_file(&instance);
  check_round_trip(&nv12, 2);

  /* Between the two layouts of 4:2:0 a stream may change. */
  open_file(&instance, host_path("round.y4m"));
  CHECK_EQ(render(&instance, &nv12, 0), MSDK_OK);
  CHECK_EQ(render(&instance, &i420, 1), MSDK_OK);
  CHECK_EQ(host_set_u64(&instance, "max_frames", 3), MSDK_OK);
  for (uint32_t i = 2; i < 6; i++) CHECK_EQ(render(&instance, &nv12, i), MSDK_OK);
  close_file(&instance);
  size_t size;
  uint8_t *bytes = read_file(host_path("round.y4m"), &size);
  CHECK_EQ(size, strlen("YUV4MPEG2 W6 H4 F30:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n") + 3 * (6 + 36));
  free(bytes);
}

int main(int argc, char **argv) {
  load_renderer(argc, argv);
  test_y4m();
  test_y4m_header();
  test_y4m_changes();
  return check_done();
}
