/* Speaking and listening: streams of sound from one member of a room to others, tones that can be measured, and what became of the
 * buffers. Time is the engine's: moved on where the clock is virtual, waited for where it is the system's. */
#ifndef SOUND_H
#define SOUND_H

#include "call.h"
#include "tones.h"

/* --------------------------------------------------------------------------------------------------------------- reports */

typedef struct sound_outcomes {
  atomic_int calls, by_outcome[6], by_reason[12];
  atomic_ullong bytes;
} sound_outcomes;

static inline void on_sound_report(void *user, const msdk_frame_report *report) {
  sound_outcomes *it = user;
  CHECK(report->struct_size >= sizeof(msdk_frame_report));
  CHECK(report->outcome >= MSDK_OUTCOME_SENT && report->outcome <= MSDK_OUTCOME_FAILED);
  CHECK(report->reason <= MSDK_DROP_NO_KEY);
  CHECK((report->outcome == MSDK_OUTCOME_DROPPED) == (report->reason != MSDK_DROP_NONE));
  CHECK((report->outcome == MSDK_OUTCOME_FAILED) == (report->status < 0));
  if (report->outcome < 6) atomic_fetch_add(&it->by_outcome[report->outcome], 1);
  if (report->reason < 12) atomic_fetch_add(&it->by_reason[report->reason], 1);
  atomic_fetch_add(&it->bytes, report->bytes);
  atomic_fetch_add(&it->calls, 1);
}

static inline msdk_outgoing_audio_stats sound_stats(msdk_outgoing_audio *stream) {
  msdk_outgoing_audio_stats stats = MSDK_INIT(msdk_outgoing_audio_stats);
  CHECK_OK(msdk_outgoing_audio_get_stats(stream, &stats));
  return stats;
}

static inline msdk_incoming_audio_stats heard_stats(msdk_incoming_audio *stream) {
  msdk_incoming_audio_stats stats = MSDK_INIT(msdk_incoming_audio_stats);
  CHECK_OK(msdk_incoming_audio_get_stats(stream, &stats));
  return stats;
}

/* The law of the reports: every buffer that send accepted has one outcome. */
static inline void check_sound_adds_up(msdk_outgoing_audio *stream) {
  msdk_outgoing_audio_stats stats = sound_stats(stream);
  CHECK_EQ(stats.buffers_sent + stats.buffers_encoded + stats.buffers_dropped + stats.buffers_failed, stats.buffers_offered);
}

/* ----------------------------------------------------------------------------------------------------------------- voices */

/* Those that a stream may have. */
static const uint32_t sound_rates[] = {16000, 22050, 24000, 32000, 44100, 48000};

static inline msdk_outgoing_audio_options sound_options(uint32_t rate, uint32_t channels, uint32_t sample_format, uint32_t buffer_ms) {
  msdk_outgoing_audio_options options = MSDK_INIT(msdk_outgoing_audio_options);
  options.sample_rate = rate;
  options.channels = channels;
  options.sample_format = sample_format;
  options.buffer_ms = buffer_ms;
  return options;
}

static inline msdk_incoming_audio_options hearing_options(uint32_t rate, uint32_t channels, uint32_t sample_format, uint32_t buffer_ms) {
  msdk_incoming_audio_options options = MSDK_INIT(msdk_incoming_audio_options);
  options.sample_rate = rate;
  options.channels = channels;
  options.sample_format = sample_format;
  options.buffer_ms = buffer_ms;
  return options;
}

static inline msdk_audio_format audio_format_of(uint32_t sample_format, uint32_t rate, uint32_t channels) {
  msdk_audio_format format = MSDK_INIT(msdk_audio_format);
  format.sample_format = sample_format;
  format.sample_rate = rate;
  format.channels = channels;
  return format;
}

