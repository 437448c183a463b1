/* Law: destroy from outside returns after running callbacks have returned, and none comes after it. Callbacks here are slow on purpose:
 * each is inside when its end is asked for. */
#include "sending.h"
#include "test_classes.h"

enum { SLOW_MS = 120 }; /* that a callback goes on when its end is asked for */

enum slow_kind { SLOW_EVENT, SLOW_REPORT, SLOW_ENCODED, SLOW_FRAME, SLOW_DIRECT, SLOW_RENDER, SLOW_LOG, SLOW_KINDS };
static const char *const kind_names[] = {"event", "report", "encoded", "frame", "direct frame", "render", "log"};

static struct slow {
  call it;
  msdk_instance *sink;
  enum slow_kind kind;
  atomic_int entered, ending, left, calls, stop;
} slow;

static void called(enum slow_kind kind) {
  if (kind != slow.kind) return;
  atomic_fetch_add(&slow.calls, 1);
  if (atomic_exchange(&slow.entered, 1)) return;
  WAIT_UNTIL(atomic_load(&slow.ending));
  sleep_ms(SLOW_MS);
  atomic_store(&slow.left, 1);
}

static void on_slow_event(void *user, const msdk_event *event) { (void)user, (void)event; called(SLOW_EVENT); }
static void on_slow_report(void *user, const msdk_frame_report *report) { (void)user, (void)report; called(SLOW_REPORT); }
static void on_slow_encoded(void *user, const msdk_encoded_frame *frame) { (void)user, (void)frame; called(SLOW_ENCODED); }
static void on_slow_frame(void *user, const msdk_video_frame *frame) {
  (void)user, (void)frame;
  called(slow.kind == SLOW_FRAME ? SLOW_FRAME : SLOW_DIRECT);
}
static void on_slow_log(void *user, const msdk_log_record *record) { (void)user, (void)record; called(SLOW_LOG); }

static msdk_result slow_render(msdk_self *self, const msdk_video_frame *frame) {
  (void)self, (void)frame;
  called(SLOW_RENDER);
  return MSDK_OK;
}
static const msdk_video_renderer slow_table = {RENDERER_BASE, .render_video_frame = slow_render};
static const msdk_class slow_class = {.struct_size = sizeof(msdk_class), .id = "org.mediasdk.test.slow", .create = create_sink,
                                      .destroy = self_destroy, .kinds = MSDK_KIND_VIDEO_RENDERER, .video_renderer = &slow_table};
static const msdk_class *const slow_list[] = {&slow_class};
static const msdk_module slow_module = {.struct_size = sizeof(msdk_module), .classes = slow_list, .class_count = MSDK_COUNT(slow_list)};

/* Sends until it is told to stop: on its own thread, as a direct callback keeps the sender. */
static void *send_loop(void *unused) {
  (void)unused;
  for (uint32_t i = 0; !atomic_load(&slow.stop); i++) {
    msdk_frame_sender *sender = NULL;
    msdk_video_frame *frame = NULL;
    if (msdk_outgoing_video_get_sender(slow.it.outgoing, &sender) >= 0 && msdk_frame_sender_acquire(sender, 0, &frame) >= 0) {
      picture_draw(frame, i);
      msdk_frame_sender_send(sender, frame, 0, on_slow_report, NULL);
      msdk_video_frame_unref(frame);
    }
    const char *bad = getenv("MSDK_TEST_PLUGINS");
    if (slow.kind == SLOW_LOG && bad != NULL) msdk_engine_add_plugin_dir(slow.it.engine, bad, NULL);
    if (slow.kind == SLOW_EVENT) { /* joins and leaves are events for both */
      msdk_session_options options = MSDK_INIT(msdk_session_options);
      options.url = slow.it.url;
      options.user_id = "passing";
      msdk_session *passing = NULL;
      if (msdk_session_create(slow.it.engine, &options, &passing) >= 0) msdk_session_connect(passing);
      sleep_ms(5);
      msdk_session_destroy(passing);
    }
    sleep_ms(3);
  }
  return NULL;
}

typedef void (*ending)(void);
static void end_stream(void) { msdk_outgoing_video_destroy(slow.it.outgoing); }
static void end_stop(void) { CHECK_OK(msdk_session_stop_video(slow.it.alice, slow.it.outgoing)); }
static void end_alice(void) { msdk_session_destroy(slow.it.alice); }
static void end_bob(void) { msdk_session_destroy(slow.it.bob); }
static void end_engine(void) { msdk_engine_destroy(slow.it.engine); }
static void end_receiving(void) { CHECK_OK(msdk_incoming_video_stop(slow.it.incoming)); }
static void end_renderer(void) { msdk_instance_destroy(slow.sink); }
static void end_attachment(void) { CHECK_OK(msdk_incoming_video_detach_renderer(slow.it.incoming, slow.sink)); }
static void end_log(void) { CHECK_OK(msdk_engine_set_log_callback(slow.it.engine, MSDK_LOG_NONE, NULL, NULL)); }

