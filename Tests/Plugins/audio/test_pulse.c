/* Plays a tone into a PulseAudio daemon of the test's own and records it from there. What must hold is waited for, however slow all is. */
#define _XOPEN_SOURCE 700
#include "check.h"
#include "host.h"
#include "patience.h"
#include "sound.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

static const msdk_class *producer_class, *renderer_class;
static const msdk_audio_producer *producer;
static const msdk_audio_renderer *renderer;
static char server_folder[256], address[300];

static int server(const char *what) { return host_server("pulse_server.sh", what, server_folder, "", NULL, 0); }

static void at_exit(void) { server("STOP"); }

static void control(const char *what) {
  char command[600];
  snprintf(command, sizeof command, "pactl -s '%s' %s", address, what);
  CHECK_EQ(system(command), 0);
}

/* ----------------------------------------------------------------------------------------------------- two ends of one server */

typedef struct ends {
  host_instance player, recorder;
  msdk_audio_format format;
  double frequency, phase;
  int64_t next_ns;
} ends;

static void make_end(host_instance *instance, const msdk_class *class, const char *device, uint32_t latency_ms) {
  host_create_live(instance, class);
  CHECK_EQ(host_set_string(instance, "server", address), MSDK_OK);
  CHECK_EQ(host_set_string(instance, "device", device), MSDK_OK);
  CHECK_EQ(host_set_string(instance, "app_name", "the test"), MSDK_OK);
  CHECK_EQ(host_set_u32(instance, "latency_ms", latency_ms), MSDK_OK);
}

static void open_ends(ends *both, msdk_audio_format format, double frequency, int named) {
  memset(both, 0, sizeof *both);
  both->format = format;
  both->frequency = frequency;
  make_end(&both->player, renderer_class, named ? "speaker" : "", 200);
  make_end(&both->recorder, producer_class, named ? "speaker.monitor" : "", 40);
  CHECK_EQ(renderer->init_render(both->player.self), MSDK_OK);
  CHECK_EQ(producer->init_capture(both->recorder.self), MSDK_OK);
  msdk_audio_format settings = format;
  CHECK_EQ(renderer->render_settings(both->player.self, &settings), MSDK_OK);
  CHECK_EQ(memcmp(&settings, &format, sizeof format), 0);
  CHECK_EQ(renderer->start_render(both->player.self), MSDK_OK);
  CHECK_EQ(producer->set_format(both->recorder.self, &format), MSDK_OK);
  CHECK_EQ(producer->start_capture(both->recorder.self), MSDK_OK);
  CHECK_EQ(renderer->is_render_started(both->player.self), 1);
  CHECK_EQ(producer->is_capture_started(both->recorder.self), 1);
  both->next_ns = host_monotonic_ns();
}

static void close_ends(ends *both) {
  CHECK_EQ(producer->stop_capture(both->recorder.self), MSDK_OK);
  CHECK_EQ(renderer->stop_render(both->player.self), MSDK_OK);
  CHECK_EQ(renderer->release_render(both->player.self), MSDK_OK);
  CHECK_EQ(producer->release_capture(both->recorder.self), MSDK_OK);
  host_destroy(&both->player);
  host_destroy(&both->recorder);
}

/* Ten milliseconds of the tone, at their time. */
static void play_one(ends *both) {
  uint32_t count = both->format.sample_rate / 100;
  msdk_audio_frame *frame = host_audio_frame(&both->player, &both->format, count);
  for (uint32_t i = 0; i < count; i++, both->phase += both->frequency / both->format.sample_rate) {
    for (uint32_t c = 0; c < both->format.channels; c++) {
      host_set_sample(frame, (uint64_t)i * both->format.channels + c, (c == 0 ? 0.5 : 0.25) * sin(SOUND_TURN * both->phase));
    }
  }
  frame->timestamp_ns = host_monotonic_ns();
  CHECK_EQ(renderer->render_audio_frame(both->player.self, frame), MSDK_OK);
  host_audio_unref(frame);
  both->next_ns += 10000000;
  int64_t early_ns = both->next_ns - host_monotonic_ns();
  if (early_ns < -500000000) both->next_ns = host_monotonic_ns();
  if (early_ns > 0) pause_ms(early_ns / 1000000 + 1);
}

