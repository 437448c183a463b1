#define _XOPEN_SOURCE 700
#include "files.h"
#include "host.h"

#include <errno.h>
#include <png.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const msdk_class *class, *file_producer_class;
static const msdk_video_renderer *renderer;

static void open_file(host_instance *instance, const char *path) {
  host_create(instance, class);
  CHECK_EQ(host_set_string(instance, "path", path), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance->self), MSDK_OK);
}

static void close_file(host_instance *instance) {
  CHECK_EQ(renderer->release_render(instance->self), MSDK_OK);
  host_destroy(instance);
}

static msdk_result render(host_instance *instance, const msdk_video_format *format, uint32_t seed) {
  msdk_video_frame *frame = host_frame(instance, format), *copy = host_frame(instance, format);
  host_paint(frame, seed);
  host_paint(copy, seed);
  msdk_result result = renderer->render_video_frame(instance->self, frame);
  CHECK(host_same(frame, copy));
  host_unref(frame);
  host_unref(copy);
  return result;
}

/* ---------------------------------------------------------------------------------------------------------------------- Y4M */

/* What this plugin writes, the file producer reads back. */
static void check_round_trip(const msdk_video_format *format, uint32_t frames) {
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
    CHECK_EQ(producer->produce_frame(reader.self, 0, &frame), MSDK_OK);
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

/* ---------------------------------------------------------------------------------------------------------------------- PNG */

/* Reads the PNG back with libpng and compares it with the frame that host_paint makes of `seed`. */
static void check_png(const char *path, const msdk_video_format *format, uint32_t seed) {
  host_instance helper;
  host_create(&helper, class);
  msdk_video_frame *expected = host_frame(&helper, format);
  host_paint(expected, seed);
  png_image image = {.version = PNG_IMAGE_VERSION};
  CHECK_EQ(png_image_begin_read_from_file(&image, path), 1);
  CHECK_EQ(image.width, format->width);
  CHECK_EQ(image.height, format->height);
  int grey = format->pixel_format == MSDK_PIXEL_GRAY8;
  uint32_t wanted = grey ? PNG_FORMAT_GRAY : format->pixel_format == MSDK_PIXEL_RGBA ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  CHECK_EQ(image.format, wanted);
  image.format = wanted;
  uint8_t *pixels = malloc(PNG_IMAGE_SIZE(image));
  CHECK_EQ(png_image_finish_read(&image, NULL, pixels, 0, NULL), 1);
  uint32_t wrong = 0, row_bytes = host_row_bytes(format, 0);
  for (uint32_t y = 0; y < format->height; y++) {
    for (uint32_t x = 0; x < row_bytes; x++) {
      uint8_t value = expected->plane[0].data[(ptrdiff_t)y * expected->plane[0].stride + x];
      if (grey && format->color_full_range != 1) {
        double spread = (value - 16) * 255.0 / 219;
        value = (uint8_t)(spread < 0 ? 0 : spread > 255 ? 255 : spread + 0.5);
      }
      wrong += pixels[(size_t)y * row_bytes + x] != value;
    }
  }
  CHECK_EQ(wrong, 0);
  free(pixels);
  png_image_free(&image);
  host_unref(expected);
  host_destroy(&helper);
}

static void test_png(void) {
  static const uint32_t sizes[][2] = {{1, 1}, {3, 5}, {17, 9}, {1279, 719}};
  static const uint32_t formats[] = {MSDK_PIXEL_RGB24, MSDK_PIXEL_RGBA, MSDK_PIXEL_GRAY8};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    for (size_t f = 0; f < 3; f++) {
      msdk_video_format format = host_format(formats[f], sizes[s][0], sizes[s][1]);
      format.color_full_range = s % 2;
      host_instance instance;
      open_file(&instance, host_path("p.png"));
      CHECK_EQ(renderer->accepts_format(instance.self, &format), 1);
      CHECK_EQ(render(&instance, &format, 4), MSDK_OK);
      check_png(host_path("p.png"), &format, 4); /* is there at once */
      CHECK_EQ(render(&instance, &format, 5), MSDK_OK);
      close_file(&instance);
      check_png(host_path("p.png"), &format, 4);
    }
  }
}

