/* The test host's sound: buffers with guarded memory and counted references, and a recorder. */
#define _XOPEN_SOURCE 700
#include "check.h"
#include "host.h"

#include <stdlib.h>
#include <time.h>

enum { GUARD = 64 };

typedef struct audio_memory {
  msdk_audio_frame frame; /* first: a pointer to it is a pointer to the whole */
  msdk_audio_format format;
  msdk_host_context *context;
  uint8_t *planes[1], *memory;
  uint64_t bytes;
  uint32_t sample_count;
  int references;
} audio_memory;

static audio_memory *memory_of(const msdk_audio_frame *frame) { return (audio_memory *)(uintptr_t)frame; }

static uint64_t sample_bytes(const msdk_audio_format *format) { return format->sample_format == MSDK_SAMPLE_S16 ? 2 : 4; }

int64_t host_monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

msdk_audio_format host_audio_format(uint32_t sample_format, uint32_t sample_rate, uint32_t channels) {
  msdk_audio_format format = MSDK_INIT(msdk_audio_format);
  format.sample_format = sample_format;
  format.sample_rate = sample_rate;
  format.channels = channels;
  return format;
}

/* Every buffer is memory of its own, exactly as long as it must be. */
static audio_memory *new_memory(msdk_host_context *context, const msdk_audio_format *format, uint32_t sample_count) {
  audio_memory *made = calloc(1, sizeof *made);
  made->bytes = sample_count * format->channels * sample_bytes(format);
  made->memory = aligned_alloc(GUARD, (made->bytes + GUARD - 1) / GUARD * GUARD + 2 * GUARD);
  memset(made->memory, context->poison, made->bytes + 2 * GUARD);
  made->planes[0] = made->memory + GUARD;
  memset(made->planes[0], 0, made->bytes);
  made->format = *format;
  made->context = context;
  made->sample_count = sample_count;
  made->references = 1;
  made->frame = MSDK_INIT(msdk_audio_frame);
  made->frame.flags = MSDK_FRAME_WRITABLE;
  made->frame.format = &made->format;
  made->frame.sample_count = sample_count;
  made->frame.plane_count = 1;
  made->frame.planes = made->planes;
  made->frame.duration_ns = (int64_t)(((uint64_t)sample_count * 1000000000 + format->sample_rate / 2) / format->sample_rate);
  made->frame.level = 127;
  return made;
}

static int unharmed(const audio_memory *memory) {
  int good = memory->frame.sample_count == memory->sample_count && memory->frame.format == &memory->format;
  for (int i = 0; i < GUARD; i++) {
    uint8_t poison = memory->context->poison;
    good = good && memory->memory[i] == poison && memory->planes[0][memory->bytes + (uint64_t)i] == poison;
  }
  return good;
}

msdk_result host_audio_acquire(msdk_host_context *context, const msdk_audio_format *format, uint32_t sample_count, msdk_audio_frame **out) {
  int good = format->sample_rate >= 8000 && format->sample_rate <= 192000 && format->channels >= 1 && format->channels <= 2 &&
             (format->sample_format == MSDK_SAMPLE_S16 || format->sample_format == MSDK_SAMPLE_F32) && format->planar == 0 &&
             sample_count >= 1 && sample_count <= 192000;
  if (!good) return MSDK_E_RANGE;
  pthread_mutex_lock(&context->lock);
  int room = context->audio_outstanding < context->audio_pool_limit;
  if (room) {
    *out = &new_memory(context, format, sample_count)->frame;
    context->audio_outstanding++;
  } else {
    context->audio_refused++;
  }
  pthread_mutex_unlock(&context->lock);
  return room ? MSDK_OK : MSDK_E_AGAIN;
}

void host_audio_ref(const msdk_audio_frame *frame) {
  audio_memory *memory = memory_of(frame);
  pthread_mutex_lock(&memory->context->lock);
  memory->references++;
  pthread_mutex_unlock(&memory->context->lock);
}

void host_audio_unref(const msdk_audio_frame *frame) {
  if (frame == NULL) return;
  audio_memory *memory = memory_of(frame);
  msdk_host_context *context = memory->context;
  pthread_mutex_lock(&context->lock);
  int last = --memory->references == 0;
  if (last) {
    context->audio_outstanding--;
    if (!unharmed(memory)) context->audio_overwritten++;
  }
  pthread_mutex_unlock(&context->lock);
  if (!last) return;
  free(memory->memory);
  free(memory);
}

