#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "host.h"
#include "stamp_reader.h"

#include <stdlib.h>
#include <time.h>
#include <vpx/vp8cx.h>
#include <vpx/vp8dx.h>
#include <vpx/vpx_decoder.h>
#include <vpx/vpx_encoder.h>

static const uint32_t pixel_formats[] = {MSDK_PIXEL_NV12, MSDK_PIXEL_I420, MSDK_PIXEL_BGRA, MSDK_PIXEL_RGBA};
static const char *const patterns[] = {"lines", "bars", "counter"};

static void start(host_instance *instance, const msdk_class *class, const char *pattern, msdk_video_format format) {
  host_create(instance, class);
  CHECK_EQ(host_set_string(instance, "pattern", pattern), MSDK_OK);
  CHECK_EQ(class->video_producer->init_capture(instance->self), MSDK_OK);
  CHECK_EQ(class->video_producer->set_format(instance->self, &format), MSDK_OK);
  CHECK_EQ(class->video_producer->start_capture(instance->self), MSDK_OK);
}

static msdk_video_frame *produce(host_instance *instance, int64_t due_ns) {
  msdk_video_frame *frame = NULL;
  CHECK_EQ(instance->class->video_producer->produce_frame(instance->self, due_ns, &frame), MSDK_OK);
  return frame;
}

/* Two instances draw into memory that held different things: every sample must have been written, and nothing else. */
static void test_sizes(const msdk_class *class) {
  static const uint32_t sizes[][2] = {{1, 1},  {2, 1},   {1, 2},     {3, 5},      {17, 9},     {35, 19},
                                      {36, 20}, {37, 21}, {64, 1},    {1, 64},     {320, 180},  {1279, 719}};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    for (size_t f = 0; f < 4; f++) {
      for (size_t p = 0; p < 3; p++) {
        host_instance a, b;
        msdk_video_format format = host_format(pixel_formats[f], sizes[s][0], sizes[s][1]);
        start(&a, class, patterns[p], format);
        start(&b, class, patterns[p], format);
        b.context.poison = 0x3C;
        b.context.padding = 7;
        for (int i = 0; i < 3; i++) {
          msdk_video_frame *of_a = produce(&a, i * 1000), *of_b = produce(&b, i * 1000);
          CHECK(host_same(of_a, of_b));
          CHECK_EQ(of_a->timestamp_ns, i * 1000);
          CHECK_EQ(of_a->format->width, sizes[s][0]);
          host_unref(of_a);
          host_unref(of_b);
        }
        host_finish(&a);
        host_finish(&b);
      }
    }
  }
}

typedef struct levels {
  uint8_t y, cb, cr;
} levels;

static void check_levels(const msdk_video_frame *frame, uint32_t x, uint32_t y, levels wanted, int line) {
  const msdk_plane *luma = &frame->plane[0], *chroma = &frame->plane[1];
  check_equal(luma->data[(ptrdiff_t)y * luma->stride + x], wanted.y, __FILE__, line, "Y");
  const uint8_t *pair = chroma->data + (ptrdiff_t)(y / 2) * chroma->stride + x / 2 * 2;
  check_equal(pair[0], wanted.cb, __FILE__, line, "Cb");
  check_equal(pair[1], wanted.cr, __FILE__, line, "Cr");
}