/* Whether the last half second that was recorded is the tone, at its level and without a gap. */
static int hears_tone(ends *both) {
  host_recording *recording = &both->recorder.context.recording;
  uint32_t channels = both->format.channels;
  uint64_t count = both->format.sample_rate / 2;
  int good = 0;
  pthread_mutex_lock(&both->recorder.context.lock);
  if (recording->count >= count * channels) {
    for (uint32_t c = 0; c < channels; c++) {
      const float *from = recording->samples + recording->count - count * channels + c;
      double level = c == 0 ? 0.5 : 0.25, rate = both->format.sample_rate;
      good += fabs(sound_amplitude(from, count, channels, rate, both->frequency) - level) < 0.01 * level &&
              fabs(sound_rms(from, count, channels) - level / sqrt(2)) < 0.01 * level &&
              fabs(sound_frequency(from, count, channels, rate) - both->frequency) < 0.5;
    }
  }
  pthread_mutex_unlock(&both->recorder.context.lock);
  return good == (int)channels;
}

static int play_until_heard(ends *both) {
  int64_t until = deadline_ns();
  for (int i = 0; host_monotonic_ns() < until; i++) {
    play_one(both);
    if (i % 20 == 19 && hears_tone(both)) return 1;
  }
  return 0;
}

/* What was heard before does not count; *discontinuities does. */
static void forget(ends *both, uint32_t *discontinuities) {
  pthread_mutex_lock(&both->recorder.context.lock);
  *discontinuities += both->recorder.context.recording.discontinuities;
  CHECK_EQ(both->recorder.context.recording.backwards, 0);
  host_recording_free(&both->recorder.context.recording);
  pthread_mutex_unlock(&both->recorder.context.lock);
}

static int play_until_event(ends *both, uint32_t event, msdk_result result, uint32_t count) {
  int64_t until = deadline_ns();
  while (host_monotonic_ns() < until) {
    play_one(both);
    uint32_t at_player = host_count_events(&both->player, event, result), at_recorder = host_count_events(&both->recorder, event, result);
    if (at_player >= count && at_recorder >= count) return 1;
  }
  return 0;
}

static uint32_t events_of(host_instance *instance) {
  pthread_mutex_lock(&instance->context.lock);
  uint32_t events = instance->context.events;
  pthread_mutex_unlock(&instance->context.lock);
  return events;
}

static void check_timestamps(ends *both) {
  const host_recording *recording = &both->recorder.context.recording;
  uint32_t length = both->format.frames_per_buffer != 0 ? both->format.frames_per_buffer : both->format.sample_rate / 100;
  CHECK_EQ(recording->count, (uint64_t)recording->buffers * length * both->format.channels);
  CHECK_EQ(recording->backwards, 0);
  CHECK_EQ(recording->mixed, 0);
  CHECK_EQ(recording->format.sample_format, both->format.sample_format);
  CHECK_EQ(recording->format.sample_rate, both->format.sample_rate);
  /* What a monitor records may be still to come: when what was played is heard. */
  CHECK(recording->last_ns < host_monotonic_ns() + renderer->render_delay_ns(both->player.self));
}

static void test_tone(void) {
  for (int mode = 0; mode < 4; mode++) {
    static const uint32_t rates[] = {48000, 44100, 16000, 8000};
    msdk_audio_format format = host_audio_format(mode % 2 ? MSDK_SAMPLE_S16 : MSDK_SAMPLE_F32, rates[mode], mode / 2 % 2 ? 1 : 2);
    if (mode == 3) format.frames_per_buffer = 333;
    int before = host_open_descriptors();
    ends both;
    open_ends(&both, format, 440 + 100 * mode, mode % 2);
    CHECK(play_until_heard(&both));
    int64_t delay = renderer->render_delay_ns(both.player.self);
    CHECK(delay > 0 && delay < 2000000000);
    /* So long is the recording by its timestamps, and so long by its samples. */
    check_timestamps(&both);
    const host_recording *recording = &both.recorder.context.recording;
    double by_time = (double)(recording->last_ns - recording->first_ns) / 1e9;
    double buffer = (double)recording->count / recording->buffers / format.channels / format.sample_rate;
    double by_count = (recording->buffers - 1) * buffer;
    printf("%u Hz: %.3f s by time, %.3f s by samples, %u gaps; the last buffer is %.1f ms old\n", format.sample_rate, by_time, by_count,
           recording->discontinuities, (double)(host_monotonic_ns() - recording->last_ns) / 1e6);
    if (recording->discontinuities == 0) CHECK(fabs(by_time - by_count) < 0.2);
    CHECK_EQ(events_of(&both.player) + events_of(&both.recorder), 0);
    close_ends(&both);
    CHECK_EQ(host_open_descriptors(), before);
  }
}

