#define _XOPEN_SOURCE 700
#include "check.h"
#include "host.h"
#include "sound.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static const msdk_class *class;
static const msdk_audio_producer *producer;

static void start(host_instance *instance, msdk_audio_format format) {
  host_create(instance, class);
  CHECK_EQ(producer->init_capture(instance->self), MSDK_OK);
  CHECK_EQ(producer->set_format(instance->self, &format), MSDK_OK);
  CHECK_EQ(producer->start_capture(instance->self), MSDK_OK);
}

/* So many buffers into the recording; the number of samples of the last one. */
static uint32_t take(host_instance *instance, uint32_t buffers) {
  uint32_t length = 0;
  for (uint32_t i = 0; i < buffers; i++) {
    msdk_audio_frame *frame = NULL;
    CHECK_EQ(producer->produce_frame(instance->self, 1000 + i, &frame), MSDK_OK);
    if (frame == NULL) return 0;
    CHECK_EQ(frame->timestamp_ns, 1000 + i);
    host_record(&instance->context.recording, frame);
    length = frame->sample_count;
    host_audio_unref(frame);
  }
  return length;
}

static void check_near(double got, double wanted, double apart, int line) {
  if (!(fabs(got - wanted) <= apart)) printf("line %d: %.9g, not %.9g\n", line, got, wanted);
  CHECK(fabs(got - wanted) <= apart);
}
#define NEAR(got, wanted, apart) check_near(got, wanted, apart, __LINE__)

/* Every sample against the C library's sine. */
static void test_wave(void) {
  static const uint32_t rates[] = {8000, 11025, 16000, 44100, 48000, 192000};
  static const double frequencies[] = {1, 440, 997.5, 3999};
  for (int mode = 0; mode < 4; mode++) {
    for (size_t r = 0; r < 6; r++) {
      for (size_t f = 0; f < 4; f++) {
        uint32_t channels = mode % 2 + 1, sample_format = mode / 2 ? MSDK_SAMPLE_S16 : MSDK_SAMPLE_F32;
        host_instance instance;
        start(&instance, host_audio_format(sample_format, rates[r], channels));
        CHECK_EQ(host_set_f64(&instance, "frequency", frequencies[f]), MSDK_OK);
        CHECK_EQ(host_set_f64(&instance, "amplitude", 1), MSDK_OK);
        CHECK_EQ(take(&instance, 20), rates[r] / 100);
        const host_recording *recording = &instance.context.recording;
        double worst = 0;
        CHECK_EQ(recording->count, 20 * (rates[r] / 100) * channels);
        for (uint64_t i = 0; i < recording->count; i++) {
          double wanted = sin(SOUND_TURN * frequencies[f] * (double)(i / channels) / rates[r]);
          if (sample_format == MSDK_SAMPLE_S16 && wanted > 32767 / 32768.0) wanted = 32767 / 32768.0;
          worst = fmax(worst, fabs(recording->samples[i] - wanted));
        }
        CHECK(worst < (sample_format == MSDK_SAMPLE_S16 ? 0.5001 / 32768 : 1e-7));
        host_finish(&instance);
      }
    }
  }
}

static void test_long(void) {
  host_instance instance;
  msdk_audio_format format = host_audio_format(MSDK_SAMPLE_F32, 48000, 1);
  format.frames_per_buffer = 4801;
  start(&instance, format);
  CHECK_EQ(take(&instance, 600), 4801); /* a minute */
  const host_recording *recording = &instance.context.recording;
  NEAR(sound_frequency(recording->samples, recording->count, 1, 48000), 440, 1e-4);
  NEAR(sound_rms(recording->samples, recording->count, 1), 0.25 / sqrt(2), 1e-4);
  host_finish(&instance);
}

/* No step is larger than the wave itself makes. */
static void test_changes(void) {
  host_instance instance;
  start(&instance, host_audio_format(MSDK_SAMPLE_F32, 48000, 2));
  const host_recording *recording = &instance.context.recording;
  static const double frequencies[] = {440, 1000, 60.25, 333};
  for (int i = 0; i < 200; i++) {
    CHECK_EQ(host_set_f64(&instance, "frequency", frequencies[i % 4]), MSDK_OK);
    CHECK_EQ(host_set_f64(&instance, "amplitude", i % 3 == 0 ? 0 : 0.5), MSDK_OK);
    take(&instance, 1);
    uint64_t last = recording->count - 2;
    if (i % 3 == 0 && i > 0) CHECK_EQ(recording->samples[last] * 1e6, 0); /* faded out within the buffer */
    CHECK(recording->samples[last] == recording->samples[last + 1]);
  }
  CHECK(sound_step(recording->samples, recording->count / 2, 2) < 0.5 * SOUND_TURN * 1000 / 48000 + 0.5 / 480);
  CHECK(sound_rms(recording->samples, recording->count / 2, 2) > 0.15);
  /* And it is the level that was asked for. */
  CHECK_EQ(host_set_f64(&instance, "frequency", 500), MSDK_OK);
  CHECK_EQ(host_set_f64(&instance, "amplitude", 0.125), MSDK_OK);
  take(&instance, 1);
  uint64_t from = recording->count;
  take(&instance, 100);
  NEAR(sound_amplitude(recording->samples + from, 48000, 2, 48000, 500), 0.125, 1e-5);
  host_finish(&instance);
}

