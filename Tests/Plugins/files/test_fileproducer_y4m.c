#define _XOPEN_SOURCE 700
#include "fileproducer_play.h"

#include <sys/stat.h>
#include <unistd.h>

static uint8_t sample(uint32_t frame, uint32_t plane, uint32_t x, uint32_t y) { return (uint8_t)(frame * 40 + plane * 90 + x * 3 + y * 5); }

static size_t put_plane(uint8_t *to, uint32_t frame, uint32_t plane, uint32_t width, uint32_t height) {
  for (uint32_t y = 0; y < height; y++) {
    for (uint32_t x = 0; x < width; x++) to[(size_t)y * width + x] = sample(frame, plane, x, y);
  }
  return (size_t)width * height;
}

static size_t put_y4m(uint8_t *to, const char *tags, const char *frame_tags, uint32_t width, uint32_t height, uint32_t frames, int mono) {
  size_t at = (size_t)sprintf((char *)to, "YUV4MPEG2 W%u H%u%s\n", width, height, tags);
  for (uint32_t i = 0; i < frames; i++) {
    at += (size_t)sprintf((char *)to + at, "FRAME%s\n", frame_tags);
    at += put_plane(to + at, i, 0, width, height);
    for (uint32_t plane = 1; plane < 3 && !mono; plane++) at += put_plane(to + at, i, plane, (width + 1) / 2, (height + 1) / 2);
  }
  return at;
}

static void check_picture(const msdk_video_frame *frame, uint32_t number, int mono) {
  const msdk_video_format *format = frame->format;
  uint32_t wrong = 0;
  for (uint32_t y = 0; y < format->height; y++) {
    for (uint32_t x = 0; x < format->width; x++) {
      const msdk_plane *planes = frame->plane;
      wrong += planes[0].data[(ptrdiff_t)y * planes[0].stride + x] != sample(number, 0, x, y);
      uint8_t u, v;
      if (format->pixel_format == MSDK_PIXEL_NV12) {
        u = planes[1].data[(ptrdiff_t)(y / 2) * planes[1].stride + x / 2 * 2];
        v = planes[1].data[(ptrdiff_t)(y / 2) * planes[1].stride + x / 2 * 2 + 1];
      } else {
        u = planes[1].data[(ptrdiff_t)(y / 2) * planes[1].stride + x / 2];
        v = planes[2].data[(ptrdiff_t)(y / 2) * planes[2].stride + x / 2];
      }
      wrong += u != (mono ? 128 : sample(number, 1, x / 2, y / 2));
      wrong += v != (mono ? 128 : sample(number, 2, x / 2, y / 2));
    }
  }
  CHECK_EQ(wrong, 0);
}

static void test_sizes(void) {
  static const uint32_t sizes[][2] = {{1, 1}, {2, 2}, {3, 5}, {17, 9}, {16, 1}, {1, 16}, {1279, 719}};
  static const char *const tags[] = {"",
                                     " F30:1 Ip A1:1 C420jpeg",
                                     " F30000:1001 It A0:0 C420paldv XYSCSS=420PALDV",
                                     " C420mpeg2 F25:1 A128:117 I? XCOLORRANGE=FULL",
                                     " F24:1 C420 XCOLORRANGE=LIMITED Zwhatever",
                                     " F15:1 Cmono Im"};
  static const uint32_t rates[][2] = {{25, 1}, {30, 1}, {30000, 1001}, {25, 1}, {24, 1}, {15, 1}};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    for (size_t t = 0; t < sizeof tags / sizeof tags[0]; t++) {
      int mono = t == 5;
      size_t size = put_y4m(big, tags[t], t == 2 ? " Ixyz" : "", sizes[s][0], sizes[s][1], 3, mono);
      write_file(host_path("a.bin"), big, size); /* the name says nothing */
      for (int i420 = 0; i420 < 2; i420++) {
        host_instance instance;
        CHECK_EQ(start(&instance, host_path("a.bin"), 0), MSDK_OK);
        CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
        msdk_video_format format = {0};
        CHECK_EQ(producer->capture_settings(instance.self, &format), MSDK_OK);
        CHECK_EQ(format.struct_size, sizeof format);
        CHECK_EQ(format.pixel_format, MSDK_PIXEL_NV12);
        CHECK_EQ(format.width, sizes[s][0]);
        CHECK_EQ(format.height, sizes[s][1]);
        CHECK_EQ(format.fps_num, rates[t][0]);
        CHECK_EQ(format.fps_den, rates[t][1]);
        CHECK_EQ(format.color_full_range, t == 3);
        CHECK_EQ(producer->enum_formats(instance.self, (uint32_t)i420, &format), MSDK_OK);
        CHECK_EQ(format.pixel_format, i420 ? MSDK_PIXEL_I420 : MSDK_PIXEL_NV12);
        CHECK_EQ(producer->set_format(instance.self, &format), MSDK_OK);
        CHECK_EQ(producer->enum_formats(instance.self, 2, &format), MSDK_E_NOT_FOUND);
        CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
        msdk_video_frame *frame = NULL;
        for (uint32_t i = 0; i < 3; i++) {
          CHECK_EQ(ask(&instance, &frame), MSDK_OK);
          check_picture(frame, i, mono);
          CHECK_EQ(frame->timestamp_ns + frame->duration_ns, play_due);
          CHECK_EQ((frame->flags & MSDK_FRAME_END) != 0, i == 2);
          host_unref(frame);
        }
        CHECK_EQ(ask(&instance, &frame), MSDK_E_CLOSED);
        host_finish(&instance);
      }
    }
  }
}

