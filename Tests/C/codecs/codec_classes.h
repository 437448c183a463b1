/* Codecs of the test's own: TOY1, pictures as run lengths of what changed, and TOYA, sound as 16-bit numbers at 24,000 Hz. What goes wrong in
 * them, and when, the test says. */
#ifndef CODEC_CLASSES_H
#define CODEC_CLASSES_H

#include "call.h"
#include "picture.h"

#define TOY_VIDEO UINT32_C(0x31594F54) /* 'TOY1' */
#define TOY_AUDIO UINT32_C(0x41594F54) /* 'TOYA' */

typedef enum toy_fault {
  TOY_GOOD,
  TOY_FAILS,       /* an error, with words */
  TOY_GIVES_NONE,  /* a success without a frame */
  TOY_GIVES_DEAD,  /* a frame without a reference left */
  TOY_GIVES_FOREIGN, /* a pointer to something else */
  TOY_NO_KEY,      /* no key frame though it was asked for one */
  TOY_LEAVES_OUT,  /* left out, though a key frame was asked for */
  TOY_KEEPS,       /* a reference of its own to what it gives */
  TOY_HOARDS,      /* frames until there are none left */
  TOY_HUGE,        /* a picture beyond what is allowed */
  TOY_MARKS,       /* a picture that it says is damaged */
  TOY_TOO_MANY,    /* more samples than there is room for */
  TOY_NOT_A_NUMBER /* a sample that is none */
} toy_fault;

typedef struct toy_state {
  _Atomic toy_fault open, encode, decode;
  atomic_int created, destroyed, opened, closed, encoded, decoded, concealed, rates_set;
  atomic_ullong bitrate;
  atomic_ullong bytes_max, largest, smallest_rate; /* the bound, and of what was made since: the size, and the rate */
  atomic_int padding_ms;                           /* a key frame takes so much of the bit rate */
  atomic_uint kind, preset, sample_rate, channels;
} toy_state;
static toy_state toy;

enum { TOY_SIDE = 512, TOY_PIXELS = TOY_SIDE * TOY_SIDE * 3 / 2, TOY_KEPT = 300 };

struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
  uint32_t width, height, channels;
  int has_previous;
  int64_t number;
  uint8_t previous[TOY_PIXELS], now[TOY_PIXELS], bytes[2 * TOY_PIXELS + 16];
  msdk_encoded_frame *kept[TOY_KEPT];
  int kept_count;
};

static inline msdk_result toy_fail(msdk_self *self, msdk_result result, const char *text) {
  self->host->set_error(self->context, result, text);
  return result;
}

static inline msdk_result toy_create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!MSDK_CAN(host, msdk_host, encoded_frame_create)) return MSDK_E_ABI;
  *out = calloc(1, sizeof **out);
  (*out)->host = host;
  (*out)->context = context;
  atomic_fetch_add(&toy.created, 1);
  return MSDK_OK;
}

static inline void toy_destroy(msdk_self *self) {
  for (int i = 0; i < self->kept_count; i++) self->host->encoded_frame_unref(self->kept[i]);
  atomic_fetch_add(&toy.destroyed, 1);
  free(self);
}

static inline msdk_result toy_open(msdk_self *self) {
  if (atomic_load(&toy.open) == TOY_FAILS) return toy_fail(self, MSDK_E_DEVICE_LOST, "the toy is broken");
  atomic_fetch_add(&toy.opened, 1);
  return MSDK_OK;
}

static inline msdk_result toy_close(msdk_self *self) {
  (void)self;
  atomic_fetch_add(&toy.closed, 1);
  return MSDK_OK;
}

