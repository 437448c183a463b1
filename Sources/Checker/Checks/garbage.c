/* The check of decoders with what is no frame of theirs: networks lose, repeat and change bytes, and not all senders mean well. */
#include <string.h>

#include "codec.h"

enum { COUNT = 4, LONGEST = 4096, ROUNDS = 150, PIXELS_MAX = 1 << 16 };

static void parse(const msdk_class *class, int is_video, const uint8_t *data, uint64_t size) {
  uint8_t *base;
  uint64_t length;
  uint8_t *lent = pages_before_guard(size, 1, "memory past the bytes that parse_header was given", &base, &length);
  memcpy(lent, data, size);
  step("parse_header of %llu random bytes", (unsigned long long)size);
  msdk_encoded_header picture = MSDK_INIT(msdk_encoded_header);
  msdk_packet_header packet = MSDK_INIT(msdk_packet_header);
  msdk_result code = is_video ? class->video_decoder->parse_header(lent, size, &picture) : class->audio_decoder->parse_header(lent, size, &packet);
  if (code >= 0 && !is_video && (packet.sample_count < 1 || packet.sample_count > SAMPLES_MAX || packet.channels < 1 || packet.channels > 2)) {
    fail("parse_header", "for %llu random bytes it reports %u samples, %u channels; accepted: 1..5760, 1..2, or MSDK_E_CORRUPT",
         (unsigned long long)size, packet.sample_count, packet.channels);
  }
  region_forget(base + length - PAGE);
  pages_unmap(base, length);
}

/* Whatever it answers, it lives, and a picture is whole and no larger than allowed. */
static void one(rig *rig, int is_video, const uint8_t *data, uint64_t size) {
  book *picture = NULL;
  parse(rig->class, is_video, data, size);
  if (has_failed()) return;
  if (!is_video) {
    audio_decode(rig, data, size, random_below(2) == 0 ? SAMPLES_MAX : 480, NULL);
    if (rig->class->audio_decoder->recover != NULL && !has_failed()) audio_conceal(rig, 960, data, size, NULL);
    return;
  }
  msdk_result code = video_decode(rig, data, size, random_below(2) == 0 ? MSDK_ENCODED_KEY : 0, &picture);
  if (picture == NULL) return;
  const msdk_video_format *format = ((msdk_video_frame *)picture->frame)->format;
  uint64_t pixels = (uint64_t)format->width * format->height;
  if (code >= 0 && pixels > PIXELS_MAX) {
    fail("pixels_max", "from damaged data it decoded a frame of %ux%u; accepted: at most %d pixels", format->width, format->height, PIXELS_MAX);
  }
  host_unref(picture);
}

/* A good frame, with some of its bytes changed, or cut short, or anything at all. */
static uint64_t spoil(const unit *units, uint32_t count, uint32_t round, uint8_t *data) {
  if (count == 0 || round % 3 == 0) {
    uint64_t size = 1 + random_below(round % 2 == 0 ? 24 : LONGEST);
    for (uint64_t i = 0; i < size; i++) data[i] = (uint8_t)random_below(256);
    return size;
  }
  const unit *unit = &units[random_below(count)];
  uint64_t size = unit->size < LONGEST ? unit->size : LONGEST;
  memcpy(data, unit->data, size);
  if (round % 3 == 1) return 1 + random_below((uint32_t)size);
  for (uint32_t i = 0; i <= random_below(8); i++) data[random_below((uint32_t)size)] ^= (uint8_t)(1 << random_below(8));
  return size;
}

static msdk_result open_any(rig *rig, int is_video) {
  msdk_result code = is_video ? video_decoder_open(rig, PIXELS_MAX) : audio_decoder_open(rig, 2);
  if (code < 0) fail("msdk_class", "open_decoder returned %s", rig_words(rig, code));
  return code;
}

/* After all that a good key frame is decoded as ever. */
static void recovers(rig *rig, int is_video, const unit *units, uint32_t count) {
  book *picture = NULL;
  msdk_result code = is_video ? video_decode(rig, units[0].data, units[0].size, units[0].flags, &picture) : MSDK_OK;
  for (uint32_t i = 0; !is_video && i < count && !has_failed(); i++) code = audio_decode(rig, units[i].data, units[i].size, SAMPLES_MAX, NULL);
  if (picture != NULL) host_unref(picture);
  if (has_failed()) return;
  if (code < 0)
    fail("decode", "after damaged data, decoding an intact %s returned %s", is_video ? "key frame" : "packet", rig_words(rig, code));
  if (is_video && code >= 0 && picture == NULL) fail("decode", "after damaged data an intact key frame shows nothing");
}

static void spoil_all(const msdk_class *class, uint32_t kind) {
  static uint8_t data[LONGEST];
  unit units[COUNT];
  rig rig;
  int is_video = kind == MSDK_KIND_VIDEO_DECODER;
  const msdk_class *encoder = encoder_for(class, kind);
  uint32_t count = encoder == NULL ? 0 : is_video ? units_make_video(encoder, 64, 48, units, COUNT) : units_make_audio(encoder, 2, units, COUNT);
  if (!has_failed() && codec_begin(&rig, class, HOST_GUARD | HOST_READ_ONLY | HOST_BORROWED)) {
    if (open_any(&rig, is_video) >= 0) {
      for (uint32_t round = 0; round < ROUNDS && !has_failed(); round++) {
        uint64_t size = spoil(units, count, round, data);
        one(&rig, is_video, data, size);
      }
      if (count > 0 && !has_failed()) recovers(&rig, is_video, units, count);
    }
    codec_end(&rig, is_video ? video_decoder_close : audio_decoder_close);
  }
  units_free(units, count);
}

void check_garbage(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  if ((class->kinds & MSDK_KIND_VIDEO_DECODER) != 0) spoil_all(class, MSDK_KIND_VIDEO_DECODER);
  if ((class->kinds & MSDK_KIND_AUDIO_DECODER) != 0 && !has_failed()) spoil_all(class, MSDK_KIND_AUDIO_DECODER);
  if ((class->kinds & (MSDK_KIND_VIDEO_DECODER | MSDK_KIND_AUDIO_DECODER)) == 0) skip("it is not a decoder");
}