/* The well-known code values of the 75 % bars, from grey to blue. */
static void test_bars(const msdk_class *class) {
  static const levels bt601[7] = {{180, 128, 128}, {162, 44, 142}, {131, 156, 44}, {112, 72, 58},
                                  {84, 184, 198},  {65, 100, 212}, {35, 212, 114}};
  static const levels bt709[7] = {{180, 128, 128}, {168, 44, 136}, {145, 147, 44}, {133, 63, 52},
                                  {63, 193, 204},  {51, 109, 212}, {28, 212, 120}};
  for (int hd = 0; hd < 2; hd++) {
    host_instance instance;
    msdk_video_format format = host_format(MSDK_PIXEL_NV12, 1280, 720);
    format.color_matrix = hd ? MSDK_MATRIX_BT709 : MSDK_COLOR_UNSPECIFIED;
    start(&instance, class, "bars", format);
    msdk_video_frame *frame = produce(&instance, 0);
    for (uint32_t bar = 0; bar < 7; bar++) {
      uint32_t x = 1280 * bar / 7 + 90;
      check_levels(frame, x, 10, (hd ? bt709 : bt601)[bar], __LINE__);
      check_levels(frame, x, 470, (hd ? bt709 : bt601)[bar], __LINE__);
      levels below = bar % 2 == 1 ? (levels){16, 128, 128} : (hd ? bt709 : bt601)[6 - bar];
      check_levels(frame, x, 500, below, __LINE__);
    }
    check_levels(frame, 1280 * 22 / 84, 700, (levels){235, 128, 128}, __LINE__);
    check_levels(frame, 1280 * 62 / 84, 700, (levels){7, 128, 128}, __LINE__);
    check_levels(frame, 1280 * 70 / 84, 700, (levels){25, 128, 128}, __LINE__);
    check_levels(frame, 1270, 700, (levels){16, 128, 128}, __LINE__);
    host_unref(frame);
    host_finish(&instance);
  }
  for (int bgra = 0; bgra < 2; bgra++) {
    host_instance instance;
    start(&instance, class, "bars", host_format(bgra ? MSDK_PIXEL_BGRA : MSDK_PIXEL_RGBA, 70, 60));
    msdk_video_frame *frame = produce(&instance, 0);
    const uint8_t *yellow = frame->plane[0].data + 4 * 15, *blue = frame->plane[0].data + 4 * 65;
    CHECK_EQ(yellow[bgra ? 2 : 0], 191);
    CHECK_EQ(yellow[1], 191);
    CHECK_EQ(yellow[bgra ? 0 : 2], 0);
    CHECK_EQ(yellow[3], 255);
    CHECK_EQ(blue[bgra ? 0 : 2], 191);
    CHECK_EQ(blue[bgra ? 2 : 0], 0);
    host_unref(frame);
    host_finish(&instance);
  }
}

static void test_full_range(const msdk_class *class) {
  host_instance instance;
  msdk_video_format format = host_format(MSDK_PIXEL_I420, 280, 120);
  format.color_full_range = 1;
  start(&instance, class, "bars", format);
  msdk_video_frame *frame = produce(&instance, 0);
  CHECK_EQ(frame->plane[0].data[5], 191);
  CHECK_EQ(frame->plane[0].data[(ptrdiff_t)115 * frame->plane[0].stride + 75], 255);
  CHECK_EQ(frame->plane[0].data[(ptrdiff_t)115 * frame->plane[0].stride + 275], 0);
  CHECK_EQ(frame->plane[1].data[5], 128);
  host_unref(frame);
  host_finish(&instance);
}

static void test_lines(const msdk_class *class) {
  host_instance a, b;
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, 64, 200);
  start(&a, class, "lines", format);
  start(&b, class, "lines", format);
  CHECK_EQ(host_set_f64(&b, "speed", 0), MSDK_OK);
  msdk_video_frame *first = produce(&a, 0), *still_first = produce(&b, 0);
  CHECK(host_same(first, still_first));
  for (int i = 1; i < 20; i++) {
    msdk_video_frame *moved = produce(&a, i), *still = produce(&b, i);
    CHECK(host_same(first, still));
    CHECK(!host_same(first, moved));
    /* After 6 frames of 1/30 s at a screen in 4 s, row 10 is where row 20 was. */
    if (i == 6) CHECK_EQ(moved->plane[0].data[5], first->plane[0].data[(ptrdiff_t)10 * first->plane[0].stride]);
    host_unref(moved);
    host_unref(still);
  }
  int shades = 0;
  for (int row = 1; row < 200; row++) {
    const uint8_t *at = first->plane[0].data + (ptrdiff_t)row * first->plane[0].stride;
    CHECK(at[0] >= 16 && at[0] <= 235 && at[0] == at[63]);
    shades += at[0] != at[-first->plane[0].stride];
  }
  CHECK(shades >= 15 && shades <= 20);
  host_unref(first);
  host_unref(still_first);
  host_finish(&a);
  host_finish(&b);
}

