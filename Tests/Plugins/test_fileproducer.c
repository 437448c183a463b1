#define _XOPEN_SOURCE 700
#include "check.h"
#include "host.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vpx/vp8dx.h>
#include <vpx/vpx_decoder.h>

static const msdk_class *class;
static const msdk_video_producer *producer;

static void write_file(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  CHECK(file != NULL);
  if (file == NULL) return;
  CHECK_EQ(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

/* Opens and starts; the result is that of init_capture. */
static msdk_result start(host_instance *instance, const char *path, int loop) {
  host_create(instance, class);
  CHECK_EQ(host_set_string(instance, "path", path), MSDK_OK);
  CHECK_EQ(host_set_bool(instance, "loop", loop), MSDK_OK);
  msdk_result result = producer->init_capture(instance->self);
  if (result == MSDK_OK) CHECK_EQ(producer->start_capture(instance->self), MSDK_OK);
  return result;
}

static void finish(host_instance *instance) {
  CHECK_EQ(producer->stop_capture(instance->self), MSDK_OK);
  CHECK_EQ(producer->release_capture(instance->self), MSDK_OK);
  host_destroy(instance);
}

/* ---------------------------------------------------------------------------------------------------------------------- Y4M */

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

static uint8_t big[8 << 20];

static void test_y4m_sizes(void) {
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
          CHECK_EQ(producer->produce_frame(instance.self, 5, &frame), MSDK_OK);
          check_picture(frame, i, mono);
          CHECK_EQ(frame->timestamp_ns, 0);
          CHECK_EQ((frame->flags & MSDK_FRAME_END) != 0, i == 2);
          host_unref(frame);
        }
        CHECK_EQ(producer->produce_frame(instance.self, 5, &frame), MSDK_E_CLOSED);
        finish(&instance);
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
    CHECK_EQ(producer->produce_frame(instance.self, 0, &frame), MSDK_OK);
    check_picture(frame, i % 3, 0);
    CHECK_EQ(frame->flags & MSDK_FRAME_END, 0);
    host_unref(frame);
    if (i == 9) { /* goes on where it was */
      CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
      CHECK_EQ(producer->produce_frame(instance.self, 0, &frame), MSDK_E_STATE);
      CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
    }
  }
  instance.context.pool_limit = 0; /* an empty pool loses no picture */
  CHECK_EQ(producer->produce_frame(instance.self, 0, &frame), MSDK_E_AGAIN);
  instance.context.pool_limit = 8;
  CHECK_EQ(producer->produce_frame(instance.self, 0, &frame), MSDK_OK);
  check_picture(frame, 20 % 3, 0);
  host_unref(frame);
  finish(&instance);

  CHECK_EQ(start(&instance, host_path("loop.y4m"), 0), MSDK_OK);
  for (int pass = 0; pass < 2; pass++) { /* after the end, from the beginning */
    for (uint32_t i = 0; i < 3; i++) {
      CHECK_EQ(producer->produce_frame(instance.self, 0, &frame), MSDK_OK);
      check_picture(frame, i, 0);
      host_unref(frame);
    }
    CHECK_EQ(producer->produce_frame(instance.self, 0, &frame), MSDK_E_CLOSED);
    CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
    CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  }
  finish(&instance);
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
    msdk_result result = producer->produce_frame(instance.self, 0, &frame);
    CHECK_EQ(result, MSDK_OK);
    if (result != MSDK_OK) break;
    CHECK_EQ(frame->plane[0].data[0], sample((uint32_t)(wanted % FRAMES), 0, 0, 0));
    int end = (frame->flags & MSDK_FRAME_END) != 0;
    host_unref(frame);
    CHECK_EQ(end, !loop && after >= FRAMES);
    if (end) break;
  }
  finish(&instance);
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

/* --------------------------------------------------------------------------------------------------------------------- IVF */

static uint8_t *bunny;
static size_t bunny_size;
enum { BUNNY_FRAMES = 132, IVF_HEADER = 32 };

static uint32_t u32_at(const uint8_t *at) { return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24; }
static void put_u32(uint8_t *at, uint32_t value) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * i);
}

static void load_bunny(void) {
  char path[1024];
  const char *media = getenv("MSDK_TEST_MEDIA");
  snprintf(path, sizeof path, "%s/bunny-720p25.ivf", media != NULL ? media : "Tests/Media");
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    printf("%s is missing; MSDK_TEST_MEDIA names its folder\n", path);
    exit(2);
  }
  fseek(file, 0, SEEK_END);
  bunny_size = (size_t)ftell(file);
  rewind(file);
  bunny = malloc(bunny_size);
  CHECK_EQ(fread(bunny, 1, bunny_size, file), bunny_size);
  fclose(file);
}

