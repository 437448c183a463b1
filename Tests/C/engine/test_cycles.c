/* Law: everything a parent owns is gone when it closes. A thousand cycles of an engine with sessions, streams and plugins, on either clock;
 * memory, threads and descriptors stay where they are. And an idle session costs nothing. */
#include "audio_classes.h"
#include "sending.h"

#include <pthread.h>

static const char *plugins;

typedef struct sounds {
  msdk_outgoing_audio *spoken, *played;
  msdk_instance *tone, *ear;
} sounds;

/* alice says something, bob plays a tone; both hear each other, and alice the mix too. */
static sounds begin_sounds(call *it, uint32_t clock, int number) {
  sounds made = {0};
  msdk_incoming_audio *mix = NULL;
  msdk_event event = MSDK_INIT(msdk_event);
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 10);
  options.codec = number % 2 == 0 ? MSDK_CODEC_OPUS : MSDK_CODEC_RAW;
  CHECK_OK(msdk_engine_register_module(it->engine, &audio_module));
  CHECK_OK(msdk_outgoing_audio_create(it->engine, &options, &made.spoken));
  options.codec = number % 3 == 0 ? MSDK_CODEC_OPUS : MSDK_CODEC_RAW;
  CHECK_OK(msdk_outgoing_audio_create(it->engine, &options, &made.played));
  made.tone = instance_of(it->engine, "org.mediasdk.producer.tone");
  made.ear = instance_of(it->engine, "org.mediasdk.test.earphone");
  CHECK_OK(msdk_outgoing_audio_attach_producer(made.played, made.tone));
  CHECK_OK(msdk_session_start_audio(it->alice, made.spoken));
  CHECK_OK(msdk_session_start_audio(it->bob, made.played));
  CHECK_OK(msdk_session_get_mixed_audio(it->alice, &mix));
  CHECK_OK(msdk_incoming_audio_start(mix, NULL));
  if (CHECK(event_wait(it->engine, it->bob, MSDK_EVENT_INCOMING_AUDIO_ADDED, &event))) {
    CHECK_OK(msdk_incoming_audio_attach_renderer(event.incoming_audio, made.ear));
    CHECK_OK(msdk_incoming_audio_start(event.incoming_audio, NULL));
  }
  static const int16_t silence[480];
  for (int i = 0; i < 3; i++) {
    CHECK_OK(msdk_outgoing_audio_send(made.spoken, silence, sizeof silence, 0, 0, NULL, NULL));
    if (clock == MSDK_CLOCK_VIRTUAL) run_for(it->engine, 10 * MS);
  }
  return made;
}

static void one_cycle(uint32_t clock, int number) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(number % 3 == 0 ? MSDK_CODEC_RAW : MSDK_CODEC_VP8, &format, 1);
  call it = call_open(clock, &options, NULL);
  CHECK_OK(msdk_engine_add_plugin_dir(it.engine, plugins, NULL));
  CHECK_OK(msdk_engine_register_module(it.engine, &test_module));
  msdk_instance *producer = instance_of(it.engine, "org.mediasdk.producer.testpattern");
  msdk_instance *bw = instance_of(it.engine, "org.mediasdk.renderer.bw"), *sink = instance_of(it.engine, "org.mediasdk.test.sink");
  msdk_video_format offered = format_of(MSDK_PIXEL_NV12, 320, 180, 15);
  options.formats = &offered;
  msdk_outgoing_video *second = NULL;
  CHECK_OK(msdk_outgoing_video_create(it.engine, &options, &second));
  CHECK_OK(msdk_outgoing_video_attach_producer(second, producer));
  CHECK_OK(msdk_session_start_video(it.bob, second));
  CHECK_OK(msdk_instance_attach_renderer(bw, sink));
  CHECK_OK(msdk_incoming_video_attach_renderer(it.incoming, bw, NULL));
  CHECK_OK(msdk_outgoing_video_set_encoded_callback(it.outgoing, NULL, NULL));
  for (uint32_t i = 0; i < 2; i++) {
    CHECK_OK(send_picture(it.sender, i, 0, NULL));
    if (clock == MSDK_CLOCK_VIRTUAL) run_for(it.engine, 40 * MS);
  }
  sounds heard = {0};
  if (clock == MSDK_CLOCK_VIRTUAL || number % 4 == 0) heard = begin_sounds(&it, clock, number);
  int32_t descriptor;
  CHECK_OK(msdk_session_get_event_fd(it.alice, &descriptor));
  CHECK_OK(msdk_incoming_video_get_fd(it.incoming, &descriptor));
  if (number % 4 == 0) msdk_session_destroy(it.alice); /* in ever other orders */
  if (number % 4 == 1) msdk_engine_destroy(it.engine);
  if (number % 4 == 2) msdk_instance_destroy(bw);
  if (number % 5 == 0) msdk_instance_destroy(heard.tone);
  msdk_outgoing_video_destroy(second);
  msdk_outgoing_audio_destroy(heard.played);
  if (number % 2 == 0) msdk_outgoing_audio_destroy(heard.spoken);
  msdk_instance_destroy(producer);
  call_close(&it);
  msdk_outgoing_audio_destroy(heard.spoken);
  msdk_instance_destroy(heard.tone);
  msdk_instance_destroy(heard.ear);
  msdk_instance_destroy(bw);
  msdk_instance_destroy(sink);
}