static void test_stamp(const msdk_class *class) {
  static const uint32_t sizes[][2] = {{36, 20}, {37, 21}, {97, 33}, {144, 80}, {212, 160}, {320, 180}, {1279, 719}, {720, 1280}};
  static const int64_t times[] = {0, 1, 33333333, 1699999999123456789, INT64_MAX, -5, INT64_MIN};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    for (int full = 0; full < 2; full++) {
      host_instance instance;
      msdk_video_format format = host_format(full ? MSDK_PIXEL_I420 : MSDK_PIXEL_NV12, sizes[s][0], sizes[s][1]);
      format.color_full_range = (uint32_t)full;
      start(&instance, class, "counter", format);
      for (uint32_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        msdk_video_frame *frame = produce(&instance, times[i]);
        stamp read = {0};
        CHECK_EQ(stamp_read(frame->plane[0].data, frame->plane[0].stride, sizes[s][0], sizes[s][1], &read), 1);
        CHECK_EQ(read.counter, i + 1);
        CHECK_EQ(read.timestamp_ns, times[i]);
        CHECK_EQ(frame->timestamp_ns, times[i]);
        /* One wrong block is noticed. */
        CHECK_EQ(host_table.video_frame_make_writable(&instance.context, frame, &frame), MSDK_OK);
        frame->plane[0].data[0] = (uint8_t)(frame->plane[0].data[0] < 128 ? 235 : 16);
        if (sizes[s][0] == 36) CHECK_EQ(stamp_read(frame->plane[0].data, frame->plane[0].stride, sizes[s][0], sizes[s][1], &read), 0);
        host_unref(frame);
      }
      host_finish(&instance);
    }
  }
  host_instance instance;
  start(&instance, class, "bars", host_format(MSDK_PIXEL_NV12, 320, 180));
  msdk_video_frame *frame = produce(&instance, 9);
  stamp read;
  CHECK_EQ(stamp_read(frame->plane[0].data, frame->plane[0].stride, 320, 180, &read), 0);
  host_unref(frame);
  host_finish(&instance);
}

/* Half the size in both directions, as a scaler's box filter does it. */
static void test_scaled_stamp(const msdk_class *class) {
  host_instance instance;
  start(&instance, class, "counter", host_format(MSDK_PIXEL_NV12, 1280, 720));
  msdk_video_frame *frame = produce(&instance, 123456789);
  static uint8_t small[360 * 640];
  for (int y = 0; y < 360; y++) {
    const uint8_t *upper = frame->plane[0].data + (ptrdiff_t)2 * y * frame->plane[0].stride, *lower = upper + frame->plane[0].stride;
    for (int x = 0; x < 640; x++) small[y * 640 + x] = (uint8_t)((upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1]) / 4);
  }
  stamp read = {0};
  CHECK_EQ(stamp_read(small, 640, 640, 360, &read), 1);
  CHECK_EQ(read.counter, 1);
  CHECK_EQ(read.timestamp_ns, 123456789);
  host_unref(frame);
  host_finish(&instance);
}

static int decoded_stamp(vpx_codec_ctx_t *decoder, const vpx_codec_cx_pkt_t *packet, stamp *out) {
  vpx_codec_iter_t iterator = NULL;
  CHECK_EQ(vpx_codec_decode(decoder, packet->data.frame.buf, (unsigned int)packet->data.frame.sz, NULL, 0), VPX_CODEC_OK);
  const vpx_image_t *image = vpx_codec_get_frame(decoder, &iterator);
  return image != NULL && stamp_read(image->planes[0], image->stride[0], image->d_w, image->d_h, out);
}

/* Every stamp must survive real-time VP8 at a low rate. */
static void test_stamp_through_vp8(const msdk_class *class, uint32_t width, uint32_t height, uint32_t kilobits) {
  enum { FRAMES = 60 };
  vpx_codec_ctx_t encoder, decoder;
  vpx_codec_enc_cfg_t configuration;
  CHECK_EQ(vpx_codec_enc_config_default(vpx_codec_vp8_cx(), &configuration, 0), VPX_CODEC_OK);
  configuration.g_w = width;
  configuration.g_h = height;
  configuration.g_timebase.den = 30;
  configuration.rc_target_bitrate = kilobits;
  configuration.rc_end_usage = VPX_CBR;
  configuration.g_lag_in_frames = 0;
  configuration.rc_dropframe_thresh = 0;
  CHECK_EQ(vpx_codec_enc_init(&encoder, vpx_codec_vp8_cx(), &configuration, 0), VPX_CODEC_OK);
  CHECK_EQ(vpx_codec_control(&encoder, VP8E_SET_CPUUSED, -12), VPX_CODEC_OK);
  CHECK_EQ(vpx_codec_dec_init(&decoder, vpx_codec_vp8_dx(), NULL, 0), VPX_CODEC_OK);
  host_instance instance;
  start(&instance, class, "counter", host_format(MSDK_PIXEL_I420, width, height));
  uint64_t bytes = 0;
  for (int64_t i = 0; i < FRAMES; i++) {
    int64_t due_ns = 4000000000000 + i * 33333333;
    msdk_video_frame *frame = produce(&instance, due_ns);
    vpx_image_t image;
    vpx_img_wrap(&image, VPX_IMG_FMT_I420, width, height, 1, frame->plane[0].data);
    for (int p = 0; p < 3; p++) {
      image.planes[p] = frame->plane[p].data;
      image.stride[p] = frame->plane[p].stride;
    }
    CHECK_EQ(vpx_codec_encode(&encoder, &image, i, 1, 0, VPX_DL_REALTIME), VPX_CODEC_OK);
    host_unref(frame);
    vpx_codec_iter_t iterator = NULL;
    const vpx_codec_cx_pkt_t *packet;
    int seen = 0;
    while ((packet = vpx_codec_get_cx_data(&encoder, &iterator)) != NULL) {
      if (packet->kind != VPX_CODEC_CX_FRAME_PKT) continue;
      stamp read = {0};
      bytes += packet->data.frame.sz;
      CHECK_EQ(decoded_stamp(&decoder, packet, &read), 1);
      CHECK_EQ(read.counter, i + 1);
      CHECK_EQ(read.timestamp_ns, due_ns);
      seen++;
    }
    CHECK_EQ(seen, 1);
  }
  printf("stamp through VP8: %ux%u, asked for %u kbit/s, took %.0f\n", width, height, kilobits, (double)bytes * 8 * 30 / FRAMES / 1000);
  host_finish(&instance);
  vpx_codec_destroy(&encoder);
  vpx_codec_destroy(&decoder);
}