static void test_nyquist(void) {
  host_instance instance;
  start(&instance, host_audio_format(MSDK_SAMPLE_F32, 8000, 1));
  const host_recording *recording = &instance.context.recording;
  take(&instance, 1);
  CHECK_EQ(host_set_f64(&instance, "frequency", 4000), MSDK_OK);
  take(&instance, 1); /* fades out at 440 Hz */
  CHECK(sound_step(recording->samples, recording->count, 1) < 0.25 * SOUND_TURN * 440 / 8000 + 0.25 / 80);
  uint64_t from = recording->count;
  take(&instance, 10);
  CHECK(sound_rms(recording->samples + from, recording->count - from, 1) == 0);
  CHECK_EQ(host_set_f64(&instance, "frequency", 3000), MSDK_OK);
  take(&instance, 1);
  from = recording->count;
  take(&instance, 10);
  NEAR(sound_amplitude(recording->samples + from, 800, 1, 8000, 3000), 0.25, 1e-4);
  host_finish(&instance);

  start(&instance, host_audio_format(MSDK_SAMPLE_S16, 8000, 1));
  CHECK_EQ(host_set_f64(&instance, "frequency", 20000), MSDK_OK);
  take(&instance, 5);
  CHECK(sound_rms(instance.context.recording.samples, 400, 1) == 0);
  host_finish(&instance);
}

static void test_duration(void) {
  static const uint32_t durations[] = {1, 9, 10, 11, 995, 1000};
  for (size_t d = 0; d < 6; d++) {
    host_instance instance;
    msdk_audio_format format = host_audio_format(MSDK_SAMPLE_S16, 44100, 2);
    start(&instance, format);
    CHECK_EQ(host_set_u32(&instance, "duration_ms", durations[d]), MSDK_OK);
    for (int again = 0; again < 2; again++) {
      uint64_t wanted = (uint64_t)durations[d] * 44100 / 1000, buffers = (wanted + 440) / 441;
      take(&instance, (uint32_t)buffers);
      host_recording *recording = &instance.context.recording;
      CHECK_EQ(recording->count, 2 * wanted);
      CHECK_EQ(recording->ends, 1);
      msdk_audio_frame *frame = NULL;
      CHECK_EQ(producer->produce_frame(instance.self, 0, &frame), MSDK_E_CLOSED);
      /* Started again, it begins anew. */
      host_recording_free(recording);
      CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
      CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
    }
    host_finish(&instance);
  }

  /* A change of rate on the way keeps the time. */
  host_instance instance;
  start(&instance, host_audio_format(MSDK_SAMPLE_S16, 48000, 1));
  CHECK_EQ(host_set_u32(&instance, "duration_ms", 100), MSDK_OK);
  take(&instance, 5);
  CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
  msdk_audio_format slow = host_audio_format(MSDK_SAMPLE_S16, 8000, 1);
  CHECK_EQ(producer->set_format(instance.self, &slow), MSDK_OK);
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  take(&instance, 5);
  CHECK_EQ(instance.context.recording.ends, 1);
  host_finish(&instance);
}

