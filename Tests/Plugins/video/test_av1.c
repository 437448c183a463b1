/* The av1 plugin: what it encodes it decodes, in both pixel formats and at odd sizes; rates, key frames, screens; and data that is none. */
#include "check.h"
#include "host.h"

#include <math.h>
#include <stdlib.h>

static const msdk_class *av1;

static msdk_video_encoder_settings settings_for(uint32_t width, uint32_t height, uint64_t bitrate) {
  msdk_video_encoder_settings settings = MSDK_INIT(msdk_video_encoder_settings);
  settings.width = width;
  settings.height = height;
  settings.fps_num = 30;
  settings.fps_den = 1;
  settings.threads = 1;
  settings.kind = MSDK_VIDEO_VIRTUAL;
  settings.target_bitrate = bitrate;
  return settings;
}

static void open_encoder(host_instance *instance, msdk_video_encoder_settings settings) {
  host_create(instance, av1);
  CHECK_EQ(av1->video_encoder->open_encoder(instance->self, &settings), MSDK_OK);
}

static void open_decoder(host_instance *instance) {
  msdk_video_decoder_settings settings = MSDK_INIT(msdk_video_decoder_settings);
  settings.threads = 1;
  settings.pixels_max = 4096 * 4096;
  host_create(instance, av1);
  CHECK_EQ(av1->video_decoder->open_decoder(instance->self, &settings), MSDK_OK);
}

static void close_encoder(host_instance *instance) {
  CHECK_EQ(av1->video_encoder->close_encoder(instance->self), MSDK_OK);
  host_destroy(instance);
}

static void close_decoder(host_instance *instance) {
  CHECK_EQ(av1->video_decoder->close_decoder(instance->self), MSDK_OK);
  host_destroy(instance);
}

#define GRAINY 0.02

/* Waves that move, the same in every pixel format; `detail` is how fine they are. */
static uint8_t sample(uint32_t plane, uint32_t x, uint32_t y, uint32_t number, double detail) {
  double wave = sin((x + 3.0 * number) * detail) + cos((y + number) * detail * 0.7);
  if (detail == GRAINY && plane == 0) { /* what a low rate cannot afford */
    uint32_t grain = (x * 73856093u ^ y * 19349663u ^ number * 83492791u) * 2654435761u;
    wave = sin(x * 0.02) + (grain >> 16) % 64 / 128.0;
  }
  return (uint8_t)(plane == 0 ? 128 + 45 * wave : 128 + (plane == 1 ? 20 : -20) * wave);
}

static msdk_video_frame *picture(host_instance *instance, uint32_t pixel_format, uint32_t width, uint32_t height, uint32_t number, double detail) {
  msdk_video_format format = host_format(pixel_format, width, height);
  msdk_video_frame *frame = host_frame(instance, &format);
  for (uint32_t i = 0; i < frame->plane_count; i++) {
    for (uint32_t row = 0; row < host_rows(&format, i); row++) {
      uint8_t *to = frame->plane[i].data + (ptrdiff_t)row * frame->plane[i].stride;
      uint32_t bytes = host_row_bytes(&format, i);
      for (uint32_t x = 0; x < bytes; x++) {
        int interleaved = pixel_format == MSDK_PIXEL_NV12 && i == 1;
        to[x] = i == 0 ? sample(0, x, row, number, detail)
                       : interleaved ? sample(1 + x % 2, x / 2 * 2, row * 2, number, detail) : sample(i, x * 2, row * 2, number, detail);
      }
    }
  }
  frame->timestamp_ns = (int64_t)number * 33333333 + 1;
  return frame;
}

/* Peak signal to noise of a plane of the decoded I420 against what was encoded, in dB. */
static double psnr(const msdk_video_frame *decoded, uint32_t plane, uint32_t number, double detail) {
  double sum = 0;
  uint32_t width = host_row_bytes(decoded->format, plane), height = host_rows(decoded->format, plane);
  for (uint32_t y = 0; y < height; y++) {
    for (uint32_t x = 0; x < width; x++) {
      double got = decoded->plane[plane].data[(ptrdiff_t)y * decoded->plane[plane].stride + x];
      double wanted = plane == 0 ? sample(0, x, y, number, detail) : sample(plane, x * 2, y * 2, number, detail);
      sum += (got - wanted) * (got - wanted);
    }
  }
  return 10 * log10(255.0 * 255.0 / (sum / width / height + 1e-9));
}

