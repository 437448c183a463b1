/* Codecs that lose nothing, of video (FLTV) and of sound (FLTA), and do at a moment that is asked for whatever a plugin should not. The
 * environment asks, as a codec's process has it from its beginning: MSDK_FAULTY_WHAT, _AT (in which call) and _MARK (a file that tells that
 * one process did it). A picture's data say which process made them, at which bitrate, and the parameter "stamp". */
#include "page.h"

#include <mediasdk/plugin.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAULTY_VIDEO UINT32_C(0x56544C46) /* 'FLTV' */
#define FAULTY_AUDIO UINT32_C(0x41544C46) /* 'FLTA' */

enum { SIDE = 512, PIXELS = SIDE * SIDE * 3 / 2, HEAD = 24 };

struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
  uint32_t width, height, channels, number;
  uint64_t bitrate;
  int is_bounded;
  int32_t stamp;
  int has_previous;
  uint8_t previous[PIXELS], bytes[PIXELS + HEAD];
};

/* As the rest of the system knows it: in a namespace of its own, getpid has another number. */
static uint32_t process_number(void) {
  char text[32] = "";
  return readlink("/proc/self", text, sizeof text - 1) > 0 ? (uint32_t)atoi(text) : (uint32_t)getpid();
}

/* ------------------------------------------------------------------------------------------------------------------- faults */

/* What the plugin's side would answer to the call that runs, with numbers that are none of its own. */
static void forge(const char *fault, int decodes) {
  struct { uint32_t id; int32_t result; uint32_t keeps, unused; int64_t delay; } reply = {0, 0, 0, 0, 0};
  uint32_t is_picture = 1;
  struct {
    uint32_t generation, slot, flags, orientation;
    uint32_t pixel_format, width, height, rate[2], color[4], hint;
    int64_t delay, timestamp, duration;
    uint64_t sequence, offsets[3];
    int32_t strides[4];
  } picture = {.generation = 1, .pixel_format = MSDK_PIXEL_NV12, .width = 320, .height = 240, .offsets = {0, 80000, 0}, .strides = {320, 320, 0, 0}};
  struct {
    uint32_t generation, slot, codec, flags, width, height, orientation, level;
    uint64_t size;
    int64_t timestamp, duration;
    uint64_t sequence;
    uint32_t color[4], sound[2];
  } encoded = {.generation = 1, .size = 100};
  uint8_t message[sizeof reply + sizeof is_picture + sizeof picture];
  size_t size = 0;
  if (strcmp(fault, "forge_slot") == 0) picture.slot = encoded.slot = 999;
  if (strcmp(fault, "forge_pool") == 0) picture.generation = encoded.generation = 77;
  if (strcmp(fault, "forge_size") == 0) {
    picture.width = picture.height = 8192;
    picture.strides[0] = picture.strides[1] = 8192;
    encoded.size = UINT64_C(1) << 40;
  }
  if (strcmp(fault, "forge_offset") == 0) picture.offsets[1] = UINT64_MAX - 7;
  if (strcmp(fault, "forge_short") == 0) encoded.slot = UINT32_MAX;
  memcpy(message, &reply, sizeof reply);
  size += sizeof reply;
  if (decodes) {
    memcpy(message + size, &is_picture, sizeof is_picture);
    memcpy(message + size + sizeof is_picture, &picture, sizeof picture);
    size += sizeof is_picture + sizeof picture;
  } else {
    memcpy(message + size, &encoded, sizeof encoded);
    size += sizeof encoded;
  }
  forge_reply(message, size);
  sleep(5);
}

static void misbehave(const char *fault, int decodes) {
  fprintf(stderr, "faulty codec: about to %s\n", fault);
  if (strcmp(fault, "segfault") == 0) *(volatile int *)8 = 1;
  if (strcmp(fault, "abort") == 0) abort();
  if (strcmp(fault, "exit") == 0) exit(0);
  if (strcmp(fault, "loop") == 0) for (volatile unsigned long n = 0;; n++) {}
  if (strncmp(fault, "forge", 5) == 0) forge(fault, decodes);
}

