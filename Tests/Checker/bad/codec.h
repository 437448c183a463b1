/* A sound codec of pictures and of sound, from which each bad one differs in one thing: grey pictures and 16-bit samples as they are, behind a
 * head that says what they are. A file includes it after it has defined what it changes. */
#ifndef CODEC_H
#define CODEC_H

#include <mediasdk/plugin.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef MEMBERS
#define MEMBERS
#endif
#ifndef IS_KEY /* whether a frame is to be a key frame */
#define IS_KEY ((flags & MSDK_ENCODE_KEY) != 0 || self->count == 0)
#endif
#ifndef ROWS /* of a picture, that are read */
#define ROWS self->height
#endif
#ifndef ON_ENCODE
#define ON_ENCODE
#endif
#ifndef ON_RATE
#define ON_RATE
#endif
#ifndef SAMPLES /* of a buffer, that are read */
#define SAMPLES (sample_count * self->channels)
#endif
#ifndef TOO_LARGE
#define TOO_LARGE ((uint64_t)head->width * head->height > self->pixels_max)
#endif
#ifndef STRIDE
#define STRIDE frame->plane[0].stride
#endif
#ifndef ON_CORRUPT
#define ON_CORRUPT
#endif
#ifndef ON_DECODE
#define ON_DECODE
#endif
#ifndef TOO_SHORT /* for a head */
#define TOO_SHORT (size < sizeof(head))
#endif
#ifndef ROOM /* for a packet's samples */
#define ROOM ((uint32_t)count <= capacity)
#endif
#ifndef LOUDNESS
#define LOUDNESS 32768.0f
#endif

typedef struct head {
  char magic[2];
  uint16_t flags, width, height; /* of sound: the channels, and samples per channel at 48,000 Hz */
} head;

enum { CODEC_PICTURES = 0x31595247, CODEC_SAMPLES = 0x314D4350 };

struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
  uint32_t width, height, channels, rate, count;
  uint64_t pixels_max, bytes_max;
  int has_key;
  uint8_t data[1 << 20];
  MEMBERS
};

static inline msdk_result say(msdk_self *self, msdk_result result, const char *words) {
  self->host->set_error(self->context, result, words);
  return result;
}

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) { free(self); }

static msdk_result close_any(msdk_self *self) {
  self->count = 0;
  self->has_key = 0;
  return MSDK_OK;
}

/* --------------------------------------------------------------------------------------------------------------- pictures */

static msdk_result open_video(msdk_self *self, const msdk_video_encoder_settings *settings) {
  if ((uint64_t)settings->width * settings->height > sizeof self->data - sizeof(head)) return say(self, MSDK_E_RANGE, "accepted: a megapixel");
  self->width = settings->width;
  self->height = settings->height;
  return MSDK_OK;
}

static msdk_result video_rate(msdk_self *self, uint64_t bitrate, uint32_t fps_num, uint32_t fps_den) {
  (void)self, (void)bitrate, (void)fps_num, (void)fps_den;
  ON_RATE;
  return MSDK_OK;
}

static msdk_result video_bound(msdk_self *self, uint64_t bytes_max) {
  self->bytes_max = bytes_max;
  return MSDK_OK;
}

static msdk_result encode_video(msdk_self *self, const msdk_video_frame *frame, uint32_t flags, msdk_encoded_frame **out) {
  uint16_t is_key = IS_KEY;
  head head = {{'G', '1'}, is_key, (uint16_t)self->width, (uint16_t)self->height};
  memcpy(self->data, &head, sizeof head);
  for (uint32_t y = 0; y < ROWS; y++) {
    memcpy(self->data + sizeof head + (size_t)y * self->width, frame->plane[0].data + (ptrdiff_t)y * frame->plane[0].stride, self->width);
  }
  ON_ENCODE;
  self->count++;
  msdk_encoded_frame made = MSDK_INIT(msdk_encoded_frame);
  made.data = self->data;
  made.size = sizeof head + (uint64_t)self->width * self->height;
  made.flags = is_key ? MSDK_ENCODED_KEY : 0;
  return self->host->encoded_frame_create(self->context, &made, out);
}

static msdk_result open_pictures(msdk_self *self, const msdk_video_decoder_settings *settings) {
  self->pixels_max = settings->pixels_max;
  return MSDK_OK;
}

static msdk_result parse_video(const void *data, uint64_t size, msdk_encoded_header *out) {
  head head;
  if (TOO_SHORT) return MSDK_E_CORRUPT;
  memcpy(&head, data, sizeof head);
  if (memcmp(head.magic, "G1", 2) != 0 || head.width == 0 || head.height == 0 || head.flags > 1) return MSDK_E_CORRUPT;
  out->flags = head.flags != 0 ? MSDK_ENCODED_KEY : 0;
  out->width = head.width;
  out->height = head.height;
  out->is_shown = 1;
  return MSDK_OK;
}

static msdk_result corrupt(msdk_self *self) {
  ON_CORRUPT;
  return say(self, MSDK_E_CORRUPT, "it is damaged");
}

static msdk_result decode_video(msdk_self *self, const msdk_encoded_frame *in, msdk_video_frame **out) {
  msdk_encoded_header found = MSDK_INIT(msdk_encoded_header), *head = &found;
  msdk_video_frame *frame = NULL;
  ON_DECODE;
  if (in->size < sizeof(struct head) || parse_video(in->data, in->size, head) < 0) return corrupt(self);
  if (in->size - sizeof(struct head) != (uint64_t)head->width * head->height || TOO_LARGE) return corrupt(self);
  if ((head->flags & MSDK_ENCODED_KEY) == 0 && !self->has_key) return say(self, MSDK_E_STATE, "a key frame is needed first");
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_GRAY8;
  format.width = head->width;
  format.height = head->height;
  msdk_result result = self->host->video_frame_acquire(self->context, &format, 0, &frame);
  if (result < 0) return say(self, result, "no frame");
  self->has_key = 1;
  for (uint32_t y = 0; y < head->height; y++) {
    memcpy(frame->plane[0].data + (ptrdiff_t)y * STRIDE, in->data + sizeof(struct head) + (size_t)y * head->width, head->width);
  }
  *out = frame;
  return MSDK_OK;
}