static msdk_encoded_frame *encode(host_instance *encoder, uint32_t pixel_format, uint32_t width, uint32_t height, uint32_t number,
                                  double detail, uint32_t flags) {
  msdk_video_frame *frame = picture(encoder, pixel_format, width, height, number, detail);
  msdk_encoded_frame *encoded = NULL;
  CHECK_EQ(av1->video_encoder->encode(encoder->self, frame, flags, &encoded), MSDK_OK);
  host_unref(frame);
  CHECK(encoded != NULL);
  return encoded;
}

static void film(uint32_t pixel_format, uint32_t width, uint32_t height, uint32_t preset, uint32_t threads) {
  host_instance encoder, decoder;
  msdk_video_encoder_settings settings = settings_for(width, height, 1500000);
  settings.preset = preset;
  settings.threads = threads;
  open_encoder(&encoder, settings);
  open_decoder(&decoder);
  for (uint32_t number = 0; number < 20; number++) {
    msdk_encoded_frame *encoded = encode(&encoder, pixel_format, width, height, number, 0.05, number == 0 || number == 13);
    int is_key = number == 0 || number == 13;
    CHECK_EQ(encoded->flags & MSDK_ENCODED_KEY, is_key);
    msdk_encoded_header header = MSDK_INIT(msdk_encoded_header);
    CHECK_EQ(av1->video_decoder->parse_header(encoded->data, encoded->size, &header), MSDK_OK);
    CHECK_EQ(header.flags, is_key ? MSDK_ENCODED_KEY : 0);
    CHECK_EQ(header.width, is_key ? width : 0);
    CHECK_EQ(header.height, is_key ? height : 0);
    CHECK_EQ(header.is_shown, 1);
    msdk_video_frame *shown = NULL;
    CHECK_EQ(av1->video_decoder->decode(decoder.self, encoded, &shown), MSDK_OK);
    host_encoded_unref(encoded);
    CHECK(shown != NULL);
    if (shown == NULL) continue;
    CHECK_EQ(shown->format->width, width);
    CHECK_EQ(shown->format->height, height);
    for (uint32_t plane = 0; plane < 3; plane++) CHECK(psnr(shown, plane, number, 0.05) > 30);
    host_unref(shown);
  }
  close_encoder(&encoder);
  close_decoder(&decoder);
}

static void films(void) {
  film(MSDK_PIXEL_NV12, 320, 180, 0, 1);
  film(MSDK_PIXEL_I420, 320, 180, 0, 2);
  film(MSDK_PIXEL_NV12, 101, 67, 1, 1);
  film(MSDK_PIXEL_I420, 101, 67, 2, 1);
  film(MSDK_PIXEL_NV12, 640, 360, 3, 4);
}

/* Bytes of 60 frames at a rate that is changed after 30. */
static void rate_is_followed(void) {
  uint64_t bytes[2] = {0, 0};
  host_instance encoder;
  open_encoder(&encoder, settings_for(640, 360, 2000000));
  for (uint32_t number = 0; number < 120; number++) {
    if (number == 60) CHECK_EQ(av1->video_encoder->set_rate(encoder.self, 200000, 30, 1), MSDK_OK);
    msdk_encoded_frame *encoded = encode(&encoder, MSDK_PIXEL_NV12, 640, 360, number, GRAINY, 0);
    if (number % 60 >= 20) bytes[number / 60] += encoded->size;
    host_encoded_unref(encoded);
  }
  CHECK(bytes[1] * 3 < bytes[0]);
  /* Frames are left out when they are allowed to be, but never a key frame that was asked for. */
  close_encoder(&encoder);
  msdk_video_encoder_settings settings = settings_for(640, 360, 30000);
  settings.drop_threshold = 60;
  open_encoder(&encoder, settings);
  uint32_t left_out = 0;
  for (uint32_t number = 0; number < 60; number++) {
    msdk_video_frame *frame = picture(&encoder, MSDK_PIXEL_NV12, 640, 360, number, GRAINY);
    msdk_encoded_frame *encoded = NULL;
    uint32_t flags = number % 20 == 0 ? MSDK_ENCODE_KEY : 0;
    msdk_result result = av1->video_encoder->encode(encoder.self, frame, flags, &encoded);
    host_unref(frame);
    CHECK(result == MSDK_OK || (flags == 0 && result == MSDK_E_AGAIN));
    if (result == MSDK_OK) host_encoded_unref(encoded);
    else left_out++;
  }
  CHECK(left_out > 0);
  close_encoder(&encoder);
}