static void cycles(uint32_t clock) {
  int count = under_tools() ? 60 : 1000, warm_up = count;
  int threads = 0, descriptors = 0;
  int64_t resident = 0;
  for (int i = 0; i < count + warm_up; i++) {
    if (i == warm_up) {
      threads = process_threads();
      descriptors = process_descriptors();
      resident = process_resident_kib();
    }
    one_cycle(clock, i);
    record_clear();
    if (atomic_load(&check_failed) > 20) return;
  }
  CHECK_COMES_BACK(process_threads(), threads);
  CHECK_COMES_BACK(process_descriptors(), descriptors);
  int64_t growth = process_resident_kib() - resident;
  if (!under_tools()) CHECK_RANGE(growth, -100000, 1024); /* one KiB a cycle would be a leak */
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_engine_stats stats = engine_stats(engine);
  CHECK_EQ(stats.frames, 0);
  CHECK_EQ(stats.encoded_frames, 0);
  CHECK_EQ(stats.audio_frames, 0);
  msdk_engine_destroy(engine);
}

static void on_the_virtual_clock(void) { cycles(MSDK_CLOCK_VIRTUAL); }
static void on_the_system_clock(void) { cycles(MSDK_CLOCK_SYSTEM); }

static void *wait_for_a_frame(void *stream) {
  msdk_video_frame *frame = NULL;
  CHECK_RESULT(msdk_incoming_video_read(stream, MSDK_WAIT_FOREVER, &frame), MSDK_E_CLOSED);
  return NULL;
}

static int64_t wake_ups(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

static void an_idle_session_costs_nothing(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 640, 360, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  call it = call_open(MSDK_CLOCK_SYSTEM, &options, NULL);
  for (uint32_t i = 0; i < 5; i++) {
    CHECK_OK(send_picture(it.sender, i, 0, NULL));
    sleep_ms(33);
  }
  msdk_outgoing_audio *sound = NULL;
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK_OK(msdk_outgoing_audio_create(it.engine, NULL, &sound));
  CHECK_OK(msdk_session_start_audio(it.alice, sound));
  if (CHECK(event_wait(it.engine, it.bob, MSDK_EVENT_INCOMING_AUDIO_ADDED, &event))) {
    CHECK_OK(msdk_incoming_audio_start(event.incoming_audio, NULL));
  }
  static const int16_t silence[960];
  for (int i = 0; i < 10; i++) CHECK_OK(msdk_outgoing_audio_send(sound, silence, sizeof silence, 0, 1000, NULL, NULL));
  msdk_video_frame *frame = NULL;
  sleep_ms(300);
  while (msdk_incoming_video_read(it.incoming, 0, &frame) >= 0) msdk_video_frame_unref(frame);
  pthread_t reader;
  CHECK_EQ(pthread_create(&reader, NULL, wait_for_a_frame, it.incoming), 0);
  sleep_ms(1500); /* whatever looks at the last second has done so */
  int64_t cpu = process_cpu_us(), wakes = wake_ups();
  sleep_ms(2000);
  cpu = process_cpu_us() - cpu;
  wakes = wake_ups() - wakes;
  printf("idle for 2 s: %" PRId64 " us of CPU, %" PRId64 " wake-ups\n", cpu, wakes);
  if (!under_tools()) {
    CHECK_RANGE(cpu, 0, 2000);
    CHECK_RANGE(wakes, 0, 6);
  }
  CHECK_OK(msdk_incoming_video_stop(it.incoming));
  pthread_join(reader, NULL);
  msdk_outgoing_audio_destroy(sound);
  call_close(&it);
}

int main(int argc, char **argv) {
  plugins = getenv("MSDK_PLUGIN_DIR");
  if (plugins == NULL) plugins = ".";
  RUN(an_idle_session_costs_nothing);
  RUN(on_the_virtual_clock);
  RUN(on_the_system_clock);
  return check_finish();
}