static void test_png_choice(void) {
  msdk_video_format rgba = host_format(MSDK_PIXEL_RGBA, 20, 10), rgb = host_format(MSDK_PIXEL_RGB24, 30, 8);
  struct { uint64_t frame, max_frames; uint32_t sent, shown; } table[] = {
    {1, 0, 4, 1}, {3, 0, 5, 3}, {3, 0, 3, 3}, {10, 0, 4, 4}, {10, 2, 4, 2}, {9007199254740992u, 0, 1, 1}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    host_instance instance;
    host_create(&instance, class);
    CHECK_EQ(host_set_string(&instance, "path", host_path("choice")), MSDK_OK);
    CHECK_EQ(host_set_string(&instance, "format", "png"), MSDK_OK);
    CHECK_EQ(host_set_u64(&instance, "frame", table[i].frame), MSDK_OK);
    CHECK_EQ(host_set_u64(&instance, "max_frames", table[i].max_frames), MSDK_OK);
    CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
    /* The size may change on the way: a PNG shows one frame only. */
    for (uint32_t n = 1; n <= table[i].sent; n++) CHECK_EQ(render(&instance, n % 2 ? &rgba : &rgb, n), MSDK_OK);
    CHECK_EQ(instance.context.outstanding, 0);
    close_file(&instance);
    check_png(host_path("choice"), table[i].shown % 2 ? &rgba : &rgb, table[i].shown);
  }
  /* A stream that never came: an old picture stays, and no empty one is made. */
  host_instance instance;
  open_file(&instance, host_path("never.png"));
  close_file(&instance);
  CHECK_EQ(access(host_path("never.png"), F_OK), -1);
  host_create(&instance, class);
  CHECK_EQ(host_set_string(&instance, "path", host_path("choice")), MSDK_OK);
  CHECK_EQ(host_set_string(&instance, "format", "png"), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  msdk_video_format nv12 = host_format(MSDK_PIXEL_NV12, 6, 4);
  CHECK_EQ(renderer->accepts_format(instance.self, &nv12), 0);
  CHECK_EQ(render(&instance, &nv12, 0), MSDK_E_FORMAT);
  close_file(&instance);
  check_png(host_path("choice"), &rgba, 1);
}

/* ---------------------------------------------------------------------------------------------------------------------- IVF */

static msdk_encoded_frame encoded_of(const uint8_t *data, uint64_t size, int key, int64_t timestamp_ns) {
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

  /* And plays: 25 frames a second, of the first 20. */
  open_file(&instance, host_path("b.ivf"));
  CHECK_EQ(host_set_u64(&instance, "max_frames", 20), MSDK_OK);
  for (size_t at = 32, i = 0; at < size; i++) {
    msdk_encoded_frame frame = encoded_of(bunny + at + 12, u32_at(bunny + at), i == 0, (int64_t)i * 40000000);
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
  for (count = 0; producer->produce_frame(instance.self, 0, &frame) == MSDK_OK; count++) host_unref(frame);
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
  bad = key;
  bad.width = 640;
  CHECK_EQ(renderer->render_encoded_frame(instance.self, &bad), MSDK_E_FORMAT);
  CHECK_TEXT(instance.context.error_text, "640x720");
  CHECK_EQ(renderer->render_encoded_frame(instance.self, &delta), MSDK_E_FORMAT); /* what it builds on is missing */
  delta.timestamp_ns = 1000000100;
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
  static const uint32_t stamps[] = {0, 1, 2, 90000};
  for (size_t at = 32, i = 0; at + 12 <= size; i++) {
    CHECK_EQ(u32_at(out + at + 4), stamps[i]);
    at += 12 + u32_at(out + at);
  }
  free(out);
}

/* ---------------------------------------------------------------------------------------------------------------- full disk */

static void test_full_device(void) {
  static const char *const kinds[] = {"y4m", "ivf", "png"};
  static const uint8_t bits[100] = {1, 2, 3};
  for (int k = 0; k < 3; k++) {
    host_instance instance;
    host_create(&instance, class);
    CHECK_EQ(host_set_string(&instance, "path", "/dev/full"), MSDK_OK);
    CHECK_EQ(host_set_string(&instance, "format", kinds[k]), MSDK_OK);
    CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
    msdk_video_format format = host_format(k == 0 ? MSDK_PIXEL_NV12 : MSDK_PIXEL_RGB24, 33, 7);
    msdk_encoded_frame key = encoded_of(bits, sizeof bits, 1, 0);
    for (int i = 0; i < 3; i++) {
      instance.context.error_text[0] = 0;
      msdk_result result = k == 1 ? renderer->render_encoded_frame(instance.self, &key) : render(&instance, &format, 0);
      CHECK_EQ(result, MSDK_E_IO);
      CHECK_TEXT(instance.context.error_text, strerror(ENOSPC));
    }
    CHECK_EQ(instance.context.logs[MSDK_LOG_ERROR], 1); /* told once */
    close_file(&instance);
  }
}

/* The file may grow to 2000 bytes only; what was written whole before stays, and can be read. */
static void test_file_limit(void) {
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit before, tight;
  getrlimit(RLIMIT_FSIZE, &before);
  tight = before;
  tight.rlim_cur = 2000;
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, 20, 20);
  format.fps_num = 25;
  host_instance instance;
  open_file(&instance, host_path("round.y4m"));
  CHECK_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  msdk_result results[6];
  for (uint32_t i = 0; i < 6; i++) results[i] = render(&instance, &format, i);
  CHECK_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  CHECK_EQ(render(&instance, &format, 7), MSDK_E_IO); /* there would be room again, but not in this file */
  CHECK_TEXT(instance.context.error_text, strerror(EFBIG));
  for (uint32_t i = 0; i < 6; i++) CHECK_EQ(results[i], i < 3 ? MSDK_OK : MSDK_E_IO);
  CHECK_EQ(instance.context.logs[MSDK_LOG_ERROR], 1);
  close_file(&instance);
  check_round_trip(&format, 3);

  static const uint8_t bits[600] = {1, 2, 3};
  open_file(&instance, host_path("limit.ivf"));
  CHECK_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  for (int i = 0; i < 6; i++) {
    msdk_encoded_frame key = encoded_of(bits, sizeof bits, 1, i * 40000000);
    results[i] = renderer->render_encoded_frame(instance.self, &key);
  }
  CHECK_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  for (uint32_t i = 0; i < 6; i++) CHECK_EQ(results[i], i < 3 ? MSDK_OK : MSDK_E_IO);
  close_file(&instance);
  size_t size;
  uint8_t *out = read_file(host_path("limit.ivf"), &size);
  CHECK_EQ(size, 32 + 3 * 612);
  CHECK_EQ(u32_at(out + 24), 3);
  free(out);

  /* A PNG that fails at release is told there. */
  msdk_video_format rgb = host_format(MSDK_PIXEL_RGB24, 200, 100);
  host_create(&instance, class);
  CHECK_EQ(host_set_string(&instance, "path", host_path("limit.png")), MSDK_OK);
  CHECK_EQ(host_set_u64(&instance, "frame", 2), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  CHECK_EQ(render(&instance, &rgb, 0), MSDK_OK);
  CHECK_EQ(setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = 50, .rlim_max = before.rlim_max}), 0);
  CHECK_EQ(renderer->release_render(instance.self), MSDK_E_IO);
  CHECK_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  host_destroy(&instance);
}