static void paint_text(msdk_video_frame *frame) {
  for (uint32_t i = 0; i < frame->plane_count; i++) {
    for (uint32_t row = 0; row < host_rows(frame->format, i); row++) {
      uint8_t *to = frame->plane[i].data + (ptrdiff_t)row * frame->plane[i].stride;
      for (uint32_t x = 0; x < host_row_bytes(frame->format, i); x++) {
        int inked = row % 16 < 11 && (x * 2654435761u ^ (row * 40503u + x / 3 * 7919u)) % 5 < 2;
        to[x] = i == 0 ? (inked ? 16 : 235) : 128;
      }
    }
  }
}

/* Text is sharp though the rate is low, and what stands costs next to nothing. */
static void screens(void) {
  host_instance encoder;
  msdk_video_encoder_settings settings = settings_for(640, 480, 300000);
  settings.kind = MSDK_VIDEO_SCREEN_SHARE;
  settings.fps_num = 15;
  open_encoder(&encoder, settings);
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, 640, 480);
  uint64_t first = 0, last = 0;
  uint32_t flags = 0;
  for (uint32_t number = 0; number < 25; number++) {
    msdk_video_frame *frame = host_frame(&encoder, &format);
    paint_text(frame);
    frame->timestamp_ns = (int64_t)number * 250000000;
    msdk_encoded_frame *encoded = NULL;
    CHECK_EQ(av1->video_encoder->encode(encoder.self, frame, number == 0 ? MSDK_ENCODE_KEY : 0, &encoded), MSDK_OK);
    host_unref(frame);
    if (encoded == NULL) continue;
    if (number == 0) first = encoded->size;
    last = encoded->size;
    flags = encoded->flags;
    host_encoded_unref(encoded);
  }
  CHECK_EQ(flags & MSDK_ENCODED_COARSE, 0);
  CHECK(last * 20 < first);
  close_encoder(&encoder);
}

/* Letters of many colours everywhere. */
static void paint_dense(msdk_video_frame *frame, uint32_t page) {
  for (uint32_t i = 0; i < frame->plane_count; i++) {
    for (uint32_t row = 0; row < host_rows(frame->format, i); row++) {
      uint8_t *to = frame->plane[i].data + (ptrdiff_t)row * frame->plane[i].stride;
      for (uint32_t x = 0; x < host_row_bytes(frame->format, i); x++) {
        uint32_t y = i == 0 ? row : 2 * row, letter = ((x & ~7u) * 73856093u ^ (y / 18) * 19349663u ^ page * 83492791u ^ i) * 2654435761u;
        uint32_t stroke = (letter >> y % 18 | letter << (32 - y % 18) % 32) * 40503u >> 13 & 7;
        to[x] = (uint8_t)(i > 0 ? 64 + (letter >> 8 & 127) : y % 18 < 11 && (stroke == x % 8 || (stroke ^ 5) == x % 8) ? 20 : 250);
      }
    }
  }
}