/* What an encoder gives in place of its bytes when something is to go wrong; 1 when it did. */
static inline int toy_spoil(msdk_self *self, uint32_t is_key, msdk_encoded_frame **out, msdk_result *result) {
  static int nothing;
  msdk_encoded_frame attributes = MSDK_INIT(msdk_encoded_frame);
  attributes.data = (const uint8_t *)"K";
  attributes.size = 1;
  *result = MSDK_OK;
  switch (atomic_load(&toy.encode)) {
  case TOY_FAILS: *result = toy_fail(self, MSDK_E_IO, "the toy has no batteries"); return 1;
  case TOY_GIVES_NONE: return 1;
  case TOY_GIVES_DEAD:
    self->host->encoded_frame_create(self->context, &attributes, out);
    self->host->encoded_frame_unref(*out);
    return 1;
  case TOY_GIVES_FOREIGN: *out = (msdk_encoded_frame *)(void *)&nothing; return 1;
  case TOY_LEAVES_OUT: *result = MSDK_E_AGAIN; return 1;
  case TOY_HOARDS:
    while (self->kept_count < TOY_KEPT) {
      *result = self->host->encoded_frame_create(self->context, &attributes, &self->kept[self->kept_count]);
      if (*result < 0) break;
      self->kept_count++;
    }
    return 1;
  default: (void)is_key; return 0;
  }
}

static inline msdk_result toy_give(msdk_self *self, uint32_t flags, const void *data, uint64_t size, msdk_encoded_frame **out) {
  msdk_encoded_frame attributes = MSDK_INIT(msdk_encoded_frame);
  attributes.flags = flags;
  attributes.data = data;
  attributes.size = size;
  msdk_result result = self->host->encoded_frame_create(self->context, &attributes, out);
  if (result >= 0 && atomic_load(&toy.encode) == TOY_KEEPS && self->kept_count < TOY_KEPT) {
    self->host->encoded_frame_ref(*out);
    self->kept[self->kept_count++] = *out;
  }
  return result;
}

/* ------------------------------------------------------------------------------------------------------------------ pictures */

static inline uint32_t toy_size(uint32_t width, uint32_t height) {
  return width * height + 2 * ((width + 1) / 2) * ((height + 1) / 2);
}

static inline void toy_planes(const msdk_video_frame *frame, uint8_t *packed, int is_reading) {
  for (uint32_t plane = 0; plane < 2; plane++) {
    uint32_t bytes = row_bytes_of(MSDK_PIXEL_NV12, plane, frame->format->width);
    for (uint32_t y = 0; y < rows_of(MSDK_PIXEL_NV12, plane, frame->format->height); y++, packed += bytes) {
      if (is_reading) memcpy(packed, row_of(frame, plane, y), bytes);
      else memcpy(row_of(frame, plane, y), packed, bytes);
    }
  }
}

static inline msdk_result toy_open_encoder(msdk_self *self, const msdk_video_encoder_settings *settings) {
  if (settings->width > TOY_SIDE || settings->height > TOY_SIDE) return toy_fail(self, MSDK_E_RANGE, "too large for a toy");
  self->width = settings->width;
  self->height = settings->height;
  atomic_store(&toy.kind, settings->kind);
  atomic_store(&toy.preset, settings->preset);
  atomic_store(&toy.bitrate, settings->target_bitrate);
  return toy_open(self);
}

static inline msdk_result toy_set_rate(msdk_self *self, uint64_t bitrate, uint32_t fps_num, uint32_t fps_den) {
  (void)self;
  CHECK(fps_num > 0 && fps_den > 0);
  atomic_store(&toy.bitrate, bitrate);
  atomic_fetch_add(&toy.rates_set, 1);
  if (bitrate < atomic_load(&toy.smallest_rate)) atomic_store(&toy.smallest_rate, bitrate);
  return MSDK_OK;
}

static inline msdk_result toy_set_bytes_max(msdk_self *self, uint64_t bytes_max) {
  (void)self;
  atomic_store(&toy.bytes_max, bytes_max);
  return MSDK_OK;
}