/* ---------------------------------------------------------------------------------------------------------------- the rest */

static void check_refused(const char *path, msdk_result wanted, const char *words) {
  host_instance instance;
  host_create(&instance, class);
  CHECK_EQ(host_set_string(&instance, "path", path), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), wanted);
  CHECK_TEXT(instance.context.error_text, words);
  host_destroy(&instance);
}

static void test_paths(void) {
  CHECK_EQ(mkdir(host_path("folder.y4m"), 0700), 0);
  CHECK_EQ(mkfifo(host_path("fifo.y4m"), 0600), 0);
  alarm(20);
  check_refused(host_path("folder.y4m"), MSDK_E_INVALID, "folder.y4m");
  check_refused(host_path("fifo.y4m"), MSDK_E_INVALID, "fifo.y4m");
  alarm(0);
  check_refused(host_path("none/x.y4m"), MSDK_E_NOT_FOUND, "No such file");
  check_refused(host_path("x.mkv"), MSDK_E_INVALID, ".y4m, .ivf or .png");
  check_refused(host_path("noending"), MSDK_E_INVALID, "'format'");
  check_refused("/dir.png/noending", MSDK_E_INVALID, "'format'");

  host_instance instance;
  host_create(&instance, class);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_E_INVALID);
  CHECK_TEXT(instance.context.error_text, "path");
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, 2, 2);
  CHECK_EQ(renderer->accepts_format(instance.self, &format), 0);
  CHECK_EQ(render(&instance, &format, 0), MSDK_E_STATE);
  CHECK_EQ(host_set_string(&instance, "path", ""), MSDK_E_INVALID);
  host_check_params(&instance);
  CHECK_EQ(host_set_u64(&instance, "frame", 0), MSDK_E_RANGE);
  host_destroy(&instance);
}