static void play(enum slow_kind kind, ending end, const char *name) {
  int failed = atomic_load(&check_failed);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(kind == SLOW_DIRECT ? MSDK_CODEC_RAW : MSDK_CODEC_VP8, &format, 1);
  msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
  receive.delivery = kind == SLOW_DIRECT ? MSDK_DELIVERY_DIRECT : MSDK_DELIVERY_QUEUED;
  memset(&slow, 0, sizeof slow);
  slow.kind = kind;
  slow.it = call_open(MSDK_CLOCK_SYSTEM, &options, &receive);
  CHECK_OK(msdk_engine_register_module(slow.it.engine, &slow_module));
  slow.sink = instance_of(slow.it.engine, "org.mediasdk.test.slow");
  CHECK_OK(msdk_incoming_video_attach_renderer(slow.it.incoming, slow.sink, NULL));
  if (kind == SLOW_EVENT) CHECK_OK(msdk_session_set_event_callback(slow.it.bob, on_slow_event, NULL));
  if (kind == SLOW_ENCODED) CHECK_OK(msdk_outgoing_video_set_encoded_callback(slow.it.outgoing, on_slow_encoded, NULL));
  if (kind == SLOW_FRAME || kind == SLOW_DIRECT) CHECK_OK(msdk_incoming_video_set_frame_callback(slow.it.incoming, on_slow_frame, NULL));
  if (kind == SLOW_LOG) CHECK_OK(msdk_engine_set_log_callback(slow.it.engine, MSDK_LOG_DEBUG, on_slow_log, NULL));
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, NULL, send_loop, NULL), 0);
  WAIT_UNTIL(atomic_load(&slow.entered));
  CHECK_EQ(atomic_load(&slow.entered), 1);
  CHECK_EQ(atomic_load(&slow.left), 0);
  int64_t before = msdk_time_monotonic();
  atomic_store(&slow.ending, 1);
  end();
  CHECK_EQ(atomic_load(&slow.left), 1);
  CHECK_RANGE((msdk_time_monotonic() - before) / MS, 0, under_tools() ? 5000 : 1500); /* bounded */
  int calls = atomic_load(&slow.calls);
  sleep_ms(30);
  CHECK_EQ(atomic_load(&slow.calls), calls);
  atomic_store(&slow.stop, 1);
  pthread_join(thread, NULL);
  msdk_instance_destroy(slow.sink);
  call_close(&slow.it);
  if (atomic_load(&check_failed) != failed) fprintf(stderr, "  %s during the %s callback\n", name, kind_names[kind]);
}
#define PLAY(kind, end) play(kind, end, #end)

static void events(void) {
  PLAY(SLOW_EVENT, end_bob);
  PLAY(SLOW_EVENT, end_engine);
}

static void reports(void) {
  PLAY(SLOW_REPORT, end_stream);
  PLAY(SLOW_REPORT, end_stop);
  PLAY(SLOW_REPORT, end_alice);
  PLAY(SLOW_REPORT, end_engine);
}

static void encoded_frames(void) {
  PLAY(SLOW_ENCODED, end_stream);
  PLAY(SLOW_ENCODED, end_alice);
  PLAY(SLOW_ENCODED, end_engine);
}

static void frames(void) {
  PLAY(SLOW_FRAME, end_receiving);
  PLAY(SLOW_FRAME, end_bob);
  PLAY(SLOW_FRAME, end_engine);
  PLAY(SLOW_DIRECT, end_receiving);
  PLAY(SLOW_DIRECT, end_bob);
  PLAY(SLOW_DIRECT, end_engine);
}

static void renderers(void) {
  PLAY(SLOW_RENDER, end_renderer);
  PLAY(SLOW_RENDER, end_attachment);
  PLAY(SLOW_RENDER, end_bob);
  PLAY(SLOW_RENDER, end_engine);
}

static void logs(void) {
  PLAY(SLOW_LOG, end_log);
  PLAY(SLOW_LOG, end_engine);
}

/* Two threads destroy the same thing at once: one does it, the other finds it gone; both return. */
static void *destroy_engine(void *engine) {
  msdk_engine_destroy(engine);
  return NULL;
}

static void from_two_threads_at_once(void) {
  for (int i = 0; i < 50; i++) {
    call it = call_join(MSDK_CLOCK_SYSTEM);
    pthread_t threads[2];
    for (int n = 0; n < 2; n++) CHECK_EQ(pthread_create(&threads[n], NULL, destroy_engine, it.engine), 0);
    for (int n = 0; n < 2; n++) pthread_join(threads[n], NULL);
    CHECK_EQ(msdk_engine_now(it.engine), 0);
    msdk_session_destroy(it.alice);
    msdk_session_destroy(it.bob);
  }
}

int main(int argc, char **argv) {
  RUN(events);
  RUN(reports);
  RUN(encoded_frames);
  RUN(frames);
  RUN(renderers);
  RUN(logs);
  RUN(from_two_threads_at_once);
  return check_finish();
}