/* 'K' or 'D', width and height, then runs: how many, and what is to be added to what was there. */
static inline msdk_result toy_encode(msdk_self *self, const msdk_video_frame *frame, uint32_t flags, msdk_encoded_frame **out) {
  msdk_result result;
  atomic_fetch_add(&toy.encoded, 1);
  CHECK(frame->format->pixel_format == MSDK_PIXEL_NV12 && frame->format->width == self->width && frame->format->height == self->height);
  if (toy_spoil(self, flags & MSDK_ENCODE_KEY, out, &result)) return result;
  uint32_t size = toy_size(self->width, self->height), at = 5;
  int is_key = (flags & MSDK_ENCODE_KEY) != 0 && atomic_load(&toy.encode) != TOY_NO_KEY;
  CHECK(self->has_previous || (flags & MSDK_ENCODE_KEY)); /* the first is asked for as one */
  toy_planes(frame, self->now, 1);
  if (is_key) memset(self->previous, 0, sizeof self->previous);
  self->bytes[0] = is_key ? 'K' : 'D';
  self->bytes[1] = (uint8_t)self->width;
  self->bytes[2] = (uint8_t)(self->width >> 8);
  self->bytes[3] = (uint8_t)self->height;
  self->bytes[4] = (uint8_t)(self->height >> 8);
  for (uint32_t i = 0; i < size;) {
    uint8_t change = (uint8_t)(self->now[i] - self->previous[i]), run = 0;
    while (i < size && run < 255 && (uint8_t)(self->now[i] - self->previous[i]) == change) run++, i++;
    self->bytes[at++] = run;
    self->bytes[at++] = change;
  }
  memcpy(self->previous, self->now, size);
  self->has_previous = 1;
  /* Runs of nothing, as many as the rate or the bound asks for. */
  uint64_t most = atomic_load(&toy.bytes_max);
  uint64_t wanted = is_key ? atomic_load(&toy.bitrate) / 8000 * (uint64_t)atomic_load(&toy.padding_ms) : 0;
  int is_coarse = most > 0 && wanted > most;
  if (is_coarse) wanted = most;
  if (wanted > sizeof self->bytes) wanted = sizeof self->bytes;
  for (; at + 2 <= wanted; at += 2) self->bytes[at] = self->bytes[at + 1] = 0;
  if (at > atomic_load(&toy.largest)) atomic_store(&toy.largest, at);
  return toy_give(self, (is_key ? MSDK_ENCODED_KEY : 0) | (is_coarse ? MSDK_ENCODED_COARSE : 0), self->bytes, at, out);
}

static inline msdk_result toy_parse(const void *data, uint64_t size, msdk_encoded_header *out) {
  const uint8_t *bytes = data;
  if (size < 5 || (bytes[0] != 'K' && bytes[0] != 'D')) return MSDK_E_CORRUPT;
  out->flags = bytes[0] == 'K' ? MSDK_ENCODED_KEY : 0;
  out->width = bytes[0] == 'K' ? bytes[1] | (uint32_t)bytes[2] << 8 : 0;
  out->height = bytes[0] == 'K' ? bytes[3] | (uint32_t)bytes[4] << 8 : 0;
  out->is_shown = 1;
  return MSDK_OK;
}

static inline msdk_result toy_open_decoder(msdk_self *self, const msdk_video_decoder_settings *settings) {
  CHECK(settings->threads >= 1 && settings->pixels_max > 0);
  return toy_open(self);
}

static inline void toy_nothing(void *opaque) { free(opaque); }

/* A picture of 64 million pixels, all in one row of memory. */
static inline msdk_result toy_huge(msdk_self *self, msdk_video_frame **out) {
  msdk_video_format format = format_of(MSDK_PIXEL_GRAY8, 16384, 4096, 30);
  msdk_external_frame external = MSDK_INIT(msdk_external_frame);
  external.format = &format;
  external.plane_count = 1;
  external.plane[0].stride = 16384;
  external.plane[0].size = UINT64_C(16384) * 4096;
  external.plane[0].data = calloc(1, external.plane[0].size);
  external.user = external.plane[0].data;
  external.release = toy_nothing;
  return self->host->video_frame_wrap(self->context, &external, out);
}