static void test_loop_and_restart(void) {
  size_t size = put_y4m(big, " F25:1", "", 6, 4, 3, 0);
  write_file(host_path("loop.y4m"), big, size);
  host_instance instance;
  msdk_video_frame *frame = NULL;
  CHECK_EQ(start(&instance, host_path("loop.y4m"), 1), MSDK_OK);
  for (uint32_t i = 0; i < 20; i++) {
    CHECK_EQ(ask(&instance, &frame), MSDK_OK);
    check_picture(frame, i % 3, 0);
    CHECK_EQ(frame->flags & MSDK_FRAME_END, 0);
    host_unref(frame);
    if (i == 9) { /* goes on where it was */
      CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
      CHECK_EQ(ask(&instance, &frame), MSDK_E_STATE);
      CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
    }
  }
  msdk_video_frame *held[HOST_POOL];
  for (uint32_t i = 0; i < HOST_POOL; i++) {
    CHECK_EQ(ask(&instance, &held[i]), MSDK_OK);
    check_picture(held[i], (20 + i) % 3, 0);
  }
  CHECK_EQ(ask(&instance, &frame), MSDK_E_AGAIN); /* an empty pool loses no picture */
  host_unref(held[3]);
  CHECK_EQ(ask(&instance, &held[3]), MSDK_OK);
  check_picture(held[3], (20 + HOST_POOL) % 3, 0);
  for (uint32_t i = 0; i < HOST_POOL; i++) host_unref(held[i]);
  host_finish(&instance);

  CHECK_EQ(start(&instance, host_path("loop.y4m"), 0), MSDK_OK);
  for (int pass = 0; pass < 2; pass++) { /* after the end, from the beginning */
    for (uint32_t i = 0; i < 3; i++) {
      CHECK_EQ(ask(&instance, &frame), MSDK_OK);
      check_picture(frame, i, 0);
      host_unref(frame);
    }
    CHECK_EQ(ask(&instance, &frame), MSDK_E_CLOSED);
    CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
    CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  }
  host_finish(&instance);
}

/* Which of 100 frames of 30 a second are shown at `num`/`den` a second. */
static void test_rate(uint32_t num, uint32_t den, int loop) {
  enum { FRAMES = 100 };
  size_t size = put_y4m(big, " F30:1", "", 2, 2, FRAMES, 0);
  write_file(host_path("rate.y4m"), big, size);
  host_instance instance;
  CHECK_EQ(start(&instance, host_path("rate.y4m"), loop), MSDK_OK);
  CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, 2, 2);
  format.fps_num = num;
  format.fps_den = den;
  CHECK_EQ(producer->set_format(instance.self, &format), MSDK_OK);
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  for (uint64_t i = 0;; i++) {
    uint64_t wanted = i * 30 * den / num, after = (i + 1) * 30 * den / num;
    if (loop && i == 50) break;
    msdk_video_frame *frame = NULL;
    msdk_result result = ask(&instance, &frame);
    CHECK_EQ(result, MSDK_OK);
    if (result != MSDK_OK) break;
    CHECK_EQ(frame->plane[0].data[0], sample((uint32_t)(wanted % FRAMES), 0, 0, 0));
    int end = (frame->flags & MSDK_FRAME_END) != 0;
    host_unref(frame);
    CHECK_EQ(end, !loop && after >= FRAMES);
    if (end) break;
  }
  host_finish(&instance);
}

