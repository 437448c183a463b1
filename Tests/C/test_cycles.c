/* Law: everything a parent owns is gone when it closes. A thousand cycles of an engine with sessions, streams and plugins, on either clock;
 * memory, threads and descriptors stay where they are. And an idle session costs nothing. */
#include "sending.h"
#include "test_classes.h"

#include <pthread.h>

static const char *plugins;

static void one_cycle(uint32_t clock, int number) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(number % 3 == 0 ? MSDK_CODEC_NONE : MSDK_CODEC_VP8, &format, 1);
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
  CHECK_OK(msdk_incoming_video_attach_renderer(it.incoming, bw));
  CHECK_OK(msdk_outgoing_video_set_encoded_callback(it.outgoing, NULL, NULL));
  for (uint32_t i = 0; i < 2; i++) {
    CHECK_OK(send_picture(it.sender, i, 0, NULL));
    if (clock == MSDK_CLOCK_VIRTUAL) run_for(it.engine, 40 * MS);
  }
  int32_t descriptor;
  CHECK_OK(msdk_session_event_fd(it.alice, &descriptor));
  CHECK_OK(msdk_incoming_video_fd(it.incoming, &descriptor));
  if (number % 4 == 0) msdk_session_destroy(it.alice); /* in ever other orders */
  if (number % 4 == 1) msdk_engine_destroy(it.engine);
  if (number % 4 == 2) msdk_instance_destroy(bw);
  msdk_outgoing_video_destroy(second);
  msdk_instance_destroy(producer);
  call_close(&it);
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
  WAIT_UNTIL(process_threads() <= threads);
  CHECK_EQ(process_threads(), threads);
  CHECK_EQ(process_descriptors(), descriptors);
  int64_t growth = process_resident_kib() - resident;
  if (!under_tools()) CHECK_RANGE(growth, -100000, 1024); /* one KiB a cycle would be a leak */
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_engine_stats stats = engine_stats(engine);
  CHECK_EQ(stats.frames, 0);
  CHECK_EQ(stats.encoded_frames, 0);
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