static inline msdk_result toy_decode(msdk_self *self, const msdk_encoded_frame *frame, msdk_video_frame **out) {
  static int nothing;
  atomic_fetch_add(&toy.decoded, 1);
  toy_fault fault = atomic_load(&toy.decode);
  const uint8_t *bytes = frame->data;
  if (fault == TOY_FAILS) return toy_fail(self, MSDK_E_CORRUPT, "the toy cannot read this");
  if (fault == TOY_GIVES_NONE) return MSDK_OK;
  if (fault == TOY_HUGE) return toy_huge(self, out);
  if (fault == TOY_GIVES_FOREIGN) return *out = (msdk_video_frame *)(void *)&nothing, MSDK_OK;
  if (bytes[0] == 'D' && !self->has_previous) return toy_fail(self, MSDK_E_STATE, "a toy needs a key frame first");
  if (bytes[0] == 'K') {
    memset(self->previous, 0, sizeof self->previous);
    self->width = bytes[1] | (uint32_t)bytes[2] << 8;
    self->height = bytes[3] | (uint32_t)bytes[4] << 8;
  }
  uint32_t size = toy_size(self->width, self->height), at = 0;
  for (uint64_t i = 5; i + 1 < frame->size; i += 2) {
    if (at + bytes[i] > size) return toy_fail(self, MSDK_E_CORRUPT, "runs beyond the picture");
    for (uint32_t run = bytes[i]; run > 0; run--) self->previous[at++] += bytes[i + 1];
  }
  self->has_previous = 1;
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, self->width, self->height, 0);
  format.color_matrix = MSDK_COLOR_UNSPECIFIED;
  msdk_result result = self->host->video_frame_acquire(self->context, &format, 0, out);
  if (result < 0) return result;
  toy_planes(*out, self->previous, 0);
  if (fault == TOY_MARKS) (*out)->flags |= MSDK_FRAME_CORRUPT;
  if (fault == TOY_GIVES_DEAD) self->host->video_frame_unref(*out);
  return MSDK_OK;
}

/* --------------------------------------------------------------------------------------------------------------------- sound */

static inline msdk_result toy_open_sound(msdk_self *self, const msdk_audio_encoder_settings *settings) {
  self->channels = settings->channels;
  atomic_store(&toy.sample_rate, settings->sample_rate);
  atomic_store(&toy.channels, settings->channels);
  atomic_store(&toy.bitrate, settings->bitrate);
  return toy_open(self);
}

static inline msdk_result toy_set_sound_rate(msdk_self *self, uint64_t bitrate, uint32_t expected_loss) {
  (void)self;
  CHECK(expected_loss <= 100);
  atomic_store(&toy.bitrate, bitrate);
  atomic_fetch_add(&toy.rates_set, 1);
  return MSDK_OK;
}

static inline msdk_result toy_encode_sound(msdk_self *self, const float *samples, uint32_t count, msdk_encoded_frame **out) {
  msdk_result result;
  atomic_fetch_add(&toy.encoded, 1);
  if (toy_spoil(self, 0, out, &result)) return result;
  self->bytes[0] = 'A';
  self->bytes[1] = (uint8_t)self->channels;
  for (uint32_t i = 0; i < count * self->channels; i++) {
    int16_t value = (int16_t)(samples[i] * 32000);
    memcpy(self->bytes + 2 + 2 * i, &value, 2);
  }
  return toy_give(self, 0, self->bytes, 2 + 2 * (uint64_t)count * self->channels, out);
}

static inline msdk_result toy_parse_sound(const void *data, uint64_t size, msdk_packet_header *out) {
  const uint8_t *bytes = data;
  if (size < 4 || bytes[0] != 'A' || bytes[1] < 1 || bytes[1] > 2) return MSDK_E_CORRUPT;
  out->channels = bytes[1];
  out->sample_count = (uint32_t)((size - 2) / 2 / bytes[1]) * 2;
  out->has_redundancy = 0;
  return MSDK_OK;
}

static inline msdk_result toy_open_sound_decoder(msdk_self *self, uint32_t channels) {
  self->channels = channels;
  return toy_open(self);
}

/* Each sample twice, as there are twice as many a second. */
static inline int32_t toy_decode_sound(msdk_self *self, const void *packet, uint64_t size, float *into, uint32_t capacity) {
  const uint8_t *bytes = packet;
  atomic_fetch_add(&toy.decoded, 1);
  toy_fault fault = atomic_load(&toy.decode);
  if (fault == TOY_FAILS) return toy_fail(self, MSDK_E_CORRUPT, "the toy cannot read this");
  if (fault == TOY_GIVES_NONE) return 0;
  if (fault == TOY_TOO_MANY) return (int32_t)capacity + 1;
  uint32_t count = (uint32_t)((size - 2) / 2 / bytes[1]) * 2;
  if (count > capacity || bytes[1] != self->channels) return MSDK_E_BUFFER_SMALL;
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t c = 0; c < self->channels; c++) {
      int16_t value;
      memcpy(&value, bytes + 2 + 2 * (i / 2 * self->channels + c), 2);
      into[i * self->channels + c] = (float)value / 32000;
    }
  }
  if (fault == TOY_NOT_A_NUMBER) into[7] = 0.0f / (float)(count - count);
  return (int32_t)count;
}