static void test_formats(const msdk_class *class) {
  const msdk_video_producer *producer = class->video_producer;
  host_instance instance;
  host_create(&instance, class);
  CHECK_EQ(producer->flags & MSDK_PRODUCER_PULL, MSDK_PRODUCER_PULL);
  CHECK_EQ(producer->init_capture(instance.self), MSDK_OK);
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  uint32_t count = 0;
  while (producer->enum_formats(instance.self, count, &format) == MSDK_OK) {
    CHECK_EQ(format.pixel_format, MSDK_PIXEL_NV12);
    CHECK_EQ(producer->set_format(instance.self, &format), MSDK_OK);
    count++;
  }
  CHECK(count >= 5);
  CHECK_EQ(producer->enum_formats(instance.self, UINT32_MAX, &format), MSDK_E_NOT_FOUND);
  CHECK_EQ(producer->set_format(instance.self, NULL), MSDK_E_INVALID);

  msdk_video_format good = host_format(MSDK_PIXEL_I420, 16384, 3), bad[7];
  CHECK_EQ(producer->set_format(instance.self, &good), MSDK_OK);
  for (int i = 0; i < 7; i++) bad[i] = host_format(MSDK_PIXEL_NV12, 64, 64);
  bad[0].pixel_format = MSDK_PIXEL_RGB24;
  bad[1].width = 0;
  bad[2].height = 0;
  bad[3].width = 16385;
  bad[4].height = UINT32_MAX;
  bad[5].fps_den = 0;
  bad[6].color_matrix = 8;
  for (int i = 0; i < 7; i++) {
    uint32_t before = instance.context.errors;
    CHECK_EQ(producer->set_format(instance.self, &bad[i]), MSDK_E_FORMAT);
    CHECK_EQ(instance.context.errors, before + 1);
  }
  CHECK_EQ(producer->capture_settings(instance.self, &format), MSDK_OK);
  CHECK_EQ(format.width, 16384); /* what was refused changed nothing */
  msdk_video_frame *frame = NULL;
  CHECK_EQ(producer->produce_frame(instance.self, 0, &frame), MSDK_E_STATE);
  host_check_params(&instance);
  CHECK_EQ(host_set_f64(&instance, "speed", 16.5), MSDK_E_RANGE);
  CHECK_EQ(host_set_f64(&instance, "speed", -0.5), MSDK_E_RANGE);
  CHECK_EQ(producer->release_capture(instance.self), MSDK_OK);
  host_destroy(&instance);
}