static void test_lifecycle(void) {
  static const char *const names[] = {"l.y4m", "l.ivf", "l.png"};
  static const uint8_t bits[10] = {0};
  host_instance instance;
  host_create(&instance, class);
  int before = host_open_descriptors();
  for (int i = 0; i < 100; i++) {
    CHECK_EQ(host_set_string(&instance, "path", host_path(names[i % 3])), MSDK_OK);
    CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
    msdk_video_format format = host_format(i % 3 == 0 ? MSDK_PIXEL_I420 : MSDK_PIXEL_RGBA, 5, 3);
    msdk_encoded_frame key = encoded_of(bits, sizeof bits, 1, i);
    if (i % 4 != 0) {
      CHECK_EQ(i % 3 == 1 ? renderer->render_encoded_frame(instance.self, &key) : render(&instance, &format, 0), MSDK_OK);
    }
    CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  }
  CHECK_EQ(host_open_descriptors(), before);
  CHECK_EQ(instance.context.errors, 0);

  /* One warning, however many frames are turned. */
  CHECK_EQ(host_set_string(&instance, "path", host_path("turned.y4m")), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  uint32_t warnings = instance.context.logs[MSDK_LOG_WARN];
  for (int i = 0; i < 3; i++) {
    msdk_video_format format = host_format(MSDK_PIXEL_I420, 5, 3);
    msdk_video_frame *frame = host_frame(&instance, &format);
    host_paint(frame, 0);
    frame->orientation = MSDK_ROTATE_90;
    CHECK_EQ(renderer->render_video_frame(instance.self, frame), MSDK_OK);
    host_unref(frame);
  }
  CHECK_EQ(instance.context.logs[MSDK_LOG_WARN], warnings + 1);
  close_file(&instance);
}

int main(int argc, char **argv) {
  class = host_load(argc, argv, "filerenderer.so", "org.mediasdk.renderer.file");
  file_producer_class = host_load(argc, argv, "fileproducer.so", "org.mediasdk.producer.file");
  renderer = class->video_renderer;
  test_y4m();
  test_y4m_header();
  test_y4m_changes();
  test_png();
  test_png_choice();
  test_ivf_pass_through();
  test_ivf_refusals();
  test_full_device();
  test_file_limit();
  test_paths();
  test_lifecycle();
  return check_done();
}