/* Somebody who makes a tone in each channel, buffer by buffer. */
typedef struct voice {
  msdk_engine *engine;
  msdk_outgoing_audio *stream;
  uint32_t rate, channels, sample_format, samples; /* per channel in a buffer */
  uint64_t size, position;                         /* bytes of a buffer; samples per channel made so far */
  int64_t begin_ns;                                /* when the first of them was due; 0: not begun */
  double frequency[2], amplitude[2];
  int syllables;                                   /* 1: not a tone, but harmonics that swell four times a second, like a voice */
  int32_t clock_ppm;                               /* by how much its clock is fast */
  sound_outcomes *counted;
  _Alignas(16) uint8_t buffer[38400];
} voice;

static inline void voice_tone(voice *it, double frequency, double amplitude) {
  it->frequency[0] = it->frequency[1] = frequency;
  it->amplitude[0] = it->amplitude[1] = amplitude;
}

static inline msdk_audio_format format_of_voice(msdk_outgoing_audio *stream) {
  msdk_outgoing_audio_info info = MSDK_INIT(msdk_outgoing_audio_info);
  CHECK_OK(msdk_outgoing_audio_get_info(stream, &info));
  return info.format;
}

static inline int voice_make(voice *it, msdk_engine *engine, const msdk_outgoing_audio_options *options) {
  memset(it, 0, sizeof *it);
  it->engine = engine;
  if (!CHECK_OK(msdk_outgoing_audio_create(engine, options, &it->stream))) return 0;
  msdk_audio_format format = format_of_voice(it->stream);
  CHECK_OK(msdk_outgoing_audio_get_buffer_size(it->stream, &it->size));
  it->rate = format.sample_rate;
  it->channels = format.channels;
  it->sample_format = format.sample_format;
  it->samples = format.frames_per_buffer;
  voice_tone(it, 440, 0.5);
  return CHECK(it->size > 0 && it->size <= sizeof it->buffer);
}

/* Two seconds that can be repeated, of one rate at a time. */
static inline const float *voice_syllables(uint32_t rate) {
  static float table[2 * 48000];
  static uint32_t filled;
  for (uint32_t i = 0; filled != rate && i < 2 * rate; i++) {
    double seconds = (double)i / rate, sum = 0, pitch = 130 * seconds - 8 * cos(2 * PI * 0.5 * seconds);
    for (int harmonic = 1; harmonic <= 20; harmonic++) sum += sin(2 * PI * harmonic * pitch) / harmonic;
    table[i] = (float)(0.5 * sum * (0.5 - 0.5 * cos(2 * PI * 4 * seconds)));
  }
  filled = rate;
  return table;
}

/* The value of a channel at a sample of this voice. */
static inline double voice_at(const voice *it, uint64_t sample, uint32_t channel) {
  if (it->syllables) return it->amplitude[channel] * voice_syllables(it->rate)[sample % (2 * (uint64_t)it->rate)];
  return it->amplitude[channel] * sin(2 * PI * it->frequency[channel] * (double)sample / it->rate);
}

static inline void voice_fill(voice *it) {
  for (uint32_t i = 0; i < it->samples; i++) {
    for (uint32_t channel = 0; channel < it->channels; channel++) {
      double value = voice_at(it, it->position + i, channel);
      if (it->sample_format == MSDK_SAMPLE_F32) ((float *)(void *)it->buffer)[i * it->channels + channel] = (float)value;
      else ((int16_t *)(void *)it->buffer)[i * it->channels + channel] = (int16_t)lrint(value * 32767);
    }
  }
  it->position += it->samples;
}

/* Makes the next buffer and sends it. */
static inline msdk_result voice_send(voice *it) {
  voice_fill(it);
  msdk_result result =
    msdk_outgoing_audio_send(it->stream, it->buffer, it->size, 0, 0, it->counted != NULL ? on_sound_report : NULL, it->counted);
  if (result < 0) it->position -= it->samples;
  return result;
}

/* When the next buffer is due: sound that is made live. */
static inline int64_t voice_due(const voice *it) {
  double rate = it->rate * (1 + it->clock_ppm * 1e-6);
  return it->begin_ns + (int64_t)((double)it->position * 1e9 / rate + 0.5);
}

/* When the first buffer was captured by the SDK's stamps: it is sent at begin_ns, and live sound is sent when it is complete. */
static inline int64_t voice_captured(const voice *it) {
  return it->begin_ns - (int64_t)it->samples * SECOND / it->rate;
}