/* -------------------------------------------------------------------------------------------------------------- going and coming */

static void test_loss(void) {
  int before = host_open_descriptors();
  ends both;
  uint32_t discontinuities = 0;
  open_ends(&both, host_audio_format(MSDK_SAMPLE_F32, 48000, 1), 997, 1);
  CHECK(play_until_heard(&both));
  for (uint32_t round = 1; round <= 2; round++) {
    server("KILL");
    CHECK(play_until_event(&both, MSDK_PLUGIN_EVENT_ERROR, MSDK_E_DEVICE_LOST, round));
    forget(&both, &discontinuities);
    for (int i = 0; i < 120; i++) play_one(&both); /* it tries again in vain, and says nothing of it */
    CHECK_EQ(renderer->is_render_started(both.player.self), 1);
    CHECK_EQ(events_of(&both.player), 2 * round - 1);
    CHECK_EQ(events_of(&both.recorder), 2 * round - 1);
    server("START");
    CHECK(play_until_event(&both, MSDK_PLUGIN_EVENT_USER, MSDK_OK, round));
    CHECK_TEXT(both.player.context.event_log[2 * round - 1].detail, "back");
    CHECK_TEXT(both.recorder.context.event_log[2 * round - 1].detail, "back");
    CHECK(play_until_heard(&both));
  }
  CHECK_EQ(events_of(&both.player), 4);
  CHECK_EQ(events_of(&both.recorder), 4);
  CHECK_TEXT(both.player.context.event_log[0].detail, "sound server");
  check_timestamps(&both);
  forget(&both, &discontinuities);
  CHECK(discontinuities >= 2);

  /* A device that is suspended and comes back. */
  control("suspend-sink speaker 1");
  CHECK(play_until_event(&both, MSDK_PLUGIN_EVENT_ERROR, MSDK_E_DEVICE_LOST, 3));
  forget(&both, &discontinuities);
  control("suspend-sink speaker 0");
  CHECK(play_until_event(&both, MSDK_PLUGIN_EVENT_USER, MSDK_OK, 3));
  CHECK(play_until_heard(&both));

  /* The device is taken away, and made anew: the stream fails, the server stays. */
  control("unload-module module-null-sink");
  CHECK(play_until_event(&both, MSDK_PLUGIN_EVENT_ERROR, MSDK_E_DEVICE_LOST, 4));
  forget(&both, &discontinuities);
  control("load-module module-null-sink sink_name=speaker > /dev/null");
  CHECK(play_until_event(&both, MSDK_PLUGIN_EVENT_USER, MSDK_OK, 4));
  CHECK(play_until_heard(&both));

  /* Stopped while it is away, and started again when it is there. */
  server("KILL");
  CHECK(play_until_event(&both, MSDK_PLUGIN_EVENT_ERROR, MSDK_E_DEVICE_LOST, 5));
  CHECK_EQ(producer->stop_capture(both.recorder.self), MSDK_OK);
  CHECK_EQ(producer->start_capture(both.recorder.self), MSDK_E_IO);
  CHECK_TEXT(both.recorder.context.error_text, "sound server");
  CHECK_EQ(producer->is_capture_started(both.recorder.self), 0);
  server("START");
  forget(&both, &discontinuities);
  CHECK_EQ(producer->start_capture(both.recorder.self), MSDK_OK);
  CHECK(play_until_heard(&both));
  close_ends(&both);
  CHECK_EQ(host_open_descriptors(), before);

  /* Released while it is away. */
  open_ends(&both, host_audio_format(MSDK_SAMPLE_F32, 48000, 1), 997, 1);
  server("KILL");
  for (int i = 0; i < 5; i++) play_one(&both);
  close_ends(&both);
  server("START");
}

static void test_no_server(void) {
  int before = host_open_descriptors();
  host_instance instance;
  make_end(&instance, producer_class, "", 40);
  CHECK_EQ(host_set_string(&instance, "server", "unix:/no/such/socket"), MSDK_OK);
  for (int i = 0; i < 3; i++) {
    CHECK_EQ(producer->init_capture(instance.self), MSDK_E_IO);
    CHECK_TEXT(instance.context.error_text, "unix:/no/such/socket");
    CHECK_TEXT(instance.context.error_text, "no connection to the sound server");
  }
  host_destroy(&instance);
  make_end(&instance, renderer_class, "", 40);
  CHECK_EQ(host_set_string(&instance, "server", "unix:/no/such/socket"), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_E_IO);
  host_destroy(&instance);
  CHECK_EQ(host_open_descriptors(), before);
}