static void reach(const char *where, int decodes) {
  const char *fault = getenv("MSDK_FAULTY_WHAT"), *at = getenv("MSDK_FAULTY_AT"), *mark = getenv("MSDK_FAULTY_MARK");
  if (fault == NULL || at == NULL || mark == NULL || strcmp(at, where) != 0) return;
  int file = open(mark, O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (file < 0) return;
  close(file);
  misbehave(fault, decodes);
}

/* --------------------------------------------------------------------------------------------------------------- instances */

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if (!MSDK_CAN(host, msdk_host, encoded_frame_create)) return MSDK_E_ABI;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  *out = self;
  return MSDK_OK;
}

static void destroy(msdk_self *self) { free(self); }

static msdk_result set_param(msdk_self *self, const char *name, const msdk_value *value) {
  if (strcmp(name, "stamp") != 0) return MSDK_E_NOT_FOUND;
  self->stamp = value->u.i32;
  return MSDK_OK;
}

static const msdk_param params[] = {
  {.struct_size = sizeof(msdk_param), .name = "stamp", .def = {.type = MSDK_T_I32}, .min = MSDK_I32(0), .max = MSDK_I32(255)},
};

static msdk_result failure(msdk_self *self, msdk_result result, const char *text) {
  self->host->set_error(self->context, result, text);
  return result;
}

static msdk_result give(msdk_self *self, uint32_t flags, uint64_t size, msdk_encoded_frame **out) {
  msdk_encoded_frame attributes = MSDK_INIT(msdk_encoded_frame);
  attributes.flags = flags;
  attributes.data = self->bytes;
  attributes.size = size;
  return self->host->encoded_frame_create(self->context, &attributes, out);
}

/* ------------------------------------------------------------------------------------------------------------------- video */

static uint32_t size_of(const msdk_self *self) { return self->width * self->height + 2 * ((self->width + 1) / 2) * ((self->height + 1) / 2); }

static void pack(const msdk_video_frame *frame, uint8_t *packed, int is_reading) {
  for (uint32_t plane = 0; plane < 2; plane++) {
    uint32_t rows = plane == 0 ? frame->format->height : (frame->format->height + 1) / 2;
    uint32_t bytes = plane == 0 ? frame->format->width : (frame->format->width + 1) / 2 * 2;
    for (uint32_t y = 0; y < rows; y++, packed += bytes) {
      uint8_t *row = frame->plane[plane].data + (int64_t)y * frame->plane[plane].stride;
      if (is_reading) memcpy(packed, row, bytes);
      else memcpy(row, packed, bytes);
    }
  }
}

static msdk_result open_encoder(msdk_self *self, const msdk_video_encoder_settings *settings) {
  reach("open_encoder", 0);
  if (settings->width > SIDE || settings->height > SIDE) return failure(self, MSDK_E_RANGE, "too large");
  self->width = settings->width;
  self->height = settings->height;
  self->bitrate = settings->target_bitrate;
  return MSDK_OK;
}

static msdk_result nothing(msdk_self *self) {
  (void)self;
  return MSDK_OK;
}

static msdk_result set_rate(msdk_self *self, uint64_t bitrate, uint32_t fps_num, uint32_t fps_den) {
  (void)fps_num, (void)fps_den;
  self->bitrate = bitrate;
  return MSDK_OK;
}

static msdk_result set_bytes_max(msdk_self *self, uint64_t bytes_max) {
  self->is_bounded = bytes_max > 0;
  return MSDK_OK;
}

