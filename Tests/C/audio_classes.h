/* A module of the test's own, for sound: a producer that is asked (mic), one that pushes on a thread of its own (push_mic), one that makes
 * another format than any stream has (odd_mic), a renderer that is fed (earphone), one that pulls (speaker) and one that takes packets
 * (packets). What the core calls is written down in order, as test_classes.h does. */
#ifndef AUDIO_CLASSES_H
#define AUDIO_CLASSES_H

#include "sound.h"
#include "test_classes.h"

typedef struct audio_sight {
  atomic_int frames, encoded, pushed, again, closed, other, broken, corrupt;
  atomic_uint rate, channels, sample_format, shortest, longest, codec;
  atomic_llong first_timestamp, last_timestamp, samples;
} audio_sight;
static audio_sight sight_earphone, sight_speaker, sight_packets, sight_push_mic;
/* What reached the earphone, mono of its first channel. */
enum { EARPHONE_SAMPLES = 48000 * 4 };
static float earphone_heard[EARPHONE_SAMPLES];

/* What a test lets its classes do; set before an instance is made. */
typedef struct audio_plan {
  uint32_t buffer_samples;  /* of the producers, per channel; 0: 10 ms */
  uint32_t end_after;       /* buffers, then MSDK_FRAME_END; 0: never */
  uint32_t closed_after;    /* buffers, then MSDK_E_CLOSED; 0: never */
  uint32_t silent_every;    /* each so manieth time MSDK_E_AGAIN; 0: never */
  msdk_audio_format render; /* what the renderers ask for; sample_rate 0: what comes */
  uint32_t render_buffer;   /* frames_per_buffer of it */
  void (*inside)(void *);   /* is called in produce_frame and in render_audio_frame */
  void *user;
} audio_plan;
static audio_plan plan;

typedef struct mic {
  msdk_self base;
  msdk_audio_format format;
  uint64_t position, buffers;
  pthread_t thread;
  atomic_int running;
  int joined;
} mic;

static inline void audio_sight_clear(void) {
  memset(&sight_earphone, 0, sizeof sight_earphone);
  memset(&sight_speaker, 0, sizeof sight_speaker);
  memset(&sight_packets, 0, sizeof sight_packets);
  memset(&sight_push_mic, 0, sizeof sight_push_mic);
  memset(earphone_heard, 0, sizeof earphone_heard);
  plan = (audio_plan){0};
  record_clear();
}

/* -------------------------------------------------------------------------------------------------------------- producers */

static inline msdk_result mic_create(const char *who, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  CHECK(MSDK_CAN(host, msdk_host, audio_frame_acquire) && MSDK_CAN(host, msdk_host, consume_audio_frame));
  CHECK(MSDK_CAN(host, msdk_host, read_render_data));
  mic *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->base.host = host;
  self->base.context = context;
  self->base.who = who;
  record(who, "create");
  *out = &self->base;
  return MSDK_OK;
}

static inline mic *mic_of(msdk_self *self) { return (mic *)(void *)self; }

static inline msdk_result mic_init(msdk_self *self) { return control(self, "init"); }
static inline msdk_result mic_release(msdk_self *self) { return control(self, "release"); }
static inline msdk_result mic_start(msdk_self *self) { return control(self, "start"); }
static inline msdk_result mic_stop(msdk_self *self) { return control(self, "stop"); }

static inline msdk_result mic_settings(msdk_self *self, msdk_audio_format *out) {
  msdk_result result = control(self, "settings");
  *out = MSDK_INIT(msdk_audio_format);
  out->sample_format = MSDK_SAMPLE_F32;
  out->sample_rate = 44100;
  out->channels = 2;
  return result;
}

static inline msdk_result mic_set_format(msdk_self *self, const msdk_audio_format *format) {
  msdk_result result = control(self, "set_format");
  if (result >= 0) mic_of(self)->format = *format;
  return result;
}

/* Takes what it likes and nothing else. */
static inline msdk_result odd_set_format(msdk_self *self, const msdk_audio_format *format) {
  msdk_result result = control(self, "set_format");
  if (result < 0) return result;
  if (format->sample_rate != 44100 || format->channels != 2 || format->sample_format != MSDK_SAMPLE_F32) return MSDK_E_FORMAT;
  mic_of(self)->format = *format;
  return MSDK_OK;
}

