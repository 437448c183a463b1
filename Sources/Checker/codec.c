/* Codecs under test: the calls to encoders, and what they make for the checks of decoders. */
#include "codec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int codec_has_words(const rig *rig, msdk_result code) {
  return rig->context->error == code && rig->context->error_text[0] != 0;
}

int codec_begin(rig *rig, const msdk_class *class, uint32_t flags) {
  msdk_result code = rig_open(rig, class, 0, flags);
  if (code < 0) fail("create", "create returned %s", rig_words(rig, code));
  return code >= 0;
}

msdk_result codec_call(rig *rig, rig_call *call, const char *name, void (*work)(rig_call *)) {
  call->rig = rig;
  step("%s", name);
  rig->context->error = 0;
  rig_perform(call, work);
  return call->code;
}

void codec_end(rig *rig, void (*close)(rig_call *)) {
  rig_call call = {.rig = rig};
  msdk_host_context *context = rig->context;
  if (rig->is_ready && codec_call(rig, &call, "close", close) < 0) {
    fail("msdk_class", "close returned %s", rig_words(rig, call.code));
  }
  rig->is_ready = 0;
  rig_close(rig);
  if (context->outstanding > 0) fail("P4", "after destroy %d references of frames were not released", context->outstanding);
  if (context->outstanding_encoded > 0) {
    fail("P4", "after destroy %d references of encoded frames were not released", context->outstanding_encoded);
  }
  if (context->over_released > 0) fail("P4", "%u references were released that it did not hold", context->over_released);
  if (context->overwritten > 0) {
    fail("P3", "it wrote between the rows of %u frames: rows begin plane[i].stride bytes apart, not width", context->overwritten);
  }
}

/* ------------------------------------------------------------------------------------------------------------------ video */

static void do_open_video(rig_call *call) {
  call->code = call->rig->class->video_encoder->open_encoder(call->rig->self, call->in);
}
static void do_encode_video(rig_call *call) {
  call->code = call->rig->class->video_encoder->encode(call->rig->self, call->in, call->index, (msdk_encoded_frame **)&call->out);
}
void video_close(rig_call *call) {
  call->code = call->rig->class->video_encoder->close_encoder(call->rig->self);
}

msdk_result video_open(rig *rig, uint32_t pixel_format, uint32_t width, uint32_t height, uint32_t kind, uint32_t threads) {
  msdk_video_encoder_settings settings = MSDK_INIT(msdk_video_encoder_settings);
  settings.width = width;
  settings.height = height;
  settings.fps_num = 30;
  settings.fps_den = 1;
  settings.threads = threads;
  settings.kind = kind;
  settings.target_bitrate = 2000000;
  rig->kind = MSDK_KIND_VIDEO_RENDERER; /* what it is lent is lent as to one */
  rig->video = MSDK_INIT(msdk_video_format);
  rig->video.pixel_format = pixel_format;
  rig->video.width = width;
  rig->video.height = height;
  rig->video.fps_num = 30;
  rig->video.fps_den = 1;
  rig->sequence = 0;
  rig_call call = {.in = rig_lend(rig, &settings, sizeof settings, 0)};
  codec_call(rig, &call, "open_encoder", do_open_video);
  rig_take_back_of(rig, 0);
  rig->is_ready = call.code >= 0;
  return call.code;
}

msdk_result video_encode(rig *rig, uint32_t flags, msdk_encoded_frame **out) {
  book *book = NULL;
  *out = NULL;
  if (rig_call_acquire(rig, &book) < 0) {
    fail("P4", "it keeps %d frames: there is none left to encode", rig->context->outstanding);
    return MSDK_E_FAIL;
  }
  ((msdk_video_frame *)book->frame)->timestamp_ns += (int64_t)random_below(9000000); /* times need not be even */
  rig_lock(rig, book);
  rig_call call = {.in = book->frame, .index = flags};
  codec_call(rig, &call, (flags & MSDK_ENCODE_KEY) != 0 ? "encode of a key frame" : "encode", do_encode_video);
  host_unref(book);
  if (call.code < 0) return call.code;
  *out = call.out;
  if (!encoded_is_ours(*out)) {
    fail("encode", "it returned MSDK_OK and no frame from encoded_frame_create");
    *out = NULL;
    return MSDK_E_INVALID;
  }
  return call.code;
}

/* ------------------------------------------------------------------------------------------------------------------ sound */

static void do_open_audio(rig_call *call) {
  call->code = call->rig->class->audio_encoder->open_encoder(call->rig->self, call->in);
}
static void do_encode_audio(rig_call *call) {
  call->code = call->rig->class->audio_encoder->encode(call->rig->self, call->in, call->index, (msdk_encoded_frame **)&call->out);
}
void audio_close(rig_call *call) {
  call->code = call->rig->class->audio_encoder->close_encoder(call->rig->self);
}

msdk_result audio_open(rig *rig, uint32_t rate, uint32_t channels) {
  msdk_audio_encoder_settings settings = MSDK_INIT(msdk_audio_encoder_settings);
  settings.sample_rate = rate;
  settings.channels = channels;
  settings.bitrate = 64000;
  settings.complexity = 5;
  rig->audio = MSDK_INIT(msdk_audio_format);
  rig->audio.sample_rate = rate;
  rig->audio.channels = channels;
  rig->sequence = 0;
  rig_call call = {.in = rig_lend(rig, &settings, sizeof settings, 0)};
  codec_call(rig, &call, "open_encoder", do_open_audio);
  rig_take_back_of(rig, 0);
  rig->is_ready = call.code >= 0;
  return call.code;
}