static void test_set_format(void) {
  size_t size = put_y4m(big, " F30000:1001 XCOLORRANGE=FULL", "", 6, 4, 3, 0);
  write_file(host_path("f.y4m"), big, size);
  host_instance instance;
  host_create(&instance, class);
  CHECK_EQ(producer->init_capture(instance.self), MSDK_E_INVALID);
  CHECK_TEXT(instance.context.error_text, "path");
  host_check_params(&instance);
  CHECK_EQ(host_set_string(&instance, "path", ""), MSDK_E_INVALID);
  CHECK_EQ(host_set_string(&instance, "path", host_path("f.y4m")), MSDK_OK);
  CHECK_EQ(producer->init_capture(instance.self), MSDK_OK);
  msdk_video_format good = host_format(MSDK_PIXEL_I420, 6, 4), bad;
  good.color_full_range = 1;
  good.fps_num = 0;
  CHECK_EQ(producer->set_format(instance.self, &good), MSDK_OK);
  msdk_video_format now = {0};
  CHECK_EQ(producer->capture_settings(instance.self, &now), MSDK_OK);
  CHECK_EQ(now.fps_num, 30000);

  struct { uint32_t pixel_format, width, height, num, den, full; const char *words; } table[] = {
    {MSDK_PIXEL_BGRA, 6, 4, 25, 1, 1, "NV12"},       {MSDK_PIXEL_NV12, 640, 4, 25, 1, 1, "6x4"}, {MSDK_PIXEL_NV12, 6, 5, 25, 1, 1, "6x4"},
    {MSDK_PIXEL_NV12, 6, 4, 30, 1, 1, "30000/1001"}, {MSDK_PIXEL_NV12, 6, 4, 25, 0, 1, "25/0"},  {MSDK_PIXEL_NV12, 6, 4, 25, 1, 0, "full"},
    {MSDK_PIXEL_NV12, 6, 4, 1, 4000000000u, 1, "skipped"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    bad = host_format(table[i].pixel_format, table[i].width, table[i].height);
    bad.fps_num = table[i].num;
    bad.fps_den = table[i].den;
    bad.color_full_range = table[i].full;
    CHECK_EQ(producer->set_format(instance.self, &bad), MSDK_E_FORMAT);
    CHECK_TEXT(instance.context.error_text, table[i].words);
  }
  CHECK_EQ(producer->set_format(instance.self, NULL), MSDK_E_INVALID);
  CHECK_EQ(producer->release_capture(instance.self), MSDK_OK);
  host_destroy(&instance);
}

/* --------------------------------------------------------------------------------------------------------------- bad files */

typedef struct bad_file {
  const char *text; /* its bytes, up to the NUL or `size` */
  size_t size;
  msdk_result result;
  const char *words;
} bad_file;

static void test_bad_files(void) {
  static const bad_file table[] = {
    {"", 0, MSDK_E_CORRUPT, "empty (0 bytes)"},
    {"Y", 0, MSDK_E_UNSUPPORTED, "59 00 00 00"},
    {"\x89PNG\r\n\x1A\n1234", 0, MSDK_E_UNSUPPORTED, "89 50 4E 47"},
    {"YUV4MPEG", 0, MSDK_E_UNSUPPORTED, "YUV4MPEG2"},
    {"YUV4MPEG2", 0, MSDK_E_CORRUPT, "byte 9, inside the Y4M header"},
    {"YUV4MPEG2\n", 0, MSDK_E_CORRUPT, "byte 9"},
    {"YUV4MPEG2W4 H4\nFRAME\n", 0, MSDK_E_CORRUPT, "byte 9"},
    {"YUV4MPEG2 \n", 0, MSDK_E_CORRUPT, "width (W)"},
    {"YUV4MPEG2 W4\nFRAME\n", 0, MSDK_E_CORRUPT, "height (H)"},
    {"YUV4MPEG2 H4\nFRAME\n", 0, MSDK_E_CORRUPT, "width (W)"},
    {"YUV4MPEG2 W4 H4", 0, MSDK_E_CORRUPT, "byte 15"},
    {"YUV4MPEG2 W4 H4\n", 0, MSDK_E_CORRUPT, "without a frame"},
    {"YUV4MPEG2 W0 H4\nFRAME\n", 0, MSDK_E_CORRUPT, "W0"},
    {"YUV4MPEG2 W-4 H4\nFRAME\n", 0, MSDK_E_CORRUPT, "W-4"},
    {"YUV4MPEG2 W4x H4\nFRAME\n", 0, MSDK_E_CORRUPT, "W4x"},
    {"YUV4MPEG2 W H4\nFRAME\n", 0, MSDK_E_CORRUPT, "1 to 16384"},
    {"YUV4MPEG2 W16385 H4\nFRAME\n", 0, MSDK_E_CORRUPT, "W16385"},
    {"YUV4MPEG2 W99999999999999999999 H4\nFRAME\n", 0, MSDK_E_CORRUPT, "W9999"},
    {"YUV4MPEG2 W4294967300 H4\nFRAME\n", 0, MSDK_E_CORRUPT, "W4294967300"},
    {"YUV4MPEG2 W4 H4 W8\nFRAME\n", 0, MSDK_E_CORRUPT, "one size only"},
    {"YUV4MPEG2 W16384 H16384\nFRAME\n", 0, MSDK_E_CORRUPT, "needs 402653184 bytes"},
    {"YUV4MPEG2 W16384 H16384 Cmono\nFRAME\nabc", 0, MSDK_E_CORRUPT, "ends after 3"},
    {"YUV4MPEG2 W4 H4 F30\nFRAME\n", 0, MSDK_E_CORRUPT, "F30"},
    {"YUV4MPEG2 W4 H4 F30:\nFRAME\n", 0, MSDK_E_CORRUPT, "F30:"},
    {"YUV4MPEG2 W4 H4 F:1\nFRAME\n", 0, MSDK_E_CORRUPT, "F:1"},
    {"YUV4MPEG2 W4 H4 Fx:y\nFRAME\n", 0, MSDK_E_CORRUPT, "F30000:1001"},
    {"YUV4MPEG2 W4 H4 A1\nFRAME\n", 0, MSDK_E_CORRUPT, "A1:1"},
    {"YUV4MPEG2 W4 H4 Iq\nFRAME\n", 0, MSDK_E_CORRUPT, "Iq"},
    {"YUV4MPEG2 W4 H4 I\nFRAME\n", 0, MSDK_E_CORRUPT, "Ip"},
    {"YUV4MPEG2 W4 H4 C444\nFRAME\n", 0, MSDK_E_UNSUPPORTED, "C444"},
    {"YUV4MPEG2 W4 H4 C422\nFRAME\n", 0, MSDK_E_UNSUPPORTED, "C420jpeg"},
    {"YUV4MPEG2 W4 H4 C420p10\nFRAME\n", 0, MSDK_E_UNSUPPORTED, "C420p10"},
    {"YUV4MPEG2 W4 H4 Cmono12\nFRAME\n", 0, MSDK_E_UNSUPPORTED, "Cmono12"},
    {"YUV4MPEG2 W4 H4\nFRAM", 0, MSDK_E_CORRUPT, "byte 20, inside a FRAME line"},
    {"YUV4MPEG2 W4 H4\nFRAME", 0, MSDK_E_CORRUPT, "byte 21"},
    {"YUV4MPEG2 W4 H4\nFRAMES\n123456789012345678901234", 0, MSDK_E_CORRUPT, "frame 1 at byte 16"},
    {"YUV4MPEG2 W4 H4\nframe\n123456789012345678901234", 0, MSDK_E_CORRUPT, "frame 1 at byte 16"},
    {"YUV4MPEG2 W4 H4\nFRAME\n", 0, MSDK_E_CORRUPT, "needs 24 bytes from byte 22"},
    {"YUV4MPEG2 W4 H4\nFRAME\n12345678901234567890123", 0, MSDK_E_CORRUPT, "the file ends after 23"},
    {"YUV4MPEG2 W4\0 H4\nFRAME\n", 23, MSDK_E_CORRUPT, "is NUL"},
    {"YUV4MPEG2 W4 H4 F99999:1\nFRAME\n", 0, MSDK_E_CORRUPT, "needs 24 bytes"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    write_file(host_path("bad.y4m"), table[i].text, table[i].size != 0 ? table[i].size : strlen(table[i].text));
    check_refused(host_path("bad.y4m"), table[i].result, table[i].words);
  }
  memset(big, 'X', 5000);
  memcpy(big, "YUV4MPEG2 W4 H4 ", 16);
  write_file(host_path("bad.y4m"), big, 5000);
  check_refused(host_path("bad.y4m"), MSDK_E_CORRUPT, "no newline within 1024");
  memcpy(big, "YUV4MPEG2 W4 H4\nFRAME ", 22);
  write_file(host_path("bad.y4m"), big, 5000);
  check_refused(host_path("bad.y4m"), MSDK_E_CORRUPT, "no newline within 256");

  /* The first frames are good, the third is not: it is named, again and again. */
  size_t size = put_y4m(big, "", "", 8, 8, 3, 0);
  static const char *const words[] = {"frame 3 at byte 220", "frame 3 of 8x8 needs 96 bytes from byte 226 on; the file ends after 95"};
  for (int i = 0; i < 2; i++) {
    if (i == 0) big[size - 96 - 6] = 'G';
    write_file(host_path("bad.y4m"), big, i == 0 ? size : size - 1);
    if (i == 0) big[size - 96 - 6] = 'F';
    host_instance instance;
    CHECK_EQ(start(&instance, host_path("bad.y4m"), 0), MSDK_OK);
    for (int again = 0; again < 2; again++) {
      tally seen = play(&instance, 10);
      CHECK_EQ(seen.good, again ? 0 : 2);
      CHECK_EQ(seen.last, MSDK_E_CORRUPT);
      CHECK_TEXT(instance.context.error_text, words[i]);
    }
    host_finish(&instance);
  }

  /* The file shrinks while it is played. */
  write_file(host_path("bad.y4m"), big, size);
  host_instance instance;
  CHECK_EQ(start(&instance, host_path("bad.y4m"), 0), MSDK_OK);
  CHECK_EQ(truncate(host_path("bad.y4m"), 60), 0);
  CHECK_EQ(play(&instance, 10).last, MSDK_E_IO);
  CHECK_TEXT(instance.context.error_text, "the file ends at byte 60");
  host_finish(&instance);
}

static void test_no_file(void) {
  check_refused(host_path("missing"), MSDK_E_NOT_FOUND, "missing");
  check_refused(host_path("missing/deeper"), MSDK_E_NOT_FOUND, "cannot open");
  check_refused(host_folder(), MSDK_E_INVALID, "a directory");
  check_refused("/dev/zero", MSDK_E_INVALID, "a device");
  CHECK_EQ(mkfifo(host_path("fifo"), 0600), 0);
  alarm(20); /* a hang ends the test */
  check_refused(host_path("fifo"), MSDK_E_INVALID, "a fifo");
  alarm(0);
  CHECK_EQ(mknod(host_path("socket"), S_IFSOCK | 0600, 0), 0);
  check_refused(host_path("socket"), MSDK_E_INVALID, "cannot open");
}

int main(int argc, char **argv) {
  load_producer(argc, argv);
  test_sizes();
  test_loop_and_restart();
  test_rate(30, 1, 0);
  test_rate(15, 1, 0);
  test_rate(25, 1, 0);
  test_rate(24000, 1001, 0);
  test_rate(7, 1, 0);
  test_rate(1, 1, 0);
  test_rate(29, 3, 1);
  test_rate(1, 7, 1);
  test_set_format();
  test_bad_files();
  test_no_file();
  return check_done();
}