/* The next buffer of a tone of 440 Hz in every channel. */
static inline msdk_result mic_make(msdk_self *self, msdk_audio_frame **out) {
  mic *it = mic_of(self);
  uint32_t count = plan.buffer_samples != 0 ? plan.buffer_samples : it->format.sample_rate / 100;
  msdk_result result = self->host->audio_frame_acquire(self->context, &it->format, count, out);
  if (result < 0) return result;
  for (uint32_t i = 0; i < count; i++) {
    double value = 0.5 * sin(2 * PI * 440 * (double)(it->position + i) / it->format.sample_rate);
    for (uint32_t channel = 0; channel < it->format.channels; channel++) {
      uint32_t at = i * it->format.channels + channel;
      if (it->format.sample_format == MSDK_SAMPLE_F32) ((float *)(void *)(*out)->planes[0])[at] = (float)value;
      else ((int16_t *)(void *)(*out)->planes[0])[at] = (int16_t)lrint(value * 32767);
    }
  }
  it->position += count;
  it->buffers++;
  return MSDK_OK;
}

static inline msdk_result mic_produce(msdk_self *self, int64_t due_ns, msdk_audio_frame **out) {
  CHECK_EQ(atomic_fetch_add(&self->in_media, 1), 0);
  CHECK(due_ns > 0);
  record(self->who, "produce");
  self->produced++;
  if (plan.inside != NULL) plan.inside(plan.user);
  msdk_result result = MSDK_E_DEVICE_LOST;
  if (failing(self, "produce")) result = MSDK_E_DEVICE_LOST;
  else if (plan.silent_every != 0 && self->produced % plan.silent_every == 0) result = MSDK_E_AGAIN;
  else if (plan.closed_after != 0 && mic_of(self)->buffers >= plan.closed_after) result = MSDK_E_CLOSED;
  else result = mic_make(self, out);
  if (result >= 0 && plan.end_after != 0 && mic_of(self)->buffers == plan.end_after) (*out)->flags |= MSDK_FRAME_END;
  atomic_fetch_sub(&self->in_media, 1);
  return result;
}

/* Delivers as fast as it can, until it is told that it is closed. */
static inline void *push_mic_loop(void *argument) {
  msdk_self *self = argument;
  for (;;) {
    msdk_audio_frame *frame = NULL;
    msdk_result result = mic_make(self, &frame);
    if (result >= 0) result = self->host->consume_audio_frame(self->context, frame);
    atomic_fetch_add(result >= 0               ? &sight_push_mic.pushed
                     : result == MSDK_E_AGAIN  ? &sight_push_mic.again
                     : result == MSDK_E_CLOSED ? &sight_push_mic.closed
                                               : &sight_push_mic.other, 1);
    if (result == MSDK_E_CLOSED) return NULL;
    if (result == MSDK_E_AGAIN && frame != NULL) mic_of(self)->position -= mic_of(self)->format.sample_rate / 100; /* was not taken */
    if (result < 0) sleep_ms(3);
  }
}

static inline msdk_result push_mic_start(msdk_self *self) {
  msdk_result result = control(self, "start");
  if (result >= 0) self->pushing = pthread_create(&self->pusher, NULL, push_mic_loop, self) == 0;
  return result;
}
static inline msdk_result push_mic_stop(msdk_self *self) {
  if (self->pushing) pthread_join(self->pusher, NULL);
  self->pushing = 0;
  return control(self, "stop");
}

/* -------------------------------------------------------------------------------------------------------------- renderers */

static inline msdk_result ear_settings(msdk_self *self, msdk_audio_format *out) {
  msdk_result result = control(self, "settings");
  CHECK(out->sample_rate > 0 && out->channels > 0 && out->sample_format > 0); /* what will come */
  if (plan.render.sample_rate != 0) {
    uint32_t size = out->struct_size;
    *out = plan.render;
    out->struct_size = size < sizeof *out ? size : sizeof *out;
  }
  if (plan.render_buffer != 0) out->frames_per_buffer = plan.render_buffer;
  return result;
}