/* Position of the header of frame `index`, from 0. */
static size_t frame_at(uint32_t index) {
  size_t at = IVF_HEADER;
  while (index-- > 0) at += 12 + u32_at(bunny + at);
  return at;
}

/* The whole film against libvpx, used directly. */
static void test_bunny(void) {
  write_file(host_path("bunny"), bunny, bunny_size);
  host_instance instance;
  CHECK_EQ(start(&instance, host_path("bunny"), 0), MSDK_OK);
  msdk_video_format format = {0};
  CHECK_EQ(producer->capture_settings(instance.self, &format), MSDK_OK);
  CHECK_EQ(format.width, 1280);
  CHECK_EQ(format.height, 720);
  CHECK_EQ(format.fps_num, 25);
  CHECK_EQ(format.fps_den, 1);
  vpx_codec_ctx_t decoder;
  CHECK_EQ(vpx_codec_dec_init(&decoder, vpx_codec_vp8_dx(), NULL, 0), VPX_CODEC_OK);
  uint32_t count = 0;
  msdk_video_frame *frame = NULL;
  msdk_result result;
  while ((result = producer->produce_frame(instance.self, 0, &frame)) == MSDK_OK) {
    size_t at = frame_at(count++);
    vpx_codec_iter_t iterator = NULL;
    CHECK_EQ(vpx_codec_decode(&decoder, bunny + at + 12, u32_at(bunny + at), NULL, 0), VPX_CODEC_OK);
    const vpx_image_t *image = vpx_codec_get_frame(&decoder, &iterator);
    uint32_t wrong = 0;
    for (uint32_t y = 0; y < 720; y++) {
      const uint8_t *luma = frame->plane[0].data + (ptrdiff_t)y * frame->plane[0].stride;
      wrong += memcmp(luma, image->planes[0] + (ptrdiff_t)y * image->stride[0], 1280) != 0;
      const uint8_t *pairs = frame->plane[1].data + (ptrdiff_t)(y / 2) * frame->plane[1].stride;
      for (uint32_t x = 0; x < 640; x++) {
        wrong += pairs[2 * x] != image->planes[1][(ptrdiff_t)(y / 2) * image->stride[1] + x];
        wrong += pairs[2 * x + 1] != image->planes[2][(ptrdiff_t)(y / 2) * image->stride[2] + x];
      }
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ((frame->flags & MSDK_FRAME_END) != 0, count == BUNNY_FRAMES);
    CHECK_EQ(frame->flags & MSDK_FRAME_CORRUPT, 0);
    host_unref(frame);
  }
  CHECK_EQ(result, MSDK_E_CLOSED);
  CHECK_EQ(count, BUNNY_FRAMES);
  CHECK_EQ(instance.context.errors, 0);
  CHECK_EQ(instance.context.logs[MSDK_LOG_WARN], 0);
  vpx_codec_destroy(&decoder);
  finish(&instance);
}

typedef struct tally {
  uint32_t good, again, damaged;
  msdk_result last;
} tally;

static tally play(host_instance *instance, uint32_t at_most) {
  tally tally = {0};
  for (uint32_t i = 0; i < at_most; i++) {
    msdk_video_frame *frame = NULL;
    tally.last = producer->produce_frame(instance->self, 0, &frame);
    if (tally.last == MSDK_OK) {
      tally.good++;
      tally.damaged += (frame->flags & MSDK_FRAME_CORRUPT) != 0;
      host_unref(frame);
    } else if (tally.last == MSDK_E_AGAIN) {
      tally.again++;
    } else {
      break;
    }
  }
  return tally;
}

/* A first part of the film, of `frames` frames, in `big`. */
static size_t short_bunny(uint32_t frames) {
  size_t size = frame_at(frames);
  memcpy(big, bunny, size);
  return size;
}

static void test_damaged_frames(void) {
  /* The start code of the only key frame is gone: there is nothing to play. */
  size_t size = short_bunny(5);
  big[IVF_HEADER + 12 + 3] ^= 0xFF;
  write_file(host_path("d.ivf"), big, size);
  host_instance instance;
  CHECK_EQ(start(&instance, host_path("d.ivf"), 0), MSDK_E_CORRUPT);
  CHECK_TEXT(instance.context.error_text, "key frame");
  host_destroy(&instance);

  /* Frame 3 is empty: its time passes without a picture, and the others come. */
  size = short_bunny(6);
  size_t third = frame_at(2), fourth = frame_at(3);
  memmove(big + third + 12, big + fourth, size - fourth);
  put_u32(big + third, 0);
  size -= fourth - third - 12;
  write_file(host_path("d.ivf"), big, size);
  CHECK_EQ(start(&instance, host_path("d.ivf"), 0), MSDK_OK);
  tally seen = play(&instance, 3);
  CHECK_EQ(seen.good, 2);
  CHECK_EQ(seen.again, 1);
  CHECK_EQ(instance.context.logs[MSDK_LOG_WARN], 1);
  CHECK_TEXT(instance.context.log_text, "frame 3");
  seen = play(&instance, 100);
  CHECK_EQ(seen.good, 3);
  CHECK_EQ(seen.last, MSDK_E_CLOSED);
  finish(&instance);

  /* Frame 4 claims a first partition far beyond its end. */
  size = short_bunny(8);
  memset(big + frame_at(3) + 13, 0xFF, 2);
  write_file(host_path("d.ivf"), big, size);
  CHECK_EQ(start(&instance, host_path("d.ivf"), 0), MSDK_OK);
  seen = play(&instance, 100);
  CHECK_EQ(seen.good + seen.again, 8);
  CHECK(seen.again + seen.damaged >= 1);
  CHECK(seen.good >= 3);
  CHECK(instance.context.logs[MSDK_LOG_WARN] >= 1);
  finish(&instance);

  /* A key frame's header is good and the rest is nothing: nothing ever decodes, also not in a loop. */
  for (int loop = 0; loop < 2; loop++) {
    size = short_bunny(4);
    for (uint32_t i = 0; i < 4; i++) {
      size_t from = frame_at(i) + 12, count = u32_at(bunny + frame_at(i));
      if (i > 0) memset(big + from, 0xFF, count);
      else big[from] |= 0xE0, memset(big + from + 1, 0xFF, 2); /* the size of its first partition */
    }
    write_file(host_path("d.ivf"), big, size);
    CHECK_EQ(start(&instance, host_path("d.ivf"), loop), MSDK_OK);
    seen = play(&instance, 1000);
    CHECK_EQ(seen.good, 0);
    CHECK_EQ(seen.last, MSDK_E_CORRUPT);
    CHECK_TEXT(instance.context.error_text, "none of the file's 4 frames");
    finish(&instance);
  }

  /* A second key frame of another size. */
  size = short_bunny(1);
  size_t first_size = size - IVF_HEADER;
  memcpy(big + size, big + IVF_HEADER, first_size);
  big[size + 12 + 6] = 0x40;
  write_file(host_path("d.ivf"), big, size + first_size);
  CHECK_EQ(start(&instance, host_path("d.ivf"), 0), MSDK_OK);
  seen = play(&instance, 100);
  CHECK_EQ(seen.good, 1);
  CHECK_EQ(seen.last, MSDK_E_FORMAT);
  CHECK_TEXT(instance.context.error_text, "1280x720");
  finish(&instance);

  /* Cut off anywhere: what is whole is played, then the place is named. */
  for (uint32_t i = 0; i < 24; i++) {
    size_t whole = frame_at(3), cut = whole + 1 + i * (u32_at(bunny + whole) + 10) / 24;
    write_file(host_path("d.ivf"), bunny, cut);
    CHECK_EQ(start(&instance, host_path("d.ivf"), 0), MSDK_OK);
    seen = play(&instance, 100);
    CHECK_EQ(seen.good, 3);
    CHECK_EQ(seen.last, MSDK_E_CORRUPT);
    CHECK_TEXT(instance.context.error_text, "frame 4 at byte");
    finish(&instance);
  }

  /* Damage anywhere: whatever comes of it, the end is reached and nothing is read out of bounds. */
  uint32_t random = 12345;
  for (uint32_t round = 0; round < 40; round++) {
    size = short_bunny(6);
    for (int hit = 0; hit < 20; hit++) {
      random = random * 1664525 + 1013904223;
      big[IVF_HEADER + 12 + 10 + random % (size - IVF_HEADER - 22)] = (uint8_t)(random >> 24);
    }
    write_file(host_path("d.ivf"), big, size);
    if (start(&instance, host_path("d.ivf"), 0) == MSDK_OK) {
      seen = play(&instance, 100);
      CHECK(seen.last == MSDK_E_CLOSED || seen.last == MSDK_E_CORRUPT || seen.last == MSDK_E_FORMAT);
      finish(&instance);
    } else {
      host_destroy(&instance);
    }
  }
}

static void test_ivf_rates(void) {
  struct { uint32_t unit_den, unit_num, step, num, den; } table[] = {
    {25, 1, 1, 25, 1},           {30000, 1001, 1, 30000, 1001}, {90000, 1, 3600, 25, 1}, {1000, 1, 40, 25, 1},
    {90000, 1, 3003, 30000, 1001}, {50, 1, 2, 25, 1},           {0, 1, 1, 25, 1},        {25, 0, 1, 25, 1},
    {4294967295u, 1, 1, 25, 1},  {90000, 1, 0, 25, 1},          {1000000000, 1, 40000013, 25, 1},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    size_t size = short_bunny(10);
    put_u32(big + 16, table[i].unit_den);
    put_u32(big + 20, table[i].unit_num);
    for (uint32_t f = 0; f < 10; f++) put_u32(big + frame_at(f) + 4, 77 + f * table[i].step);
    write_file(host_path("r.ivf"), big, size);
    host_instance instance;
    CHECK_EQ(start(&instance, host_path("r.ivf"), 0), MSDK_OK);
    msdk_video_format format = {0};
    CHECK_EQ(producer->capture_settings(instance.self, &format), MSDK_OK);
    CHECK_EQ(format.fps_num, table[i].num);
    CHECK_EQ(format.fps_den, table[i].den);
    finish(&instance);
  }
  /* Half the rate: half of the pictures, though all must be decoded. */
  host_instance instance;
  write_file(host_path("r.ivf"), bunny, frame_at(11));
  CHECK_EQ(start(&instance, host_path("r.ivf"), 0), MSDK_OK);
  CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
  msdk_video_format half = host_format(MSDK_PIXEL_I420, 1280, 720);
  half.fps_num = 25;
  half.fps_den = 2;
  CHECK_EQ(producer->set_format(instance.self, &half), MSDK_OK);
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  tally seen = play(&instance, 100);
  CHECK_EQ(seen.good, 6);
  CHECK_EQ(seen.last, MSDK_E_CLOSED);
  CHECK_EQ(instance.context.logs[MSDK_LOG_WARN], 0);
  finish(&instance);
}

/* --------------------------------------------------------------------------------------------------------------- bad files */

typedef struct bad_file {
  const char *text; /* its bytes, up to the NUL or `size` */
  size_t size;
  msdk_result result;
  const char *words;
} bad_file;

static void check_refused(const char *path, msdk_result wanted, const char *words) {
  host_instance instance;
  msdk_result result = start(&instance, path, 0);
  CHECK_EQ(result, wanted);
  CHECK_TEXT(instance.context.error_text, words);
  CHECK_EQ(instance.context.error, wanted);
  if (result != wanted) printf("  with %s: %s\n", path, words);
  if (result == MSDK_OK) finish(&instance);
  else host_destroy(&instance);
}

static void test_bad_y4m(void) {
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
    {"YUV4MPEG2 W4 H4\n", 0, MSDK_E_CORRUPT, "not one frame"},
    {"YUV4MPEG2 W0 H4\nFRAME\n", 0, MSDK_E_CORRUPT, "W0"},
    {"YUV4MPEG2 W-4 H4\nFRAME\n", 0, MSDK_E_CORRUPT, "W-4"},
    {"YUV4MPEG2 W4x H4\nFRAME\n", 0, MSDK_E_CORRUPT, "W4x"},
    {"YUV4MPEG2 W H4\nFRAME\n", 0, MSDK_E_CORRUPT, "1 to 16384"},
    {"YUV4MPEG2 W16385 H4\nFRAME\n", 0, MSDK_E_CORRUPT, "W16385"},
    {"YUV4MPEG2 W99999999999999999999 H4\nFRAME\n", 0, MSDK_E_CORRUPT, "W9999"},
    {"YUV4MPEG2 W4294967300 H4\nFRAME\n", 0, MSDK_E_CORRUPT, "W4294967300"},
    {"YUV4MPEG2 W4 H4 W8\nFRAME\n", 0, MSDK_E_CORRUPT, "only once"},
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
    finish(&instance);
  }

  /* The file shrinks while it is played. */
  write_file(host_path("bad.y4m"), big, size);
  host_instance instance;
  CHECK_EQ(start(&instance, host_path("bad.y4m"), 0), MSDK_OK);
  CHECK_EQ(truncate(host_path("bad.y4m"), 60), 0);
  CHECK_EQ(play(&instance, 10).last, MSDK_E_IO);
  CHECK_TEXT(instance.context.error_text, "the file ends at byte 60");
  finish(&instance);
}