/* A screen's frame that would be too long comes coarsely, as a key frame, and the same becomes finer without another one. */
static void frames_are_bounded(uint32_t pixel_format, uint32_t percent) {
  host_instance encoder, decoder;
  msdk_video_encoder_settings settings = settings_for(640, 360, 150000);
  settings.kind = MSDK_VIDEO_SCREEN_SHARE;
  open_encoder(&encoder, settings);
  open_decoder(&decoder);
  msdk_video_format format = host_format(pixel_format, 640, 360);
  uint64_t bytes_max = 0;
  for (uint32_t number = 0, page = 1; number < 24; number++) {
    if (number == 1 || number == 12) page++;
    msdk_video_frame *frame = host_frame(&encoder, &format);
    paint_dense(frame, page);
    frame->timestamp_ns = (int64_t)number * 250000000;
    msdk_encoded_frame *encoded = NULL;
    CHECK_EQ(av1->video_encoder->encode(encoder.self, frame, number == 0 ? MSDK_ENCODE_KEY : 0, &encoded), MSDK_OK);
    host_unref(frame);
    if (encoded == NULL) continue;
    int is_first = number == 1 || number == 12;
    if (number == 0) CHECK_EQ(av1->video_encoder->set_bytes_max(encoder.self, bytes_max = encoded->size * percent / 100), MSDK_OK);
    if (is_first) CHECK_EQ(encoded->flags, MSDK_ENCODED_KEY | MSDK_ENCODED_COARSE);
    if (number > 1 && !is_first) CHECK_EQ(encoded->flags & MSDK_ENCODED_KEY, 0);
    if (number >= 1 && percent >= 60) CHECK(encoded->size <= bytes_max);
    msdk_video_frame *shown = NULL;
    CHECK_EQ(av1->video_decoder->decode(decoder.self, encoded, &shown), MSDK_OK);
    if (shown != NULL) host_unref(shown);
    host_encoded_unref(encoded);
  }
  close_encoder(&encoder);
  close_decoder(&decoder);
}

static void screens_are_bounded(void) {
  frames_are_bounded(MSDK_PIXEL_NV12, 80);
  frames_are_bounded(MSDK_PIXEL_I420, 60);
  frames_are_bounded(MSDK_PIXEL_I420, 35); /* less than the coarsest takes */
  /* There is none coarser; it comes all the same. */
  host_instance encoder;
  msdk_video_encoder_settings settings = settings_for(640, 360, 150000);
  settings.kind = MSDK_VIDEO_SCREEN_SHARE;
  open_encoder(&encoder, settings);
  CHECK_EQ(av1->video_encoder->set_bytes_max(encoder.self, 1), MSDK_OK);
  for (uint32_t number = 0; number < 3; number++) {
    msdk_encoded_frame *encoded = encode(&encoder, MSDK_PIXEL_NV12, 640, 360, number, GRAINY, 0);
    CHECK_EQ(encoded->flags, MSDK_ENCODED_KEY | MSDK_ENCODED_COARSE);
    host_encoded_unref(encoded);
  }
  CHECK_EQ(av1->video_encoder->set_bytes_max(encoder.self, 0), MSDK_OK);
  msdk_encoded_frame *encoded = encode(&encoder, MSDK_PIXEL_NV12, 640, 360, 3, GRAINY, 0);
  CHECK_EQ(encoded->flags & MSDK_ENCODED_KEY, 0);
  host_encoded_unref(encoded);
  CHECK_EQ(av1->video_encoder->close_encoder(encoder.self), MSDK_OK);
  CHECK_EQ(av1->video_encoder->set_bytes_max(encoder.self, 1), MSDK_E_STATE);
  host_destroy(&encoder);
}

static void bad_settings(void) {
  host_instance instance;
  host_create(&instance, av1);
  msdk_video_encoder_settings bad[6];
  for (int i = 0; i < 6; i++) bad[i] = settings_for(320, 180, 500000);
  bad[0].width = 15;
  bad[1].height = 8193;
  bad[2].threads = 0;
  bad[3].preset = 4;
  bad[4].drop_threshold = 101;
  bad[5].struct_size = 16;
  for (int i = 0; i < 6; i++) {
    CHECK(av1->video_encoder->open_encoder(instance.self, &bad[i]) < 0);
    CHECK_EQ(instance.context.errors, i + 1);
  }
  CHECK_TEXT(instance.context.error_text, "settings");
  CHECK(av1->video_encoder->open_encoder(instance.self, NULL) < 0);
  msdk_video_decoder_settings threads = MSDK_INIT(msdk_video_decoder_settings);
  CHECK_EQ(av1->video_decoder->open_decoder(instance.self, &threads), MSDK_E_RANGE);
  /* Nothing is open: nothing happens. */
  CHECK_EQ(av1->video_encoder->close_encoder(instance.self), MSDK_OK);
  CHECK_EQ(av1->video_decoder->close_decoder(instance.self), MSDK_OK);
  host_destroy(&instance);
}