static inline void sight_sound(audio_sight *sight, const msdk_audio_frame *frame) {
  uint32_t channels = frame->format->channels;
  int64_t before = atomic_fetch_add(&sight->samples, frame->sample_count);
  for (uint32_t i = 0; i < frame->sample_count && before + i < EARPHONE_SAMPLES && sight == &sight_earphone; i++) {
    earphone_heard[before + i] = frame->format->sample_format == MSDK_SAMPLE_F32
                                   ? ((const float *)(const void *)frame->planes[0])[i * channels]
                                   : (float)((const int16_t *)(const void *)frame->planes[0])[i * channels] / 32768.0f;
  }
  if (atomic_load(&sight->frames) == 0) {
    atomic_store(&sight->first_timestamp, frame->timestamp_ns);
    atomic_store(&sight->shortest, frame->sample_count);
  }
  atomic_store(&sight->last_timestamp, frame->timestamp_ns);
  atomic_store(&sight->rate, frame->format->sample_rate);
  atomic_store(&sight->channels, channels);
  atomic_store(&sight->sample_format, frame->format->sample_format);
  if (frame->sample_count < atomic_load(&sight->shortest)) atomic_store(&sight->shortest, frame->sample_count);
  if (frame->sample_count > atomic_load(&sight->longest)) atomic_store(&sight->longest, frame->sample_count);
  atomic_fetch_add(&sight->broken, (frame->flags & MSDK_FRAME_DISCONTINUITY) != 0);
  atomic_fetch_add(&sight->corrupt, (frame->flags & MSDK_FRAME_CORRUPT) != 0);
  atomic_fetch_add(&sight->frames, 1);
}

static inline msdk_result ear_frame(msdk_self *self, const msdk_audio_frame *frame) {
  CHECK_EQ(atomic_fetch_add(&self->in_media, 1), 0);
  record(self->who, "render");
  if (plan.inside != NULL) plan.inside(plan.user);
  int fails = failing(self, "render");
  if (!fails) sight_sound(&sight_earphone, frame);
  atomic_fetch_sub(&self->in_media, 1);
  return fails ? MSDK_E_DEVICE_LOST : MSDK_OK;
}

/* Pulls 10 ms at a time, on a thread of its own, until it is told that rendering has stopped. */
static inline void *speaker_loop(void *argument) {
  mic *it = argument;
  static float memory[19200];
  uint32_t count = it->format.sample_rate / 100;
  while (atomic_load(&it->running)) {
    int32_t got = it->base.host->read_render_data(it->base.context, memory, count);
    if (got < 0) {
      atomic_fetch_add(&sight_speaker.closed, 1);
      return NULL;
    }
    CHECK(got <= (int32_t)count);
    atomic_fetch_add(&sight_speaker.samples, got);
    atomic_fetch_add(&sight_speaker.frames, 1);
    sleep_ms(10);
  }
  return NULL;
}

static inline msdk_result speaker_settings(msdk_self *self, msdk_audio_format *out) {
  msdk_result result = ear_settings(self, out);
  mic_of(self)->format = *out;
  return result;
}
static inline msdk_result speaker_start(msdk_self *self) {
  msdk_result result = control(self, "start");
  atomic_store(&mic_of(self)->running, 1);
  if (result >= 0) self->pushing = pthread_create(&mic_of(self)->thread, NULL, speaker_loop, self) == 0;
  return result;
}
static inline msdk_result speaker_stop(msdk_self *self) {
  atomic_store(&mic_of(self)->running, 0);
  if (self->pushing) pthread_join(mic_of(self)->thread, NULL);
  self->pushing = 0;
  return control(self, "stop");
}

static inline int32_t takes_opus(msdk_self *self, uint32_t codec) {
  control(self, "accepts_codec");
  return codec == MSDK_CODEC_OPUS;
}
static inline msdk_result take_packet(msdk_self *self, const msdk_encoded_frame *frame) {
  record(self->who, "render_encoded");
  atomic_store(&sight_packets.codec, frame->codec);
  atomic_store(&sight_packets.rate, frame->sample_rate);
  atomic_store(&sight_packets.last_timestamp, frame->timestamp_ns);
  atomic_fetch_add(&sight_packets.encoded, 1);
  return MSDK_OK;
}
static inline msdk_result take_samples(msdk_self *self, const msdk_audio_frame *frame) {
  record(self->who, "render");
  sight_sound(&sight_packets, frame);
  return MSDK_OK;
}

/* ----------------------------------------------------------------------------------------------------------------- tables */