static void test_bad_ivf(void) {
  struct { size_t at; uint32_t value; size_t size; msdk_result result; const char *words; } table[] = {
    {0, 0x46494B44, 4, MSDK_E_CORRUPT, "byte 4, inside the IVF header of 32"},
    {0, 0x46494B44, 31, MSDK_E_CORRUPT, "byte 31"},
    {0, 0x46494B44, 32, MSDK_E_CORRUPT, "not one frame"},
    {0, 0x46494B44, 40, MSDK_E_CORRUPT, "frame 1 at byte 32: its header has 12 bytes, the file ends after 8"},
    {0, 0x46494B44, 60, MSDK_E_CORRUPT, "frame 1 at byte 32 claims"},
    {4, 0x00200001, 0, MSDK_E_CORRUPT, "version 1"},
    {4, 0x00100000, 0, MSDK_E_CORRUPT, "16 bytes"},
    {4, 0xFFFF0000, 60, MSDK_E_CORRUPT, "not one frame"},
    {8, 0x30395056, 0, MSDK_E_UNSUPPORTED, "56 50 39 30"},
    {32, 0xFFFFFFFF, 0, MSDK_E_CORRUPT, "claims 4294967295 bytes"},
    {32, 0x7FFFFFFF, 0, MSDK_E_CORRUPT, "claims 2147483647 bytes"},
    {50, 0x3FFF3FFF, 0, MSDK_E_CORRUPT, "no usable VP8 key frame"},
    {50, 0x00000000, 0, MSDK_E_CORRUPT, "no usable VP8 key frame"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    size_t size = short_bunny(4);
    put_u32(big + table[i].at, table[i].value);
    write_file(host_path("bad.ivf"), big, table[i].size != 0 ? table[i].size : size);
    check_refused(host_path("bad.ivf"), table[i].result, table[i].words);
  }
  /* A header with the wrong size of the pictures: they tell it themselves. */
  size_t size = short_bunny(4);
  put_u32(big + 12, 0);
  write_file(host_path("bad.ivf"), big, size);
  host_instance instance;
  CHECK_EQ(start(&instance, host_path("bad.ivf"), 0), MSDK_OK);
  CHECK_EQ(instance.context.logs[MSDK_LOG_WARN], 1);
  CHECK_EQ(play(&instance, 100).good, 4);
  finish(&instance);
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
}

static void test_lifecycle(void) {
  write_file(host_path("l.ivf"), bunny, frame_at(2));
  write_file(host_path("l.y4m"), big, put_y4m(big, "", "", 33, 17, 2, 0));
  write_file(host_path("l.bad"), "YUV4MPEG2 W4 H4\nFRAME\n", 22);
  host_instance instance;
  host_create(&instance, class);
  int before = host_open_descriptors();
  for (int i = 0; i < 100; i++) {
    CHECK_EQ(host_set_string(&instance, "path", host_path(i % 2 ? "l.ivf" : "l.y4m")), MSDK_OK);
    CHECK_EQ(producer->init_capture(instance.self), MSDK_OK);
    CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
    CHECK_EQ(play(&instance, 10).good, 2);
    CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
    CHECK_EQ(producer->release_capture(instance.self), MSDK_OK);
    CHECK_EQ(host_set_string(&instance, "path", host_path("l.bad")), MSDK_OK);
    CHECK_EQ(producer->init_capture(instance.self), MSDK_E_CORRUPT);
  }
  CHECK_EQ(host_open_descriptors(), before);
  host_destroy(&instance);
}

int main(int argc, char **argv) {
  class = host_load(argc, argv, "fileproducer.so", "org.mediasdk.producer.file");
  producer = class->video_producer;
  load_bunny();
  test_y4m_sizes();
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
  test_bunny();
  test_damaged_frames();
  test_ivf_rates();
  test_bad_y4m();
  test_bad_ivf();
  test_no_file();
  test_lifecycle();
  free(bunny);
  return check_done();
}
