/* A call both ways through a sound server: bob's mix is played into a sink that nobody hears, and what the sink plays is recorded for
 * bob's own stream, so alice hears herself again. The server is a private one, which the test starts. */
#include "sound.h"

static int server(const char *what, char *address, size_t size) {
  const char *media = getenv("MSDK_TEST_MEDIA");
  char command[4096];
  snprintf(command, sizeof command, "sh '%s/../Plugins/pulse_server.sh' %s pulse", media != NULL ? media : "Tests/Media", what);
  FILE *pipe = popen(command, "r");
  if (pipe == NULL) return 0;
  if (size > 0) address[0] = 0;
  if (size > 0 && fgets(address, (int)size, pipe) != NULL) address[strcspn(address, "\n")] = 0;
  return pclose(pipe) == 0;
}

static msdk_instance *device_of(msdk_engine *engine, const char *class_id, const char *address) {
  msdk_instance *instance = NULL;
  if (!CHECK_OK(msdk_instance_create(engine, class_id, NULL, &instance))) return NULL;
  CHECK_OK(msdk_instance_set_param_text(instance, "server", address));
  CHECK_OK(msdk_instance_set_param_text(instance, "latency_ms", "20"));
  return instance;
}

/* The tone's amplitude and what else there is in the last `count` samples of what was heard. */
static double tail_tone(const heard *it, uint64_t count, double frequency, double *amplitude) {
  tone found = {.frequency = frequency};
  double left = tones_fit(it->samples + (it->count - count) * it->channels, count, it->channels, it->rate, &found, 1);
  *amplitude = found.amplitude;
  return left;
}

/* Until a whole second of what alice hears is her own tone. The way there and back: mix, sink, monitor, stream. */
static double echo_wait(sound_call *it, heard *echo, double frequency, int seconds) {
  double amplitude = 0;
  int64_t begin = msdk_engine_now(it->engine);
  it->voice.begin_ns = begin, it->voice.position = 0;
  while (msdk_engine_now(it->engine) - begin < seconds * SECOND) {
    while (voice_due(&it->voice) <= msdk_engine_now(it->engine)) {
      if (voice_send(&it->voice) < 0) break;
    }
    sleep_ms(5);
    uint64_t before = echo->count;
    heard_drain(echo, it->engine);
    if (echo->count / 24000 == before / 24000 || echo->count < 96000) continue; /* looks twice a second */
    if (tail_tone(echo, 24000, frequency, &amplitude) < -20) return amplitude;
  }
  tail_tone(echo, echo->count < 24000 ? echo->count : 24000, frequency, &amplitude);
  return amplitude;
}

static void there_and_back(void) {
  static const uint32_t codecs[] = {MSDK_CODEC_RAW, MSDK_CODEC_OPUS};
  char address[512];
  NEED(server("START", address, sizeof address));
  const char *directory = getenv("MSDK_PLUGIN_DIR");
  for (int i = 0; i < 2; i++) {
    msdk_outgoing_audio_options options = sound_options(48000, 2, MSDK_SAMPLE_S16, 20);
    msdk_incoming_audio *mix = NULL;
    msdk_event event = MSDK_INIT(msdk_event);
    options.codec = codecs[i];
    sound_call *it = sound_join(MSDK_CLOCK_SYSTEM);
    CHECK_OK(msdk_engine_add_plugin_dir(it->engine, directory != NULL ? directory : "", NULL));
    NEED(voice_make(&it->voice, it->engine, &options));
    CHECK_OK(msdk_session_start_audio(it->alice, it->voice.stream));
    voice_tone(&it->voice, 600, 0.3);
    msdk_instance *player = device_of(it->engine, "org.mediasdk.renderer.pulse", address);
    msdk_instance *recorder = device_of(it->engine, "org.mediasdk.producer.pulse", address);
    CHECK_OK(msdk_instance_set_param_text(recorder, "device", "speaker.monitor"));
    CHECK_OK(msdk_session_get_mixed_audio(it->bob, &mix));
    CHECK_OK(msdk_incoming_audio_attach_renderer(mix, player));
    CHECK_OK(msdk_incoming_audio_start(mix, NULL));
    msdk_outgoing_audio *back = NULL;
    CHECK_OK(msdk_outgoing_audio_create(it->engine, &options, &back));
    CHECK_OK(msdk_outgoing_audio_attach_producer(back, recorder));
    CHECK_OK(msdk_session_start_audio(it->bob, back));
    NEED(event_wait(it->engine, it->alice, MSDK_EVENT_INCOMING_AUDIO_ADDED, &event));
    heard echo = {.stream = event.incoming_audio};
    CHECK_OK(msdk_incoming_audio_start(echo.stream, NULL));
    double amplitude = echo_wait(it, &echo, 600, 40); /* a machine that is busy leaves gaps for seconds */
    CHECK_RANGE(amplitude, under_tools() ? 0.05 : 0.27, 0.33);
    CHECK(heard_stats(mix).buffers_rendered > 50);
    CHECK(sound_stats(back).buffers_offered > 50);
    printf("codec %d: there and back through the sound server %.2f of 0.30 was left, after %.1f s\n", i, amplitude,
           (double)(msdk_engine_now(it->engine) - it->voice.begin_ns) / 1e9);
    voice_tone(&it->voice, 600, 0); /* and silence is silence again */
    uint64_t count = echo.count;
    for (int n = 0; n < 100; n++) {
      voice_send(&it->voice);
      sleep_ms(20);
      heard_drain(&echo, it->engine);
    }
    if (echo.count > count + 24000) CHECK_RANGE(samples_peak(echo.samples + (echo.count - 4800) * 2, 9600, 1), 0, 0.01);
    CHECK_OK(msdk_incoming_audio_detach_renderer(mix, player));
    msdk_instance_destroy(player);
    msdk_outgoing_audio_destroy(back);
    msdk_instance_destroy(recorder);
    free(echo.samples);
    sound_close(it);
  }
  CHECK(server("STOP", NULL, 0));
}