/* 'K' or 'D', stamp, whether there is a bound, width and height, process, bitrate; then the picture, or what it adds to the one before. */
static msdk_result encode(msdk_self *self, const msdk_video_frame *frame, uint32_t flags, msdk_encoded_frame **out) {
  /* Pictures always lie in common memory. */
  self->number++;
  if (self->number == 1) reach("encode_first", 0);
  if (self->number == 3) reach("encode", 0);
  int is_key = (flags & MSDK_ENCODE_KEY) != 0;
  if (!is_key && !self->has_previous) return failure(self, MSDK_E_STATE, "the first picture was not asked for as a key frame");
  uint32_t size = size_of(self), pid = process_number();
  pack(frame, self->bytes + HEAD, 1);
  self->bytes[0] = is_key ? 'K' : 'D';
  self->bytes[1] = (uint8_t)self->stamp;
  self->bytes[2] = (uint8_t)self->is_bounded;
  memcpy(self->bytes + 4, &self->width, 4);
  memcpy(self->bytes + 8, &self->height, 4);
  memcpy(self->bytes + 12, &pid, 4);
  memcpy(self->bytes + 16, &self->bitrate, 8);
  for (uint32_t i = 0; i < size; i++) {
    uint8_t now = self->bytes[HEAD + i];
    if (!is_key) self->bytes[HEAD + i] = (uint8_t)(now - self->previous[i]);
    self->previous[i] = now;
  }
  self->has_previous = 1;
  return give(self, is_key ? MSDK_ENCODED_KEY : 0, HEAD + (uint64_t)size, out);
}

static msdk_result open_decoder(msdk_self *self, const msdk_video_decoder_settings *settings) {
  reach("open_decoder", 1);
  (void)self;
  return settings->threads > 0 ? MSDK_OK : MSDK_E_INVALID;
}

static msdk_result decode(msdk_self *self, const msdk_encoded_frame *frame, msdk_video_frame **out) {
  if (++self->number == 3) reach("decode", 1);
  if (frame->size < HEAD) return failure(self, MSDK_E_CORRUPT, "too short");
  int is_key = frame->data[0] == 'K';
  if (!is_key && !self->has_previous) return failure(self, MSDK_E_STATE, "no key frame came yet");
  memcpy(&self->width, frame->data + 4, 4);
  memcpy(&self->height, frame->data + 8, 4);
  if (self->width > SIDE || self->height > SIDE || frame->size != HEAD + (uint64_t)size_of(self)) {
    return failure(self, MSDK_E_CORRUPT, "another size");
  }
  for (uint32_t i = 0; i < size_of(self); i++) self->previous[i] = (uint8_t)(frame->data[HEAD + i] + (is_key ? 0 : self->previous[i]));
  self->has_previous = 1;
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_NV12;
  format.width = self->width;
  format.height = self->height;
  msdk_result result = self->host->video_frame_acquire(self->context, &format, 0, out);
  if (result >= 0) pack(*out, self->previous, 0);
  return result;
}

static msdk_result parse(const void *data, uint64_t size, msdk_encoded_header *out) {
  const uint8_t *bytes = data;
  if (size > 0 && bytes[0] == 'Z') *(volatile int *)8 = 1;
  if (size < HEAD || (bytes[0] != 'K' && bytes[0] != 'D')) return MSDK_E_CORRUPT;
  out->flags = bytes[0] == 'K' ? MSDK_ENCODED_KEY : 0;
  memcpy(&out->width, bytes + 4, 4);
  memcpy(&out->height, bytes + 8, 4);
  out->is_shown = 1;
  return MSDK_OK;
}

/* ------------------------------------------------------------------------------------------------------------------- sound */

static msdk_result open_sound(msdk_self *self, const msdk_audio_encoder_settings *settings) {
  self->channels = settings->channels;
  return MSDK_OK;
}

static uint32_t lookahead(const msdk_self *self) {
  (void)self;
  return 480; /* which is not true; what counts is that it arrives */
}

static msdk_result set_sound_rate(msdk_self *self, uint64_t bitrate, uint32_t expected_loss) {
  (void)self, (void)bitrate, (void)expected_loss;
  return MSDK_OK;
}

static msdk_result encode_sound(msdk_self *self, const float *samples, uint32_t samples_count, msdk_encoded_frame **out) {
  if (++self->number == 10) reach("encode_sound", 0);
  self->bytes[0] = 'A';
  self->bytes[1] = (uint8_t)self->channels;
  for (uint32_t i = 0; i < samples_count * self->channels; i++) {
    int16_t value = (int16_t)(samples[i] * 32000);
    memcpy(self->bytes + 2 + 2 * i, &value, 2);
  }
  return give(self, 0, 2 + 2 * (uint64_t)samples_count * self->channels, out);
}