/* More time makes other data; 0 is what the preset says, of which 9 is the first. */
static uint64_t size_at(int32_t speed) {
  host_instance encoder;
  msdk_video_encoder_settings settings = settings_for(320, 180, 500000);
  host_create(&encoder, av1);
  msdk_value value = {.type = MSDK_T_I32, .u.i32 = speed}, read = {0};
  CHECK_EQ(av1->set_param(encoder.self, "speed", &value), MSDK_OK);
  CHECK_EQ(av1->get_param(encoder.self, "speed", &read), MSDK_OK);
  CHECK_EQ(read.u.i32, speed);
  CHECK_EQ(av1->set_param(encoder.self, "pace", &value), MSDK_E_NOT_FOUND);
  CHECK_EQ(av1->get_param(encoder.self, "pace", &read), MSDK_E_NOT_FOUND);
  CHECK_EQ(av1->video_encoder->open_encoder(encoder.self, &settings), MSDK_OK);
  uint64_t size = 0;
  for (uint32_t number = 0; number < 8; number++) {
    msdk_encoded_frame *encoded = encode(&encoder, MSDK_PIXEL_NV12, 320, 180, number, GRAINY, number == 0);
    size = size * 31 + encoded->size;
    host_encoded_unref(encoded);
  }
  close_encoder(&encoder);
  return size;
}

static void speed_is_a_parameter(void) {
  CHECK(size_at(0) == size_at(9));
  CHECK(size_at(6) != size_at(9));
}

static void wrong_pictures(void) {
  host_instance encoder;
  open_encoder(&encoder, settings_for(320, 180, 500000));
  msdk_video_format formats[] = {host_format(MSDK_PIXEL_NV12, 322, 180), host_format(MSDK_PIXEL_BGRA, 320, 180)};
  for (int i = 0; i < 2; i++) {
    msdk_video_frame *frame = host_frame(&encoder, &formats[i]);
    msdk_encoded_frame *encoded = NULL;
    CHECK_EQ(av1->video_encoder->encode(encoder.self, frame, 0, &encoded), MSDK_E_FORMAT);
    CHECK(encoded == NULL);
    host_unref(frame);
  }
  /* The host's pool is empty: its answer is the encoder's. */
  encoder.context.encoded_limit = 0;
  msdk_video_frame *frame = picture(&encoder, MSDK_PIXEL_NV12, 320, 180, 0, 0.1);
  msdk_encoded_frame *encoded = NULL;
  CHECK_EQ(av1->video_encoder->encode(encoder.self, frame, MSDK_ENCODE_KEY, &encoded), MSDK_E_NOMEM);
  host_unref(frame);
  close_encoder(&encoder);
}

static msdk_result decode_bytes(host_instance *decoder, const void *data, uint64_t size) {
  msdk_encoded_frame *encoded = host_encoded(decoder, data, size);
  msdk_video_frame *shown = NULL;
  msdk_result result = av1->video_decoder->decode(decoder->self, encoded, &shown);
  host_encoded_unref(encoded);
  if (shown != NULL) host_unref(shown);
  return result;
}

/* Damage is an error, a key frame mends it, and a decoder without one says that it needs one. */
static void damage(void) {
  host_instance encoder, decoder;
  open_encoder(&encoder, settings_for(320, 180, 500000));
  open_decoder(&decoder);
  msdk_encoded_frame *key = encode(&encoder, MSDK_PIXEL_NV12, 320, 180, 0, 0.1, MSDK_ENCODE_KEY);
  msdk_encoded_frame *delta = encode(&encoder, MSDK_PIXEL_NV12, 320, 180, 1, 0.1, 0);
  CHECK_EQ(decode_bytes(&decoder, delta->data, delta->size), MSDK_E_STATE);
  CHECK_TEXT(decoder.context.error_text, "key frame");
  CHECK_EQ(decode_bytes(&decoder, "\xff\xff\xff", 3), MSDK_E_CORRUPT);
  CHECK_EQ(decode_bytes(&decoder, key->data, key->size), MSDK_OK);
  CHECK_EQ(decode_bytes(&decoder, delta->data, delta->size), MSDK_OK);
  for (uint64_t size = 1; size < key->size; size += 1 + size / 3) CHECK(decode_bytes(&decoder, key->data, size) < 0);
  CHECK_EQ(decode_bytes(&decoder, delta->data, delta->size), MSDK_E_STATE);
  CHECK_EQ(decode_bytes(&decoder, key->data, key->size), MSDK_OK);
  /* Bits that are turned over may be a picture or not, and harm nobody. */
  uint8_t *spoilt = malloc(key->size);
  srand(7);
  for (int round = 0; round < 200; round++) {
    memcpy(spoilt, key->data, key->size);
    for (int i = 0; i < 6; i++) spoilt[(uint64_t)rand() % key->size] ^= (uint8_t)(1 << rand() % 8);
    decode_bytes(&decoder, spoilt, key->size);
    msdk_encoded_header header = MSDK_INIT(msdk_encoded_header);
    av1->video_decoder->parse_header(spoilt, (uint64_t)rand() % key->size, &header);
  }
  free(spoilt);
  CHECK_EQ(decode_bytes(&decoder, key->data, key->size), MSDK_OK);
  host_encoded_unref(key);
  host_encoded_unref(delta);
  close_encoder(&encoder);
  close_decoder(&decoder);
}