/* --------------------------------------------------------------------------------------------------------------- listeners */

/* All that was heard of one stream, as float, interleaved. */
typedef struct heard {
  msdk_incoming_audio *stream;
  float *samples;
  uint64_t count, capacity; /* samples per channel */
  uint32_t channels, rate, sample_format;
  int64_t first_ns, next_ns; /* timestamp of the first sample; of the one that should come next */
  int64_t worst_gap_ns;      /* between what a timestamp is and what the samples before it say */
  uint64_t last_sequence;
  int frames, corrupt, broken; /* buffers; of those made up; with a discontinuity */
  uint32_t shortest, longest, level;
  int64_t oldest_ns; /* the oldest that a first sample was when it was taken */
} heard;

static inline void heard_add(heard *it, msdk_engine *engine, const msdk_audio_frame *frame) {
  const msdk_audio_format *format = frame->format;
  uint32_t channels = format->channels;
  int same = channels == it->channels && format->sample_rate == it->rate && format->sample_format == it->sample_format;
  if (it->count > 0 && !CHECK(same)) return;
  it->channels = channels;
  it->rate = format->sample_rate;
  it->sample_format = format->sample_format;
  if (it->count + frame->sample_count > it->capacity) {
    it->capacity = (it->count + frame->sample_count) * 2;
    float *more = realloc(it->samples, it->capacity * channels * sizeof(float));
    if (!CHECK(more != NULL)) return;
    it->samples = more;
  }
  float *to = it->samples + it->count * channels;
  for (uint32_t i = 0; i < frame->sample_count * channels; i++) {
    to[i] = format->sample_format == MSDK_SAMPLE_F32 ? ((const float *)(const void *)frame->planes[0])[i]
                                                     : (float)((const int16_t *)(const void *)frame->planes[0])[i] / 32768.0f;
  }
  if (it->frames == 0) {
    it->first_ns = frame->timestamp_ns;
    it->shortest = UINT32_MAX;
  } else {
    int64_t gap = frame->timestamp_ns - it->next_ns;
    if (llabs(gap) > it->worst_gap_ns) it->worst_gap_ns = llabs(gap);
  }
  it->next_ns = frame->timestamp_ns + (int64_t)((double)frame->sample_count * 1e9 / it->rate + 0.5);
  int64_t age = msdk_engine_now(engine) - frame->timestamp_ns;
  if (age > it->oldest_ns) it->oldest_ns = age;
  if (frame->sample_count < it->shortest) it->shortest = frame->sample_count;
  if (frame->sample_count > it->longest) it->longest = frame->sample_count;
  it->corrupt += (frame->flags & MSDK_FRAME_CORRUPT) != 0;
  it->broken += (frame->flags & MSDK_FRAME_DISCONTINUITY) != 0;
  it->last_sequence = frame->sequence;
  it->level = frame->level;
  it->count += frame->sample_count;
  it->frames++;
}

/* Takes all that waits. */
static inline void heard_drain(heard *it, msdk_engine *engine) {
  msdk_audio_frame *frame = NULL;
  while (it->stream != NULL && msdk_incoming_audio_read(it->stream, 0, &frame) >= 0) {
    heard_add(it, engine, frame);
    msdk_audio_frame_unref(frame);
  }
}

static inline void heard_forget(heard *it) {
  free(it->samples);
  *it = (heard){.stream = it->stream};
}

/* Lets voices speak and listeners listen for a while of the virtual clock: each buffer is sent when it is due, and what came is taken
 * every five milliseconds at the latest. A voice that has not begun begins now. */
static inline void talk(msdk_engine *engine, voice **voices, int voice_count, heard **listeners, int listener_count, int64_t duration_ns) {
  int64_t now = msdk_engine_now(engine), end = now + duration_ns;
  for (int i = 0; i < voice_count; i++) {
    if (voices[i]->begin_ns == 0) voices[i]->begin_ns = now;
  }
  while (now < end) {
    int64_t next = now + 5 * MS < end ? now + 5 * MS : end;
    for (int i = 0; i < voice_count; i++) {
      while (voice_due(voices[i]) <= now) {
        if (!CHECK_OK(voice_send(voices[i]))) return;
      }
      if (voice_due(voices[i]) < next) next = voice_due(voices[i]);
    }
    CHECK_OK(msdk_engine_advance_clock(engine, next - now));
    now = next;
    for (int i = 0; i < listener_count; i++) heard_drain(listeners[i], engine);
  }
}