#define MIC_BASE                                                                                                      \
  .struct_size = sizeof(msdk_audio_producer), .init_capture = mic_init, .release_capture = mic_release,               \
  .capture_settings = mic_settings
static const msdk_audio_producer mic_table = {
  MIC_BASE, .flags = MSDK_PRODUCER_PULL, .start_capture = mic_start, .stop_capture = mic_stop, .set_format = mic_set_format,
  .produce_frame = mic_produce};
static const msdk_audio_producer odd_table = {
  MIC_BASE, .flags = MSDK_PRODUCER_PULL, .start_capture = mic_start, .stop_capture = mic_stop, .set_format = odd_set_format,
  .produce_frame = mic_produce};
static const msdk_audio_producer push_mic_table = {
  MIC_BASE, .start_capture = push_mic_start, .stop_capture = push_mic_stop, .set_format = mic_set_format};
#define EAR_BASE .struct_size = sizeof(msdk_audio_renderer), .init_render = mic_init, .release_render = mic_release
static const msdk_audio_renderer earphone_table = {
  EAR_BASE, .start_render = mic_start, .stop_render = mic_stop, .render_settings = ear_settings, .render_audio_frame = ear_frame};
static const msdk_audio_renderer speaker_table = {
  EAR_BASE, .start_render = speaker_start, .stop_render = speaker_stop, .render_settings = speaker_settings};
static const msdk_audio_renderer packets_table = {
  EAR_BASE, .render_audio_frame = take_samples, .accepts_codec = takes_opus, .render_encoded_frame = take_packet};

#define AUDIO_CREATOR(who)                                                                                                 \
  static inline msdk_result create_##who(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {     \
    (void)type;                                                                                                                            \
    return mic_create(#who, host, context, out);                                                                           \
  }
AUDIO_CREATOR(mic)
AUDIO_CREATOR(odd_mic)
AUDIO_CREATOR(push_mic)
AUDIO_CREATOR(earphone)
AUDIO_CREATOR(speaker)
AUDIO_CREATOR(packets)

static const msdk_class mic_class = {CLASS_BASE(mic, test_params), .kinds = MSDK_KIND_AUDIO_PRODUCER, .audio_producer = &mic_table};
static const msdk_class odd_class = {CLASS_BASE(odd_mic, test_params), .kinds = MSDK_KIND_AUDIO_PRODUCER, .audio_producer = &odd_table};
static const msdk_class push_mic_class = {CLASS_BASE(push_mic, test_params), .kinds = MSDK_KIND_AUDIO_PRODUCER,
                                          .audio_producer = &push_mic_table};
static const msdk_class earphone_class = {CLASS_BASE(earphone, test_params), .kinds = MSDK_KIND_AUDIO_RENDERER,
                                          .audio_renderer = &earphone_table};
static const msdk_class speaker_class = {CLASS_BASE(speaker, test_params), .kinds = MSDK_KIND_AUDIO_RENDERER,
                                         .audio_renderer = &speaker_table};
static const msdk_class packets_class = {CLASS_BASE(packets, test_params), .kinds = MSDK_KIND_AUDIO_RENDERER,
                                         .audio_renderer = &packets_table};
static const msdk_class *const audio_class_list[] = {&mic_class,     &odd_class,     &push_mic_class, &earphone_class,
                                                     &speaker_class, &packets_class};
static const msdk_module audio_module = {.struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR,
                                         .vendor = "the tests", .classes = audio_class_list, .class_count = MSDK_COUNT(audio_class_list)};

static inline sound_call *call_with_module(uint32_t clock, const msdk_outgoing_audio_options *options) {
  audio_sight_clear();
  sound_call *it = sound_open(clock, options, NULL);
  CHECK_OK(msdk_engine_register_module(it->engine, &audio_module));
  return it;
}

/* How many of the events that wait, of plugins and of the states of sound, have this status and these words. */
static inline int times_told(msdk_session *session, msdk_result status, const char *words) {
  int found = 0;
  for (;;) {
    msdk_event event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(session, 0, &event) < 0) return found;
    int of_these = event.type == MSDK_EVENT_PLUGIN || event.type == MSDK_EVENT_OUTGOING_AUDIO_STATE ||
                   event.type == MSDK_EVENT_INCOMING_AUDIO_STATE;
    found += of_these && event.status == status && strstr(event.text, words) != NULL;
  }
}

#endif