static void test_lifecycle(const msdk_class *class) {
  const msdk_video_producer *producer = class->video_producer;
  host_instance instance;
  host_create(&instance, class);
  for (int i = 0; i < 100; i++) {
    CHECK_EQ(producer->init_capture(instance.self), MSDK_OK);
    CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
    CHECK_EQ(host_set_string(&instance, "pattern", patterns[i % 3]), MSDK_OK);
    host_unref(produce(&instance, i));
    CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
    CHECK_EQ(producer->release_capture(instance.self), MSDK_OK);
  }
  /* An empty pool is no error of the plugin's, and loses no number. */
  CHECK_EQ(host_set_string(&instance, "pattern", "counter"), MSDK_OK);
  CHECK_EQ(producer->init_capture(instance.self), MSDK_OK);
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  msdk_video_frame *held[HOST_POOL], *none = NULL;
  for (uint32_t i = 0; i < HOST_POOL; i++) held[i] = produce(&instance, 1 + i);
  CHECK_EQ(producer->produce_frame(instance.self, 1 + HOST_POOL, &none), MSDK_E_AGAIN);
  for (uint32_t i = 0; i < HOST_POOL; i++) host_unref(held[i]);
  msdk_video_frame *next = produce(&instance, 2 + HOST_POOL);
  stamp read = {0};
  CHECK_EQ(stamp_read(next->plane[0].data, next->plane[0].stride, next->format->width, next->format->height, &read), 1);
  CHECK_EQ(read.counter, 1 + HOST_POOL);
  host_unref(next);
  host_finish(&instance);

  msdk_host old = host_table;
  old.struct_size = offsetof(msdk_host, video_frame_acquire);
  msdk_self *self = NULL;
  CHECK_EQ(class->create(class, &old, NULL, &self), MSDK_E_ABI);
}

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* The best of many: what else the machine does is not the plugin's doing. */
static void test_speed(const msdk_class *class) {
  for (size_t f = 0; f < 4; f++) {
    for (size_t p = 0; p < 3; p++) {
      host_instance instance;
      start(&instance, class, patterns[p], host_format(pixel_formats[f], 1920, 1080));
      double best = 1e9;
      for (int i = 0; i < 60; i++) {
        msdk_video_frame *frame = NULL;
        double begin = milliseconds();
        instance.class->video_producer->produce_frame(instance.self, i, &frame);
        double took = milliseconds() - begin;
        if (took < best) best = took;
        host_unref(frame);
      }
      printf("1920x1080 %.4s %-7s %.3f ms\n", (const char *)&pixel_formats[f], patterns[p], best);
      if (!CHECK_SANITIZED && f < 2) CHECK(best < 2);
      host_finish(&instance);
    }
  }
}

static msdk_result set_pattern(host_instance *instance, const char *pattern, double speed) {
  msdk_result (*native)(msdk_self *, const char *, double) =
      (msdk_result(*)(msdk_self *, const char *, double))host_native(instance->class, "set_pattern");
  if (native != NULL) return native(instance->self, pattern, speed);
  msdk_value args[2] = {{.type = MSDK_T_STRING, .u.str = pattern}, {.type = MSDK_T_F64, .u.f64 = speed}};
  host_call(instance, "set_pattern", 2, args);
  return MSDK_OK;
}

static uint64_t frame_count(host_instance *instance) {
  uint64_t (*native)(msdk_self *) = (uint64_t (*)(msdk_self *))host_native(instance->class, "frame_count");
  return native != NULL ? native(instance->self) : host_call(instance, "frame_count", 0, NULL).u.u64;
}

/* The command sets both parameters from the next picture on, and tells so. */
static void test_command(const msdk_class *class) {
  host_instance instance;
  start(&instance, class, "bars", host_format(MSDK_PIXEL_NV12, 320, 180));
  host_unref(produce(&instance, 0));
  CHECK_EQ(set_pattern(&instance, "counter", 4), MSDK_OK);
  CHECK_EQ(host_events(&instance, 2), 2);
  CHECK_EQ(instance.context.last_event, MSDK_PLUGIN_EVENT_PARAM_CHANGED);
  msdk_value value = {0};
  CHECK_EQ(class->get_param(instance.self, "pattern", &value), MSDK_OK);
  CHECK_TEXT(value.u.str, "counter");
  CHECK_EQ(class->get_param(instance.self, "speed", &value), MSDK_OK);
  CHECK(value.type == MSDK_T_F64 && value.u.f64 == 4);
  CHECK(class->get_param(instance.self, "colour", &value) < 0);
  msdk_video_frame *frame = produce(&instance, 7000);
  stamp read = {0};
  CHECK_EQ(stamp_read(frame->plane[0].data, frame->plane[0].stride, 320, 180, &read), 1);
  CHECK_EQ(read.counter, 2);
  CHECK_EQ(frame_count(&instance), 2);
  host_unref(frame);
  host_finish(&instance);
}

int main(int argc, char **argv) {
  const msdk_class *class = host_load(argc, argv, "testpattern.so", "org.mediasdk.producer.testpattern");
  test_formats(class);
  test_sizes(class);
  test_bars(class);
  test_full_range(class);
  test_lines(class);
  test_stamp(class);
  test_scaled_stamp(class);
  test_stamp_through_vp8(class, 1280, 720, 300);
  test_stamp_through_vp8(class, 320, 180, 60);
  test_stamp_through_vp8(class, 160, 90, 40);
  test_lifecycle(class);
  test_command(class);
  if (!host_leaves_out("testpattern-time")) test_speed(class);
  return check_done();
}