/* ------------------------------------------------------------------------------------------------------------------- calls */

typedef struct sound_call {
  msdk_engine *engine;
  char url[64];
  msdk_session *alice, *bob;
  voice voice; /* alice's */
  heard heard; /* bob's */
} sound_call;

static inline sound_call *sound_join(uint32_t clock) {
  sound_call *it = calloc(1, sizeof *it);
  if (it == NULL) abort();
  snprintf(it->url, sizeof it->url, "%s", room_new());
  it->engine = engine_new(clock);
  it->alice = join(it->engine, it->url, "alice");
  it->bob = join(it->engine, it->url, "bob");
  return it;
}

/* Starts alice's stream; bob's comes as an event. */
static inline int sound_offer(sound_call *it, const msdk_outgoing_audio_options *options) {
  msdk_event event;
  if (!voice_make(&it->voice, it->engine, options)) return 0;
  if (!CHECK_OK(msdk_session_start_audio(it->alice, it->voice.stream))) return 0;
  if (!CHECK(event_wait(it->engine, it->bob, MSDK_EVENT_INCOMING_AUDIO_ADDED, &event))) return 0;
  it->heard.stream = event.incoming_audio;
  return CHECK(it->heard.stream != NULL);
}

/* Waits until alice's stream knows of its receiver. */
static inline void sound_received(const sound_call *it) {
  for (int tries = waits_of(it->engine); tries > 0 && sound_stats(it->voice.stream).receivers == 0; tries--) run_for(it->engine, 5 * MS);
}

static inline sound_call *sound_open(uint32_t clock, const msdk_outgoing_audio_options *options,
                                     const msdk_incoming_audio_options *receive) {
  sound_call *it = sound_join(clock);
  if (sound_offer(it, options) && CHECK_OK(msdk_incoming_audio_start(it->heard.stream, receive))) {
    run_for(it->engine, MS);
    sound_received(it);
  }
  return it;
}

static inline void sound_close(sound_call *it) {
  msdk_outgoing_audio_destroy(it->voice.stream);
  msdk_session_destroy(it->alice);
  msdk_session_destroy(it->bob);
  msdk_engine_destroy(it->engine);
  free(it->heard.samples);
  free(it);
}

/* alice speaks, bob listens. */
static inline void sound_talk(sound_call *it, int64_t duration_ns) {
  talk(it->engine, (voice *[]){&it->voice}, 1, (heard *[]){&it->heard}, 1, duration_ns);
}

/* Waits for the next buffer. NULL when none came. */
static inline msdk_audio_frame *sound_wait(msdk_engine *engine, msdk_incoming_audio *stream) {
  for (int tries = waits_of(engine); tries > 0; tries--) {
    msdk_audio_frame *frame = NULL;
    if (msdk_incoming_audio_read(stream, 0, &frame) >= 0) return frame;
    run_for(engine, 5 * MS);
  }
  return NULL;
}

/* What a tone in a channel of all that was heard lacks to be one: its power against the tone's, in dB. The beginning and the end are
 * left out, as filters begin and end there. The tone's amplitude and its phase at the first sample heard come out. */
static inline double heard_tone(const heard *it, uint32_t channel, double frequency, double *amplitude, double *phase) {
  uint64_t margin = it->rate / 20;
  if (!CHECK(it->count > 3 * margin)) return 0;
  tone found = {.frequency = frequency};
  double residual = tones_fit(it->samples + margin * it->channels + channel, it->count - 2 * margin, it->channels, it->rate, &found, 1);
  if (amplitude != NULL) *amplitude = found.amplitude;
  if (phase != NULL) *phase = found.phase - 2 * PI * frequency * (double)margin / it->rate;
  return residual;
}

#endif