static msdk_result open_sound_decoder(msdk_self *self, uint32_t channels) {
  self->channels = channels;
  return MSDK_OK;
}

static int32_t decode_sound(msdk_self *self, const void *packet, uint64_t size, float *into, uint32_t capacity) {
  const uint8_t *bytes = packet;
  if (++self->number == 10) reach("decode_sound", 1);
  uint32_t samples_count = (uint32_t)((size - 2) / 2 / self->channels);
  if (bytes[1] != self->channels || samples_count > capacity) return MSDK_E_CORRUPT;
  for (uint32_t i = 0; i < samples_count * self->channels; i++) {
    int16_t value;
    memcpy(&value, bytes + 2 + 2 * i, 2);
    into[i] = (float)value / 32000;
  }
  return (int32_t)samples_count;
}

static int32_t conceal(msdk_self *self, uint32_t samples_count, float *into) {
  for (uint32_t i = 0; i < samples_count * self->channels; i++) into[i] = 0.125f;
  return (int32_t)samples_count;
}

static msdk_result parse_sound(const void *data, uint64_t size, msdk_packet_header *out) {
  const uint8_t *bytes = data;
  if (size < 4 || bytes[0] != 'A' || bytes[1] < 1 || bytes[1] > 2) return MSDK_E_CORRUPT;
  out->channels = bytes[1];
  out->sample_count = (uint32_t)((size - 2) / 2 / bytes[1]);
  return MSDK_OK;
}

/* ------------------------------------------------------------------------------------------------------------------ module */

static const uint32_t formats[] = {MSDK_PIXEL_NV12, 0};
static const uint32_t rates[] = {48000};
static const msdk_video_encoder video_encoder = {
  .struct_size = sizeof(msdk_video_encoder), .codec = FAULTY_VIDEO, .dimension_max = SIDE, .pixel_formats = formats, .pixel_format_count = MSDK_COUNT(formats), .open_encoder = open_encoder,
  .close_encoder = nothing, .set_rate = set_rate, .encode = encode, .set_bytes_max = set_bytes_max};
static const msdk_video_decoder video_decoder = {
  .struct_size = sizeof(msdk_video_decoder), .codec = FAULTY_VIDEO, .open_decoder = open_decoder, .close_decoder = nothing, .decode = decode,
  .parse_header = parse};
static const msdk_audio_encoder audio_encoder = {
  .struct_size = sizeof(msdk_audio_encoder), .codec = FAULTY_AUDIO, .sample_rate_count = 1, .sample_rates = rates, .open_encoder = open_sound,
  .close_encoder = nothing, .lookahead = lookahead, .set_rate = set_sound_rate, .encode = encode_sound};
static const msdk_audio_decoder audio_decoder = {
  .struct_size = sizeof(msdk_audio_decoder), .codec = FAULTY_AUDIO, .open_decoder = open_sound_decoder, .close_decoder = nothing,
  .decode = decode_sound, .conceal = conceal, .parse_header = parse_sound};

static const msdk_class video = {.struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_VIDEO_ENCODER | MSDK_KIND_VIDEO_DECODER,
                                 .id = "org.mediasdk.faulty.video", .name = "Faulty", .create = create, .destroy = destroy,
                                 .set_param = set_param, .params = params, .param_count = 1,                                 .video_encoder = &video_encoder, .video_decoder = &video_decoder};
static const msdk_class sound = {.struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_AUDIO_ENCODER | MSDK_KIND_AUDIO_DECODER,
                                 .id = "org.mediasdk.faulty.sound", .name = "Faulty sound", .create = create, .destroy = destroy,
                                 .audio_encoder = &audio_encoder, .audio_decoder = &audio_decoder};
static const msdk_class *const classes[] = {&video, &sound};
static const msdk_module module = {.struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .vendor = "MediaSDK",
                                   .version = "1", .license = "MIT", .classes = classes, .class_count = MSDK_COUNT(classes)};

MSDK_DEFINE_ENTRY(&module)