/* ------------------------------------------------------------------------------------------------------------------ sound */

static msdk_result open_sound(msdk_self *self, const msdk_audio_encoder_settings *settings) {
  self->channels = settings->channels;
  self->rate = settings->sample_rate;
  return MSDK_OK;
}

static msdk_result encode_sound(msdk_self *self, const float *samples, uint32_t sample_count, msdk_encoded_frame **out) {
  head head = {{'P', '1'}, 0, (uint16_t)self->channels, (uint16_t)sample_count};
  memcpy(self->data, &head, sizeof head);
  for (uint32_t i = 0; i < SAMPLES; i++) {
    int16_t sample = (int16_t)lrintf(samples[i] * 32767);
    memcpy(self->data + sizeof head + i * sizeof sample, &sample, sizeof sample);
  }
  msdk_encoded_frame made = MSDK_INIT(msdk_encoded_frame);
  made.data = self->data;
  made.size = sizeof head + sample_count * self->channels * sizeof(int16_t);
  return self->host->encoded_frame_create(self->context, &made, out);
}

static msdk_result open_samples(msdk_self *self, uint32_t channels) {
  self->channels = channels;
  return MSDK_OK;
}

static msdk_result parse_sound(const void *data, uint64_t size, msdk_packet_header *out) {
  head head;
  if (size < sizeof head) return MSDK_E_CORRUPT;
  memcpy(&head, data, sizeof head);
  int is_fit = memcmp(head.magic, "P1", 2) == 0 && head.width >= 1 && head.width <= 2 && head.height >= 1 && head.height <= 5760;
  if (!is_fit || size != sizeof head + (uint64_t)head.width * head.height * sizeof(int16_t)) return MSDK_E_CORRUPT;
  out->channels = head.width;
  out->sample_count = head.height;
  return MSDK_OK;
}

static int32_t decode_sound(msdk_self *self, const void *packet, uint64_t size, float *into, uint32_t capacity) {
  msdk_packet_header header = MSDK_INIT(msdk_packet_header);
  if (parse_sound(packet, size, &header) < 0) return say(self, MSDK_E_CORRUPT, "it is damaged");
  int32_t count = (int32_t)header.sample_count;
  if (!(ROOM)) return say(self, MSDK_E_BUFFER_SMALL, "no room");
  for (uint32_t i = 0; i < header.sample_count; i++) {
    for (uint32_t channel = 0; channel < self->channels; channel++) {
      int16_t sample;
      const uint8_t *from = (const uint8_t *)packet + sizeof(head);
      memcpy(&sample, from + (i * header.channels + channel % header.channels) * sizeof sample, sizeof sample);
      into[i * self->channels + channel] = sample / LOUDNESS;
    }
  }
  return count;
}

static int32_t conceal(msdk_self *self, uint32_t sample_count, float *into) {
  memset(into, 0, (size_t)sample_count * self->channels * sizeof *into);
  return (int32_t)sample_count;
}

/* ----------------------------------------------------------------------------------------------------------------- tables */

static const uint32_t pixel_formats[] = {MSDK_PIXEL_GRAY8};
static const uint32_t sample_rates[] = {48000};

static const msdk_video_encoder video_encoder = {
  .struct_size = sizeof(msdk_video_encoder), .codec = CODEC_PICTURES, .pixel_formats = pixel_formats, .pixel_format_count = MSDK_COUNT(pixel_formats), .open_encoder = open_video,
  .close_encoder = close_any, .set_rate = video_rate, .encode = encode_video, .set_bytes_max = video_bound,
};
static const msdk_video_decoder video_decoder = {
  .struct_size = sizeof(msdk_video_decoder), .codec = CODEC_PICTURES, .open_decoder = open_pictures, .close_decoder = close_any,
  .decode = decode_video, .parse_header = parse_video,
};
static const msdk_audio_encoder audio_encoder = {
  .struct_size = sizeof(msdk_audio_encoder), .codec = CODEC_SAMPLES, .sample_rate_count = 1, .sample_rates = sample_rates,
  .open_encoder = open_sound, .close_encoder = close_any, .encode = encode_sound,
};
static const msdk_audio_decoder audio_decoder = {
  .struct_size = sizeof(msdk_audio_decoder), .codec = CODEC_SAMPLES, .open_decoder = open_samples, .close_decoder = close_any,
  .decode = decode_sound, .conceal = conceal, .parse_header = parse_sound,
};

static const msdk_class the_class = {
  .struct_size = sizeof(msdk_class),
  .id = "org.mediasdk.test.bad",
  .kinds = MSDK_KIND_VIDEO_ENCODER | MSDK_KIND_VIDEO_DECODER | MSDK_KIND_AUDIO_ENCODER | MSDK_KIND_AUDIO_DECODER,
  .create = create,
  .destroy = destroy,
  .video_encoder = &video_encoder,
  .video_decoder = &video_decoder,
  .audio_encoder = &audio_encoder,
  .audio_decoder = &audio_decoder,
};

static const msdk_class *const classes[] = {&the_class};
static const msdk_module module = {.struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .classes = classes, .class_count = MSDK_COUNT(classes)};

MSDK_DEFINE_ENTRY(&module)

#endif
