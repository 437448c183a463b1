/* The check of decoders, with what an encoder of the same file made. */
#include <math.h>
#include <string.h>

#include "codec.h"

static const char VIDEO[] = "msdk_video_decoder", SOUND[] = "msdk_audio_decoder";
enum { COUNT = 6 };

static void compare_header(const msdk_class *class, const unit *unit, uint32_t width, uint32_t height, msdk_encoded_header *header) {
  *header = MSDK_INIT(msdk_encoded_header);
  step("parse_header");
  msdk_result code = class->video_decoder->parse_header(unit->data, unit->size, header);
  if (code < 0) fail("parse_header", "it returned %s for a frame of its own codec", result_name(code));
  if (code >= 0 && (header->flags & MSDK_ENCODED_KEY) != (unit->flags & MSDK_ENCODED_KEY)) {
    fail("parse_header", "flags are %u; the encoder's were %u", header->flags, unit->flags);
  }
  int is_same = (header->width == width && header->height == height) || (header->width == 0 && header->height == 0);
  if (code >= 0 && !is_same) fail("parse_header", "it reports %ux%u for a frame of %ux%u", header->width, header->height, width, height);
}

static int has_luma(uint32_t pixel_format) {
  return pixel_format == MSDK_PIXEL_NV12 || pixel_format == MSDK_PIXEL_I420 || pixel_format == MSDK_PIXEL_GRAY8;
}

/* Whether the first plane of what was encoded, and so of what comes back, is known. */
static int is_known;

static void compare_picture(const msdk_video_frame *frame, uint32_t width, uint32_t height) {
  const msdk_video_format *format = frame->format;
  if (format->width != width || format->height != height) {
    fail("decode", "a frame is %ux%u; encoded was %ux%u", format->width, format->height, width, height);
    return;
  }
  double difference = is_known && has_luma(format->pixel_format) ? picture_difference(frame, 1) : 0;
  if (difference > 48) fail("decode", "the frame is not the one that was encoded: samples differ by %.0f on average", difference);
}

static void show(rig *rig, const unit *unit, uint32_t width, uint32_t height) {
  msdk_encoded_header header;
  book *picture = NULL;
  compare_header(rig->class, unit, width, height, &header);
  if (has_failed()) return;
  msdk_result code = video_decode(rig, unit->data, unit->size, unit->flags, &picture);
  if (code < 0) fail("decode", "it returned %s for a frame of its own codec", rig_words(rig, code));
  if (code >= 0 && picture == NULL && header.is_shown) fail("decode", "it returned no frame, but parse_header says that one is shown");
  if (picture == NULL) return;
  if (!padding_is_whole(picture)) fail("P3", "it wrote between the rows of a frame: rows begin plane[i].stride bytes apart, not width");
  compare_picture(picture->frame, width, height);
  host_unref(picture);
}

static void streams(const msdk_class *class, unit *small, unit *large, uint32_t small_count, uint32_t large_count) {
  rig rig;
  book *picture = NULL;
  if (!codec_begin(&rig, class, CODEC_WATCH)) return;
  msdk_result code = video_decoder_open(&rig, 96 * 64);
  if (code < 0) fail(VIDEO, "open_decoder returned %s", rig_words(&rig, code));
  if (code >= 0 && small_count > 1 && (small[1].flags & MSDK_ENCODED_KEY) == 0) {
    code = video_decode(&rig, small[1].data, small[1].size, 0, &picture);
    if (picture != NULL) host_unref(picture);
    if (picture != NULL && code >= 0) fail("MSDK_E_STATE", "it showed a frame that refers to a key frame which it never got");
    code = MSDK_OK;
  }
  for (uint32_t i = 0; code >= 0 && i < small_count && !has_failed(); i++) show(&rig, &small[i], 64, 48);
  for (uint32_t i = 0; code >= 0 && i < large_count && !has_failed(); i++) show(&rig, &large[i], 96, 64); /* the size changes */
  codec_end(&rig, video_decoder_close);
}

/* One pixel less is allowed than there is. */
static void limits(const msdk_class *class, const unit *key) {
  rig rig;
  book *picture = NULL;
  if (has_failed() || !codec_begin(&rig, class, CODEC_WATCH)) return;
  if (video_decoder_open(&rig, 64 * 48 - 1) >= 0) {
    msdk_result code = video_decode(&rig, key->data, key->size, key->flags, &picture);
    if (picture != NULL) host_unref(picture);
    if (code >= 0 && picture != NULL)
      fail("pixels_max", "it returned a frame of 3072 pixels; accepted: at most 3071, and MSDK_E_CORRUPT for such data");
  }
  codec_end(&rig, video_decoder_close);
}