static inline int32_t toy_conceal(msdk_self *self, uint32_t sample_count, float *into) {
  CHECK(sample_count % 120 == 0 && sample_count <= 5760);
  atomic_fetch_add(&toy.concealed, 1);
  for (uint32_t i = 0; i < sample_count * self->channels / 2; i++) into[i] = 0.25f; /* half of it: the rest is to be silent */
  return (int32_t)sample_count / 2;
}

/* ------------------------------------------------------------------------------------------------------------------- module */

static const uint32_t toy_pixel_formats[] = {MSDK_PIXEL_NV12, 0};
static const uint32_t toy_sample_rates[] = {8000, 24000};
static const msdk_video_encoder toy_video_encoder = {
  .struct_size = sizeof(msdk_video_encoder), .codec = TOY_VIDEO, .dimension_max = TOY_SIDE, .pixel_formats = toy_pixel_formats, .pixel_format_count = MSDK_COUNT(toy_pixel_formats),
  .open_encoder = toy_open_encoder, .close_encoder = toy_close, .set_rate = toy_set_rate, .encode = toy_encode};
static const msdk_video_decoder toy_video_decoder = {
  .struct_size = sizeof(msdk_video_decoder), .codec = TOY_VIDEO, .open_decoder = toy_open_decoder, .close_decoder = toy_close,
  .decode = toy_decode, .parse_header = toy_parse};
static const msdk_audio_encoder toy_audio_encoder = {
  .struct_size = sizeof(msdk_audio_encoder), .codec = TOY_AUDIO, .sample_rate_count = 2, .sample_rates = toy_sample_rates,
  .open_encoder = toy_open_sound, .close_encoder = toy_close, .set_rate = toy_set_sound_rate, .encode = toy_encode_sound};
static const msdk_audio_decoder toy_audio_decoder = {
  .struct_size = sizeof(msdk_audio_decoder), .codec = TOY_AUDIO, .open_decoder = toy_open_sound_decoder, .close_decoder = toy_close,
  .decode = toy_decode_sound, .conceal = toy_conceal, .parse_header = toy_parse_sound};

static const msdk_class toy_video_class = {
  .struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_VIDEO_ENCODER | MSDK_KIND_VIDEO_DECODER, .id = "test.codec.video",
  .name = "Toy", .create = toy_create, .destroy = toy_destroy, .video_encoder = &toy_video_encoder, .video_decoder = &toy_video_decoder};
static const msdk_class toy_audio_class = {
  .struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_AUDIO_ENCODER | MSDK_KIND_AUDIO_DECODER, .id = "test.codec.audio",
  .name = "Toy sound", .create = toy_create, .destroy = toy_destroy, .audio_encoder = &toy_audio_encoder,
  .audio_decoder = &toy_audio_decoder};
static const msdk_class *const toy_classes[] = {&toy_video_class, &toy_audio_class};
static const msdk_module toy_module = {.struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR,
                                       .vendor = "the tests", .classes = toy_classes, .class_count = MSDK_COUNT(toy_classes)};

static inline void toy_reset(void) {
  atomic_store(&toy.open, TOY_GOOD);
  atomic_store(&toy.encode, TOY_GOOD);
  atomic_store(&toy.decode, TOY_GOOD);
  atomic_int *counters[] = {&toy.created, &toy.destroyed, &toy.opened, &toy.closed, &toy.encoded, &toy.decoded, &toy.concealed,
                            &toy.rates_set};
  for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) atomic_store(counters[i], 0);
  atomic_store(&toy.bytes_max, 0);
  atomic_store(&toy.largest, 0);
  atomic_store(&toy.smallest_rate, UINT64_MAX);
  atomic_store(&toy.padding_ms, 0);
}

/* Every instance that was made is gone, and was closed as often as it was opened. */
static inline void toy_check_gone(void) {
  for (int tries = 0; tries < 12000 && atomic_load(&toy.destroyed) < atomic_load(&toy.created); tries++) sleep_ms(5);
  CHECK_EQ(atomic_load(&toy.destroyed), atomic_load(&toy.created));
  CHECK_EQ(atomic_load(&toy.closed), atomic_load(&toy.opened));
}

#endif