static void test_no_device(void) {
  host_instance instance;
  make_end(&instance, producer_class, "nothing.here", 40);
  CHECK_EQ(producer->init_capture(instance.self), MSDK_OK);
  CHECK_EQ(producer->start_capture(instance.self), MSDK_E_NOT_FOUND);
  CHECK_TEXT(instance.context.error_text, "source 'nothing.here'");
  CHECK_EQ(host_set_string(&instance, "device", "speaker.monitor"), MSDK_OK);
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
  CHECK_EQ(producer->release_capture(instance.self), MSDK_OK);
  CHECK_EQ(instance.context.events, 0);
  host_destroy(&instance);
  make_end(&instance, renderer_class, "nothing.here", 40);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  CHECK_EQ(renderer->start_render(instance.self), MSDK_E_NOT_FOUND);
  CHECK_TEXT(instance.context.error_text, "sink 'nothing.here'");
  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
}

/* ----------------------------------------------------------------------------------------------------------------- the host's side */

static atomic_int inside, calls, answer_closed;

static msdk_result slow_consume(msdk_host_context *context, const msdk_audio_frame *frame) {
  (void)context;
  (void)frame;
  inside++;
  calls++;
  pause_ms(20);
  inside--;
  return answer_closed ? MSDK_E_CLOSED : MSDK_OK;
}

static void wait_for_calls(int more) {
  int wanted = calls + more;
  int64_t until = deadline_ns();
  while (calls < wanted && host_monotonic_ns() < until) pause_ms(1);
  CHECK(calls >= wanted);
}

/* Rule P2. */
static void test_stop(void) {
  host_instance instance, player;
  make_end(&player, renderer_class, "speaker", 20); /* while somebody plays, the sink works in small steps */
  CHECK_EQ(renderer->init_render(player.self), MSDK_OK);
  CHECK_EQ(renderer->start_render(player.self), MSDK_OK);
  make_end(&instance, producer_class, "speaker.monitor", 40);
  instance.context.consume_audio = slow_consume;
  CHECK_EQ(producer->init_capture(instance.self), MSDK_OK);
  for (int i = 0; i < 20; i++) {
    CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
    if (i % 3 != 0) wait_for_calls(1);
    CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
    CHECK_EQ(inside, 0);
    int before = calls;
    pause_ms(i % 4 * 10);
    CHECK_EQ(calls, before);
  }
  /* MSDK_E_CLOSED: nothing more is delivered. */
  answer_closed = 1;
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  wait_for_calls(1);
  int after = calls;
  pause_ms(200);
  CHECK_EQ(calls, after);
  CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
  answer_closed = 0;
  /* An empty pool costs buffers and nothing else. */
  instance.context.audio_pool_limit = 0;
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  int64_t until = deadline_ns();
  for (uint32_t refused = 0; refused < 3 && host_monotonic_ns() < until; pause_ms(1)) {
    pthread_mutex_lock(&instance.context.lock);
    refused = instance.context.audio_refused;
    pthread_mutex_unlock(&instance.context.lock);
  }
  pthread_mutex_lock(&instance.context.lock);
  CHECK(instance.context.audio_refused >= 3);
  instance.context.audio_pool_limit = HOST_AUDIO_POOL;
  host_recording_free(&instance.context.recording);
  pthread_mutex_unlock(&instance.context.lock);
  wait_for_calls(3);
  CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
  CHECK_EQ(instance.context.recording.discontinuities, 1);
  CHECK_EQ(producer->release_capture(instance.self), MSDK_OK);
  host_destroy(&instance);
  CHECK_EQ(renderer->stop_render(player.self), MSDK_OK);
  CHECK_EQ(renderer->release_render(player.self), MSDK_OK);
  host_destroy(&player);
}