static void decode_video(const msdk_class *class, const msdk_class *encoder) {
  unit small[COUNT], large[COUNT];
  is_known = has_luma(encoder->video_encoder->pixel_formats[0]);
  uint32_t small_count = units_make_video(encoder, 64, 48, small, COUNT), large_count = units_make_video(encoder, 96, 64, large, COUNT);
  if (small_count == 0 || large_count == 0) {
    if (!has_failed()) skip("%s, the encoder, returned nothing to decode: see encode", encoder->id);
  } else {
    streams(class, small, large, small_count, large_count);
    limits(class, &small[0]);
  }
  units_free(small, small_count);
  units_free(large, large_count);
}

/* ------------------------------------------------------------------------------------------------------------------ sound */

static void hear(const msdk_class *class, uint32_t channels, const unit *units, uint32_t count) {
  rig rig;
  double loudest = 0;
  const float *samples = NULL;
  if (!codec_begin(&rig, class, CODEC_WATCH)) return;
  msdk_result code = audio_decoder_open(&rig, channels);
  if (code < 0) fail(SOUND, "open_decoder of %u channels returned %s", channels, rig_words(&rig, code));
  for (uint32_t i = 0; code >= 0 && i < count && !has_failed(); i++) {
    msdk_packet_header header = MSDK_INIT(msdk_packet_header);
    step("parse_header");
    msdk_result parsed = class->audio_decoder->parse_header(units[i].data, units[i].size, &header);
    if (parsed < 0) fail("parse_header", "it returned %s for a packet of its own codec", result_name(parsed));
    int32_t came = has_failed() ? 0 : audio_decode(&rig, units[i].data, units[i].size, SAMPLES_MAX, &samples);
    if (came <= 0 && !has_failed()) fail("decode", "it returned %s for a packet of its own codec", rig_words(&rig, came));
    if (!has_failed() && (uint32_t)came != header.sample_count) {
      fail("parse_header", "it reports %u samples; decode returned %d", header.sample_count, came);
    }
    for (int64_t j = 0; j < (int64_t)came * channels && !has_failed(); j++) loudest = fmax(loudest, fabs((double)samples[j]));
    if (i != 2 || has_failed()) continue;
    if (class->audio_decoder->recover != NULL) audio_conceal(&rig, 960, units[i].data, units[i].size, NULL);
    for (uint32_t lost = 120; lost <= SAMPLES_MAX && !has_failed(); lost *= 4) {
      came = audio_conceal(&rig, lost, NULL, 0, NULL);
      if (came < 0) fail("conceal", "conceal of %u samples returned %s", lost, rig_words(&rig, came));
    }
  }
  if (!has_failed() && (loudest < 0.1 || loudest > 1.5)) {
    fail("decode", "of a tone with amplitude 0.5, %.2f was decoded", loudest);
  }
  codec_end(&rig, audio_decoder_close);
}

static void decode_audio(const msdk_class *class, const msdk_class *encoder) {
  for (uint32_t channels = 1; channels <= 2 && !has_failed(); channels++) {
    unit units[COUNT];
    uint32_t count = units_make_audio(encoder, channels, units, COUNT);
    if (count == 0 && !has_failed()) skip("%s, the encoder, returned nothing to decode: see encode", encoder->id);
    if (count > 0) hear(class, channels, units, count);
    if (count > 0 && !has_failed()) hear(class, 3 - channels, units, count); /* it makes the channels that it was opened with */
    units_free(units, count);
  }
}

void check_decode(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  const uint32_t kinds[] = {MSDK_KIND_VIDEO_DECODER, MSDK_KIND_AUDIO_DECODER};
  if ((class->kinds & (kinds[0] | kinds[1])) == 0) skip("it is not a decoder");
  for (int i = 0; i < 2 && !has_failed(); i++) {
    if ((class->kinds & kinds[i]) == 0) continue;
    const msdk_class *encoder = encoder_for(class, kinds[i]);
    if (encoder == NULL)
      skip("the file has no encoder of its codec to make something to decode");
    else if (i == 0)
      decode_video(class, encoder);
    else
      decode_audio(class, encoder);
  }
}