/* The server dies: an event tells, nothing hangs, and the call goes on. */
static void a_server_that_dies(void) {
  char address[512];
  NEED(server("START", address, sizeof address));
  const char *directory = getenv("MSDK_PLUGIN_DIR");
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  sound_call *it = sound_open(MSDK_CLOCK_SYSTEM, &options, NULL);
  CHECK_OK(msdk_engine_add_plugin_dir(it->engine, directory != NULL ? directory : "", NULL));
  msdk_instance *player = device_of(it->engine, "org.mediasdk.renderer.pulse", address);
  CHECK_OK(msdk_incoming_audio_attach_renderer(it->heard.stream, player));
  for (int n = 0; n < 500 && heard_stats(it->heard.stream).buffers_rendered < 10; n++) {
    voice_send(&it->voice);
    sleep_ms(20);
  }
  CHECK(server("KILL", NULL, 0));
  int told = 0;
  for (int n = 0; n < 200 && !told; n++) {
    voice_send(&it->voice);
    sleep_ms(20);
    msdk_event event = MSDK_INIT(msdk_event);
    while (msdk_session_next_event(it->bob, 0, &event) >= 0) {
      told |= event.type == MSDK_EVENT_PLUGIN && event.instance == player && event.status == MSDK_E_DEVICE_LOST;
      event = MSDK_INIT(msdk_event);
    }
  }
  CHECK(told);
  heard_drain(&it->heard, it->engine);
  heard_forget(&it->heard);
  for (int n = 0; n < 25 || (n < 500 && it->heard.frames <= 5); n++) {
    voice_send(&it->voice);
    sleep_ms(20);
    heard_drain(&it->heard, it->engine);
  }
  CHECK(it->heard.frames > 5);
  msdk_instance_destroy(player);
  sound_close(it);
  CHECK(server("STOP", NULL, 0));
}

static void without_a_server(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  const char *directory = getenv("MSDK_PLUGIN_DIR");
  CHECK_OK(msdk_engine_add_plugin_dir(engine, directory != NULL ? directory : "", NULL));
  msdk_instance *player = device_of(engine, "org.mediasdk.renderer.pulse", "unix:/nonexistent/native");
  msdk_audio_format format = audio_format_of(MSDK_SAMPLE_S16, 48000, 1);
  msdk_audio_frame *frame = NULL;
  CHECK_OK(msdk_audio_frame_create(&format, 480, &frame));
  CHECK(msdk_instance_render_audio(player, frame) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "nonexistent");
  msdk_audio_frame_unref(frame);
  msdk_instance_destroy(player);
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  RUN(there_and_back);
  RUN(a_server_that_dies);
  RUN(without_a_server);
  return check_finish();
}