msdk_result host_audio_make_writable(msdk_host_context *context, msdk_audio_frame *in, msdk_audio_frame **out) {
  audio_memory *memory = memory_of(in);
  pthread_mutex_lock(&context->lock);
  int alone = memory->references == 1 && (in->flags & MSDK_FRAME_WRITABLE) != 0;
  pthread_mutex_unlock(&context->lock);
  *out = in;
  if (alone) return MSDK_OK;
  msdk_result result = host_audio_acquire(context, in->format, in->sample_count, out);
  if (result < 0) return result;
  memcpy((*out)->planes[0], in->planes[0], memory->bytes);
  (*out)->timestamp_ns = in->timestamp_ns;
  host_audio_unref(in);
  return MSDK_OK;
}

msdk_audio_frame *host_audio_frame(host_instance *instance, const msdk_audio_format *format, uint32_t sample_count) {
  msdk_audio_frame *frame = NULL;
  CHECK_EQ(host_audio_acquire(&instance->context, format, sample_count, &frame), MSDK_OK);
  return frame;
}

float host_sample(const msdk_audio_frame *frame, uint64_t index) {
  const uint8_t *at = frame->planes[0] + index * sample_bytes(frame->format);
  int16_t s16;
  float f32;
  memcpy(&s16, at, sizeof s16);
  if (frame->format->sample_format == MSDK_SAMPLE_S16) return (float)s16 / 32768;
  memcpy(&f32, at, sizeof f32);
  return f32;
}

void host_set_sample(msdk_audio_frame *frame, uint64_t index, double value) {
  uint8_t *at = frame->planes[0] + index * sample_bytes(frame->format);
  double scaled = value * 32768 + (value < 0 ? -0.5 : 0.5);
  int16_t s16 = (int16_t)(scaled > 32767 ? 32767 : scaled < -32768 ? -32768 : scaled != scaled ? 0 : scaled);
  float f32 = (float)value;
  if (frame->format->sample_format == MSDK_SAMPLE_S16) memcpy(at, &s16, sizeof s16);
  else memcpy(at, &f32, sizeof f32);
}

void host_record(host_recording *recording, const msdk_audio_frame *frame) {
  uint64_t count = (uint64_t)frame->sample_count * frame->format->channels;
  if (recording->count + count > recording->capacity) {
    recording->capacity = 2 * (recording->count + count);
    recording->samples = realloc(recording->samples, recording->capacity * sizeof(float));
  }
  for (uint64_t i = 0; i < count; i++) recording->samples[recording->count + i] = host_sample(frame, i);
  recording->count += count;
  if (recording->buffers++ == 0) {
    recording->format = *frame->format;
    recording->first_ns = frame->timestamp_ns;
  } else {
    recording->backwards += frame->timestamp_ns <= recording->last_ns;
  }
  const msdk_audio_format *first = &recording->format;
  recording->mixed += first->sample_format != frame->format->sample_format || first->sample_rate != frame->format->sample_rate ||
                      first->channels != frame->format->channels;
  recording->last_ns = frame->timestamp_ns;
  recording->ends += (frame->flags & MSDK_FRAME_END) != 0;
  recording->discontinuities += (frame->flags & MSDK_FRAME_DISCONTINUITY) != 0;
}

void host_recording_free(host_recording *recording) {
  free(recording->samples);
  *recording = (host_recording){0};
}

msdk_result host_audio_consume(msdk_host_context *context, msdk_audio_frame *frame) {
  pthread_mutex_lock(&context->lock);
  host_record(&context->recording, frame);
  pthread_mutex_unlock(&context->lock);
  msdk_result result = context->consume_audio != NULL ? context->consume_audio(context, frame) : MSDK_OK;
  host_audio_unref(frame);
  return result;
}

uint32_t host_count_events(host_instance *instance, uint32_t event, msdk_result result) {
  msdk_host_context *context = &instance->context;
  uint32_t count = 0;
  pthread_mutex_lock(&context->lock);
  for (uint32_t i = 0; i < context->events && i < HOST_EVENTS; i++) {
    count += context->event_log[i].event == event && context->event_log[i].result == result;
  }
  pthread_mutex_unlock(&context->lock);
  return count;
}