static void test_formats(void) {
  host_instance instance;
  host_create(&instance, class);
  CHECK_EQ(producer->flags & MSDK_PRODUCER_PULL, MSDK_PRODUCER_PULL);
  CHECK_EQ(producer->init_capture(instance.self), MSDK_OK);
  msdk_audio_format format = MSDK_INIT(msdk_audio_format), bad[8];
  CHECK_EQ(producer->capture_settings(instance.self, &format), MSDK_OK);
  CHECK_EQ(producer->set_format(instance.self, &format), MSDK_OK);
  CHECK_EQ(producer->set_format(instance.self, NULL), MSDK_E_INVALID);
  for (int i = 0; i < 8; i++) bad[i] = host_audio_format(MSDK_SAMPLE_S16, 48000, 1);
  bad[0].sample_format = 3;
  bad[1].sample_format = 0;
  bad[2].sample_rate = 7999;
  bad[3].sample_rate = 192001;
  bad[4].channels = 0;
  bad[5].channels = 3;
  bad[6].planar = 1;
  bad[7].frames_per_buffer = 192001;
  for (int i = 0; i < 8; i++) {
    uint32_t before = instance.context.errors;
    CHECK_EQ(producer->set_format(instance.self, &bad[i]), MSDK_E_FORMAT);
    CHECK_EQ(instance.context.errors, before + 1);
  }
  msdk_audio_frame *frame = NULL;
  CHECK_EQ(producer->produce_frame(instance.self, 0, &frame), MSDK_E_STATE);
  host_check_params(&instance);
  CHECK_EQ(host_set_f64(&instance, "frequency", 0.5), MSDK_E_RANGE);
  CHECK_EQ(host_set_f64(&instance, "frequency", 20001), MSDK_E_RANGE);
  CHECK_EQ(host_set_f64(&instance, "frequency", NAN), MSDK_E_RANGE);
  CHECK_EQ(host_set_f64(&instance, "amplitude", 1.01), MSDK_E_RANGE);
  CHECK_EQ(host_set_f64(&instance, "amplitude", -0.01), MSDK_E_RANGE);
  CHECK_EQ(producer->release_capture(instance.self), MSDK_OK);
  host_destroy(&instance);

  msdk_host old = host_table;
  old.struct_size = offsetof(msdk_host, audio_frame_acquire);
  msdk_self *self = NULL;
  CHECK_EQ(class->create(class, &old, NULL, &self), MSDK_E_ABI);
}

/* An empty pool is no error, and the wave waits. */
static void test_pool(void) {
  host_instance instance;
  start(&instance, host_audio_format(MSDK_SAMPLE_F32, 48000, 1));
  take(&instance, 3);
  instance.context.audio_pool_limit = 0;
  msdk_audio_frame *frame = NULL;
  CHECK_EQ(producer->produce_frame(instance.self, 1000, &frame), MSDK_E_AGAIN);
  instance.context.audio_pool_limit = HOST_AUDIO_POOL;
  take(&instance, 3);
  const host_recording *recording = &instance.context.recording;
  CHECK(sound_step(recording->samples, recording->count, 1) < 0.25 * SOUND_TURN * 440 / 48000 + 1e-6);
  CHECK_EQ(recording->count, 6 * 480);
  host_finish(&instance);
}

static atomic_int over;

static void *turn_knobs(void *pointer) {
  host_instance *instance = pointer;
  for (int i = 0; !over; i++) {
    msdk_value frequency = {.type = MSDK_T_F64, .u.f64 = 100 + i % 1000}, amplitude = {.type = MSDK_T_F64, .u.f64 = i % 2 * 0.5};
    class->set_param(instance->self, "frequency", &frequency);
    class->set_param(instance->self, "amplitude", &amplitude);
  }
  return NULL;
}

/* LIVE parameters are set while sound is made. */
static void test_threads(void) {
  host_instance instance;
  start(&instance, host_audio_format(MSDK_SAMPLE_F32, 48000, 1));
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, NULL, turn_knobs, &instance), 0);
  take(&instance, 2000);
  over = 1;
  pthread_join(thread, NULL);
  const host_recording *recording = &instance.context.recording;
  CHECK(sound_step(recording->samples, recording->count, 1) < 0.5 * SOUND_TURN * 1100 / 48000 + 0.5 / 480);
  host_finish(&instance);
}

static double play_note(host_instance *instance, int32_t note) {
  double (*native)(msdk_self *, int32_t) = (double (*)(msdk_self *, int32_t))host_native(class, "play_note");
  if (native != NULL) return native(instance->self, note);
  return host_call(instance, "play_note", 1, &(msdk_value){.type = MSDK_T_I32, .u.i32 = note}).u.f64;
}

/* Notes against the formula; the parameter tells what sounds. */
static void test_notes(void) {
  host_instance instance;
  host_create(&instance, class);
  CHECK_EQ(class->command_count, 1);
  for (int32_t note = 0; note < 128; note++) {
    double wanted = 440 * pow(2, (note - 69) / 12.0);
    NEAR(play_note(&instance, note), wanted, wanted * 1e-12);
    msdk_value value = {0};
    CHECK_EQ(class->get_param(instance.self, "frequency", &value), MSDK_OK);
    NEAR(value.u.f64, wanted, wanted * 1e-12);
  }
  CHECK_EQ(host_events(&instance, 128), 128);
  CHECK_EQ(instance.context.last_event, MSDK_PLUGIN_EVENT_PARAM_CHANGED);
  host_destroy(&instance);
}

int main(int argc, char **argv) {
  class = host_load(argc, argv, "tone.so", "org.mediasdk.producer.tone");
  producer = class->audio_producer;
  test_formats();
  test_wave();
  test_long();
  test_changes();
  test_nyquist();
  test_duration();
  test_pool();
  test_notes();
  test_threads();
  return check_done();
}