/* Far more sound than time: it is taken at once, the oldest is dropped. */
static void test_flood(void) {
  host_instance instance;
  make_end(&instance, renderer_class, "speaker", 20);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  msdk_audio_format format = host_audio_format(MSDK_SAMPLE_S16, 48000, 2), other = format;
  msdk_audio_frame *frame = host_audio_frame(&instance, &format, 480), *large = host_audio_frame(&instance, &format, 100000);
  CHECK_EQ(renderer->render_audio_frame(instance.self, frame), MSDK_E_STATE);
  CHECK_EQ(renderer->render_delay_ns(instance.self), 0);
  other.channels = 3;
  CHECK_EQ(renderer->render_settings(instance.self, &other), MSDK_E_FORMAT);
  CHECK_EQ(renderer->render_settings(instance.self, &format), MSDK_OK);
  CHECK_EQ(renderer->start_render(instance.self), MSDK_OK);
  for (int i = 0; i < 2000; i++) CHECK_EQ(renderer->render_audio_frame(instance.self, frame), MSDK_OK);
  CHECK(renderer->render_delay_ns(instance.self) < 2000000000);
  CHECK_EQ(renderer->render_audio_frame(instance.self, large), MSDK_OK);
  other = format;
  other.sample_rate = 44100;
  msdk_audio_frame *wrong = host_audio_frame(&instance, &other, 441);
  CHECK_EQ(renderer->render_audio_frame(instance.self, wrong), MSDK_E_FORMAT);
  CHECK_TEXT(instance.context.error_text, "44100 Hz");
  CHECK_EQ(renderer->render_audio_frame(instance.self, NULL), MSDK_E_INVALID);
  CHECK_EQ(renderer->stop_render(instance.self), MSDK_OK);
  CHECK(host_logs(&instance, MSDK_LOG_INFO, 1) >= 1);
  CHECK_TEXT(instance.context.log_text, "ms of audio were not played");
  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  host_audio_unref(frame);
  host_audio_unref(large);
  host_audio_unref(wrong);
  host_destroy(&instance);
}

static void test_params(void) {
  host_instance instance;
  const msdk_class *both[] = {producer_class, renderer_class};
  for (int i = 0; i < 2; i++) {
    host_create(&instance, both[i]);
    host_check_params(&instance);
    CHECK_EQ(host_set_u32(&instance, "latency_ms", 4), MSDK_E_RANGE);
    CHECK_EQ(host_set_u32(&instance, "latency_ms", 2001), MSDK_E_RANGE);
    CHECK_TEXT(instance.context.error_text, "2001");
    host_destroy(&instance);
  }
  CHECK_EQ(producer->flags, MSDK_PRODUCER_LIVE);
  make_end(&instance, producer_class, "", 40);
  CHECK_EQ(producer->init_capture(instance.self), MSDK_OK);
  msdk_audio_format settings = MSDK_INIT(msdk_audio_format), bad[6];
  CHECK_EQ(producer->capture_settings(instance.self, &settings), MSDK_OK);
  CHECK_EQ(settings.expected_delay_ns, 40000000);
  CHECK_EQ(producer->set_format(instance.self, &settings), MSDK_OK);
  CHECK_EQ(producer->set_format(instance.self, NULL), MSDK_E_INVALID);
  for (int i = 0; i < 6; i++) bad[i] = host_audio_format(MSDK_SAMPLE_S16, 48000, 1);
  bad[0].sample_format = 7;
  bad[1].sample_rate = 7999;
  bad[2].sample_rate = 192001;
  bad[3].channels = 0;
  bad[4].planar = 1;
  bad[5].frames_per_buffer = 192001;
  for (int i = 0; i < 6; i++) CHECK_EQ(producer->set_format(instance.self, &bad[i]), MSDK_E_FORMAT);
  CHECK_EQ(producer->release_capture(instance.self), MSDK_OK);
  host_destroy(&instance);

  msdk_host old = host_table;
  old.struct_size = offsetof(msdk_host, now_ns);
  msdk_self *self = NULL;
  CHECK_EQ(producer_class->create(producer_class, &old, NULL, &self), MSDK_E_ABI);
}

int main(int argc, char **argv) {
  producer_class = host_load(argc, argv, "pulse.so", "org.mediasdk.producer.pulse");
  renderer_class = host_load(argc, argv, "pulse.so", "org.mediasdk.renderer.pulse");
  producer = producer_class->audio_producer;
  renderer = renderer_class->audio_renderer;
  test_no_server();
  if (system("command -v pulseaudio > /dev/null") != 0) {
    printf("SKIPPED, all but one: there is no pulseaudio to play into; install the package pulseaudio\n");
    return check_done();
  }
  snprintf(server_folder, sizeof server_folder, "%s", host_path("server"));
  snprintf(address, sizeof address, "unix:%s/native", server_folder);
  atexit(at_exit);
  if (!server("START")) return check_done();
  test_params();
  test_no_device();
  test_tone();
  test_stop();
  test_flood();
  test_loss();
  return check_done();
}