msdk_result audio_encode(rig *rig, uint32_t count, int is_silent, msdk_encoded_frame **out) {
  uint8_t *base;
  uint64_t length, size = (uint64_t)count * rig->audio.channels * sizeof(float);
  uint8_t *memory = pages_before_guard(size, 4, "memory past the last sample that it was given", &base, &length);
  for (uint64_t i = 0; i < (uint64_t)count * rig->audio.channels; i++) {
    double seconds = (double)(rig->sequence + i / rig->audio.channels) / rig->audio.sample_rate;
    float sample = is_silent ? 0 : (float)(0.5 * sin(2 * 3.14159265 * 440 * seconds));
    memcpy(memory + i * sizeof sample, &sample, sizeof sample);
  }
  rig->sequence += count;
  region_forbid(base, length - PAGE, "samples that it was given to read (rule P3)");
  pages_protect(base, length - PAGE, PROT_READ);
  rig_call call = {.in = memory, .index = count};
  codec_call(rig, &call, "encode", do_encode_audio);
  region_forget(base);
  region_forget(base + length - PAGE);
  pages_unmap(base, length);
  *out = call.code >= 0 ? call.out : NULL;
  if (call.code >= 0 && !encoded_is_ours(*out)) {
    fail("encode", "it returned MSDK_OK and no packet from encoded_frame_create");
    *out = NULL;
    return MSDK_E_INVALID;
  }
  return call.code;
}

/* --------------------------------------------------------------------------------------------------------- for decoders */

const msdk_class *encoder_for(const msdk_class *class, uint32_t kind) {
  const msdk_module *module = module_get();
  int is_video = kind == MSDK_KIND_VIDEO_DECODER;
  for (uint32_t i = 0; module != NULL && i < module->class_count; i++) {
    const msdk_class *one = module->classes[i];
    if (is_video && (one->kinds & MSDK_KIND_VIDEO_ENCODER) != 0 && one->video_encoder->codec == class->video_decoder->codec) return one;
    if (!is_video && (one->kinds & MSDK_KIND_AUDIO_ENCODER) != 0 && one->audio_encoder->codec == class->audio_decoder->codec) return one;
  }
  return NULL;
}

static uint32_t keep(unit *units, uint32_t count, msdk_encoded_frame *frame) {
  units[count] = (unit){.data = malloc(frame->size), .size = frame->size, .flags = frame->flags};
  if (units[count].data == NULL) return count;
  memcpy(units[count].data, frame->data, frame->size);
  encoded_unref(frame);
  return count + 1;
}

/* What an encoder does wrong is for the check of encoders. */
uint32_t units_make_video(const msdk_class *encoder, uint32_t width, uint32_t height, unit *units, uint32_t count) {
  rig rig;
  uint32_t made = 0;
  if (rig_open(&rig, encoder, 0, 0) < 0) return 0;
  if (video_open(&rig, encoder->video_encoder->pixel_formats[0], width, height, MSDK_VIDEO_VIRTUAL, 1) >= 0) {
    for (uint32_t i = 0; i < count && !has_failed(); i++) {
      msdk_encoded_frame *frame = NULL;
      rig.sequence = 0; /* the same picture always: none is left out as the rest is known */
      if (video_encode(&rig, i == 0 ? MSDK_ENCODE_KEY : 0, &frame) >= 0) made = keep(units, made, frame);
    }
    rig_call call = {0};
    codec_call(&rig, &call, "close_encoder", video_close);
    rig.is_ready = 0;
  }
  rig_close(&rig);
  return made;
}

uint32_t units_make_audio(const msdk_class *encoder, uint32_t channels, unit *units, uint32_t count) {
  rig rig;
  uint32_t made = 0, rate = 0;
  const msdk_audio_encoder *table = encoder->audio_encoder;
  for (uint32_t i = 0; i < table->sample_rate_count; i++) rate = table->sample_rates[i] > rate ? table->sample_rates[i] : rate;
  if (rig_open(&rig, encoder, 0, 0) < 0) return 0;
  if (audio_open(&rig, rate, channels) >= 0) {
    for (uint32_t i = 0; i < count && !has_failed(); i++) {
      msdk_encoded_frame *packet = NULL;
      if (audio_encode(&rig, rate / 50, 0, &packet) >= 0) made = keep(units, made, packet);
    }
    rig_call call = {0};
    codec_call(&rig, &call, "close_encoder", audio_close);
    rig.is_ready = 0;
  }
  rig_close(&rig);
  return made;
}

void units_free(unit *units, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) free(units[i].data);
}

double picture_difference(const msdk_video_frame *frame, uint32_t number) {
  uint64_t sum = 0, count = (uint64_t)frame->format->width * frame->format->height;
  for (uint32_t y = 0; y < frame->format->height; y++) {
    const uint8_t *row = frame->plane[0].data + (ptrdiff_t)y * frame->plane[0].stride;
    for (uint32_t x = 0; x < frame->format->width; x++) {
      int difference = (int)row[x] - (uint8_t)(x * 3 + y * 5 + number * 7);
      sum += (uint64_t)(difference < 0 ? -difference : difference);
    }
  }
  return count > 0 ? (double)sum / (double)count : 0;
}
