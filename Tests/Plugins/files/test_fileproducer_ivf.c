#define _XOPEN_SOURCE 700
#include "fileproducer_play.h"

#include <vpx/vp8dx.h>
#include <vpx/vpx_decoder.h>

static uint8_t *bunny;
static size_t bunny_size;
enum { BUNNY_FRAMES = 132, IVF_HEADER = 32 };

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
  while ((result = ask(&instance, &frame)) == MSDK_OK) {
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
  CHECK_EQ(host_logs(&instance, MSDK_LOG_WARN, 0), 0);
  vpx_codec_destroy(&decoder);
  host_finish(&instance);
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
  CHECK_EQ(host_logs(&instance, MSDK_LOG_WARN, 1), 1);
  CHECK_TEXT(instance.context.log_text, "frame 3");
  seen = play(&instance, 100);
  CHECK_EQ(seen.good, 3);
  CHECK_EQ(seen.last, MSDK_E_CLOSED);
  host_finish(&instance);

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
  host_finish(&instance);

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
    host_finish(&instance);
  }

  /* A second key frame that says it is of another size, the largest for its bytes, and of one that is too large for them. */
  for (int i = 0; i < 2; i++) {
    size = short_bunny(1);
    size_t first_size = size - IVF_HEADER;
    memcpy(big + size, big + IVF_HEADER, first_size);
    put_u32(big + size + 12 + 6, i == 0 ? 1280 | 736u << 16 : 0x3FFF3FFF);
    write_file(host_path("d.ivf"), big, size + first_size);
    CHECK_EQ(start(&instance, host_path("d.ivf"), 0), MSDK_OK);
    msdk_video_format format = {0};
    CHECK_EQ(producer->capture_settings(instance.self, &format), MSDK_OK);
    CHECK_EQ(format.width, 1280);
    CHECK_EQ(format.height, i == 0 ? 736 : 720);
    seen = play(&instance, 100);
    CHECK_EQ(seen.good + seen.again, 2);
    CHECK(seen.good >= 1);
    CHECK_EQ(seen.last, MSDK_E_CLOSED);
    host_finish(&instance);
  }

  /* Cut off anywhere: what is whole is played, then the place is named. */
  for (uint32_t i = 0; i < 24; i++) {
    size_t whole = frame_at(3), cut = whole + 1 + i * (u32_at(bunny + whole) + 10) / 24;
    write_file(host_path("d.ivf"), bunny, cut);
    CHECK_EQ(start(&instance, host_path("d.ivf"), 0), MSDK_OK);
    seen = play(&instance, 100);
    CHECK_EQ(seen.good, 3);
    CHECK_EQ(seen.last, MSDK_E_CORRUPT);
    CHECK_TEXT(instance.context.error_text, "frame 4 at byte");
    host_finish(&instance);
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
      host_finish(&instance);
    } else {
      host_destroy(&instance);
    }
  }
}

static void test_rates(void) {
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
    host_finish(&instance);
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
  CHECK_EQ(host_logs(&instance, MSDK_LOG_WARN, 0), 0);
  host_finish(&instance);
}

static void test_bad_files(void) {
  struct { size_t at; uint32_t value; size_t size; msdk_result result; const char *words; } table[] = {
    {0, 0x46494B44, 4, MSDK_E_CORRUPT, "byte 4, within the IVF header of 32"},
    {0, 0x46494B44, 31, MSDK_E_CORRUPT, "byte 31"},
    {0, 0x46494B44, 32, MSDK_E_CORRUPT, "without a frame"},
    {0, 0x46494B44, 40, MSDK_E_CORRUPT, "frame 1 at byte 32: its header has 12 bytes, the file ends after 8"},
    {0, 0x46494B44, 60, MSDK_E_CORRUPT, "frame 1 at byte 32 has"},
    {4, 0x00200001, 0, MSDK_E_CORRUPT, "version 1"},
    {4, 0x00100000, 0, MSDK_E_CORRUPT, "16 bytes"},
    {4, 0xFFFF0000, 60, MSDK_E_CORRUPT, "without a frame"},
    {8, 0x30395056, 0, MSDK_E_UNSUPPORTED, "56 50 39 30"},
    {32, 0xFFFFFFFF, 0, MSDK_E_CORRUPT, "has 4294967295 bytes"},
    {32, 0x7FFFFFFF, 0, MSDK_E_CORRUPT, "has 2147483647 bytes"},
    {50, 0x3FFF3FFF, 0, MSDK_E_CORRUPT, "is a usable VP8 key frame"},
    {50, 0x00000000, 0, MSDK_E_CORRUPT, "is a usable VP8 key frame"},
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
  CHECK_EQ(host_logs(&instance, MSDK_LOG_WARN, 1), 1);
  CHECK_EQ(play(&instance, 100).good, 4);
  host_finish(&instance);
}

static void test_lifecycle(void) {
  write_file(host_path("l.ivf"), bunny, frame_at(2));
  write_file(host_path("l.y4m"), "YUV4MPEG2 W2 H2\nFRAME\n123456FRAME\n123456", 40);
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
  load_producer(argc, argv);
  bunny = read_file(media_path("bunny-720p25.ivf"), &bunny_size);
  test_bunny();
  test_damaged_frames();
  test_rates();
  test_bad_files();
  test_lifecycle();
  free(bunny);
  return check_done();
}