/* A picture of more pixels than are allowed is refused. */
static void too_large(void) {
  host_instance encoder, decoder;
  open_encoder(&encoder, settings_for(320, 180, 500000));
  msdk_encoded_frame *key = encode(&encoder, MSDK_PIXEL_NV12, 320, 180, 0, 0.1, MSDK_ENCODE_KEY);
  host_create(&decoder, av1);
  msdk_video_decoder_settings settings = MSDK_INIT(msdk_video_decoder_settings);
  settings.threads = 2;
  settings.pixels_max = 320 * 180 - 1;
  CHECK_EQ(av1->video_decoder->open_decoder(decoder.self, &settings), MSDK_OK);
  CHECK(decode_bytes(&decoder, key->data, key->size) < 0);
  close_decoder(&decoder);
  host_encoded_unref(key);
  close_encoder(&encoder);
}

static void headers_of_anything(void) {
  msdk_encoded_header header = MSDK_INIT(msdk_encoded_header);
  CHECK(av1->video_decoder->parse_header(NULL, 0, &header) < 0);
  CHECK_EQ(av1->video_decoder->parse_header("", 0, &header), MSDK_E_CORRUPT);
  CHECK_EQ(av1->video_decoder->parse_header("\x12\x00", 2, &header), MSDK_E_CORRUPT);         /* a temporal delimiter alone */
  CHECK_EQ(av1->video_decoder->parse_header("\x32\x7f\x10", 3, &header), MSDK_E_CORRUPT);     /* cut off */
  CHECK_EQ(av1->video_decoder->parse_header("\x32\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10, &header), MSDK_E_CORRUPT);
  CHECK_EQ(av1->video_decoder->parse_header("\x36", 1, &header), MSDK_E_CORRUPT);             /* an extension that is not there */
  CHECK_EQ(av1->video_decoder->parse_header("\x32\x00", 2, &header), MSDK_E_CORRUPT);         /* a frame of nothing */
  CHECK_EQ(av1->video_decoder->parse_header("\x32\x01\x10", 3, &header), MSDK_OK);            /* a key frame that no sequence precedes */
  CHECK_EQ(header.flags, 0);
  srand(11);
  for (int round = 0; round < 20000; round++) {
    uint64_t size = (uint64_t)rand() % 40;
    uint8_t *bytes = malloc(size + 1);
    for (uint64_t i = 0; i < size; i++) bytes[i] = (uint8_t)(i == 0 && round % 2 ? 0x0A : rand());
    /* Moved to the end of its block, so that reading on is seen. */
    uint8_t *exact = malloc(size > 0 ? size : 1);
    memcpy(exact, bytes, size);
    msdk_result result = av1->video_decoder->parse_header(exact, size, &header);
    CHECK(result == MSDK_OK || result == MSDK_E_CORRUPT);
    free(exact);
    free(bytes);
  }
}

int main(int argc, char **argv) {
  av1 = host_load(argc, argv, "av1.so", "org.mediasdk.av1");
  films();
  rate_is_followed();
  screens();
  screens_are_bounded();
  bad_settings();
  speed_is_a_parameter();
  wrong_pictures();
  damage();
  too_large();
  headers_of_anything();
  return check_done();
}
