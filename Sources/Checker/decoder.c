/* Codecs under test: the calls to decoders. */
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "codec.h"

typedef struct sound_call {
  float *into;
  uint32_t capacity;
  const void *data;
  uint64_t size;
} sound_call;

static void do_open_video(rig_call *call) {
  call->code = call->rig->class->video_decoder->open_decoder(call->rig->self, call->in);
}
static void do_decode_video(rig_call *call) {
  call->code = call->rig->class->video_decoder->decode(call->rig->self, call->in, (msdk_video_frame **)&call->out);
}
void video_decoder_close(rig_call *call) {
  call->code = call->rig->class->video_decoder->close_decoder(call->rig->self);
}

msdk_result video_decoder_open(rig *rig, uint64_t pixels_max) {
  msdk_video_decoder_settings settings = MSDK_INIT(msdk_video_decoder_settings);
  settings.threads = 1;
  settings.pixels_max = pixels_max;
  rig_call call = {.in = rig_lend(rig, &settings, sizeof settings, 0)};
  codec_call(rig, &call, "open_decoder", do_open_video);
  rig_take_back_of(rig, 0);
  rig->is_ready = call.code >= 0;
  return call.code;
}

msdk_result video_decode(rig *rig, const void *data, uint64_t size, uint32_t flags, book **out) {
  msdk_encoded_frame attributes = MSDK_INIT(msdk_encoded_frame), *frame = NULL;
  attributes.codec = rig->class->video_decoder->codec;
  attributes.data = data;
  attributes.size = size;
  attributes.flags = flags;
  attributes.timestamp_ns = rig->time += 33333333;
  *out = NULL;
  if (encoded_make(rig->context, &attributes, &frame) < 0) return MSDK_E_NOMEM;
  encoded_lock(frame);
  rig_call call = {.in = frame};
  codec_call(rig, &call, "decode", do_decode_video);
  encoded_unref(frame);
  if (call.code < 0 || call.out == NULL) return call.code;
  *out = book_of(call.out);
  if (*out == NULL || (*out)->references < 1) {
    *out = NULL;
    fail("decode", "it returned a frame that is not the host's");
    return MSDK_E_INVALID;
  }
  return call.code;
}

/* ------------------------------------------------------------------------------------------------------------------ sound */

static void do_open_audio(rig_call *call) {
  call->code = call->rig->class->audio_decoder->open_decoder(call->rig->self, call->index);
}
static void do_decode_audio(rig_call *call) {
  const sound_call *sound = call->in;
  call->code = call->rig->class->audio_decoder->decode(call->rig->self, sound->data, sound->size, sound->into, sound->capacity);
}
static void do_conceal(rig_call *call) {
  const sound_call *sound = call->in;
  const msdk_audio_decoder *table = call->rig->class->audio_decoder;
  call->code = sound->data == NULL ? table->conceal(call->rig->self, sound->capacity, sound->into)
                                   : table->recover(call->rig->self, sound->capacity, sound->data, sound->size, sound->into);
}
void audio_decoder_close(rig_call *call) {
  call->code = call->rig->class->audio_decoder->close_decoder(call->rig->self);
}

msdk_result audio_decoder_open(rig *rig, uint32_t channels) {
  rig_call call = {.index = channels};
  codec_call(rig, &call, "open_decoder", do_open_audio);
  rig->is_ready = call.code >= 0;
  rig->audio.channels = channels;
  return call.code;
}

/* Of the last call, so that it can be looked at. */
static uint8_t *sound_base;
static uint64_t sound_length;

static int32_t run(rig *rig, const char *name, const void *data, uint64_t size, uint32_t capacity, const float **samples,
                   void (*work)(rig_call *)) {
  uint8_t *base = NULL, *lent = NULL;
  uint64_t length = 0;
  if (sound_base != NULL) region_forget(sound_base + sound_length - PAGE), pages_unmap(sound_base, sound_length);
  uint64_t room = (uint64_t)capacity * rig->audio.channels * sizeof(float);
  sound_call sound = {.capacity = capacity, .size = size};
  const char *behind = "memory past the last sample that there is room for";
  sound.into = (float *)(void *)pages_before_guard(room, 4, behind, &sound_base, &sound_length);
  if (data != NULL) {
    lent = pages_before_guard(size, 1, "memory past the packet", &base, &length);
    memcpy(lent, data, size);
    region_forbid(base, length - PAGE, "a packet that it was given to read (rule P3)");
    pages_protect(base, length - PAGE, PROT_READ);
    sound.data = lent;
  }
  rig_call call = {.in = &sound};
  int32_t count = codec_call(rig, &call, name, work);
  if (base != NULL) region_forget(base), region_forget(base + length - PAGE), pages_unmap(base, length);
  if (count > (int32_t)capacity) fail("msdk_audio_decoder", "%s returned %d samples; there was room for %u", name, count, capacity);
  for (int64_t i = 0; i < (int64_t)count * rig->audio.channels && !has_failed(); i++) {
    if (!isfinite(sound.into[i])) fail("msdk_audio_decoder", "sample %lld from %s is not a number", (long long)i, name);
  }
  if (samples != NULL) *samples = sound.into;
  return count;
}

int32_t audio_decode(rig *rig, const void *data, uint64_t size, uint32_t capacity, const float **samples) {
  return run(rig, "decode", data, size, capacity, samples, do_decode_audio);
}

int32_t audio_conceal(rig *rig, uint32_t count, const void *next, uint64_t size, const float **samples) {
  return run(rig, next == NULL ? "conceal" : "recover", next, size, count, samples, do_conceal);
}
