/* Law: any function may be called inside any callback, destroy included. Every kind of callback does every kind of thing, on both
 * clocks; after that nothing may hang, no callback may come any more, and everything must have been freed. */
#include "sending.h"
#include "test_classes.h"

enum callback_kind { ON_EVENT, ON_REPORT, ON_ENCODED, ON_FRAME, ON_FRAME_DIRECT, ON_RELEASE, ON_LOG, CALLBACK_KINDS };
static const char *const kind_names[] = {"event", "report", "encoded", "frame", "frame (direct)", "release", "log"};

enum action {
  DESTROY_STREAM, DESTROY_ALICE, DESTROY_BOB, DESTROY_ENGINE, DESTROY_RENDERER, STOP_VIDEO, STOP_INCOMING, REMOVE_CALLBACKS, DISCONNECT,
  RESTART, ASK_EVERYTHING, ADVANCE, ACTIONS
};
static const char *const action_names[] = {
  "destroy the stream", "destroy alice", "destroy bob", "destroy the engine", "destroy the renderer", "stop the video", "stop receiving",
  "remove the callbacks", "disconnect", "restart the video", "ask everything", "advance the clock"};

static struct scene {
  call it;
  msdk_instance *sink, *preview;
  atomic_int kind, action; /* a release may come late, on a thread that is about to end */
  atomic_int calls, armed, done;
} scene;

static void ask_everything(void) {
  msdk_event event = MSDK_INIT(msdk_event);
  msdk_video_frame *frame = NULL;
  uint32_t state, count = 0;
  msdk_session_next_event(scene.it.bob, 0, &event);
  if (msdk_incoming_video_read(scene.it.incoming, 0, &frame) >= 0) msdk_video_frame_unref(frame);
  CHECK_OK(msdk_session_get_state(scene.it.alice, &state));
  count = people_of(scene.it.bob, NULL, 0);
  CHECK(count == 2 || (count == 0 && scene.kind == ON_EVENT)); /* there bob is made to leave: the event may be that */
  outgoing_stats(scene.it.outgoing);
  incoming_stats(scene.it.incoming);
  engine_stats(scene.it.engine);
  CHECK_OK(msdk_outgoing_video_request_key_frame(scene.it.outgoing));
  CHECK_OK(msdk_outgoing_video_set_bitrate(scene.it.outgoing, 200000, 0, 0));
  CHECK(msdk_engine_now(scene.it.engine) > 0);
  if (scene.kind != ON_LOG) CHECK(msdk_engine_load_plugin(scene.it.engine, "none.so") < 0);
}

static void act(void) {
  call *it = &scene.it;
  switch (scene.action) {
  case DESTROY_STREAM: msdk_outgoing_video_destroy(it->outgoing); break;
  case DESTROY_ALICE: msdk_session_destroy(it->alice); break;
  case DESTROY_BOB: msdk_session_destroy(it->bob); break;
  case DESTROY_ENGINE: msdk_engine_destroy(it->engine); break;
  case DESTROY_RENDERER:
    msdk_instance_destroy(scene.sink);
    msdk_instance_destroy(scene.preview);
    break;
  case STOP_VIDEO: CHECK_OK(msdk_session_stop_video(it->alice, it->outgoing)); break;
  case STOP_INCOMING: CHECK_OK(msdk_incoming_video_stop(it->incoming)); break;
  case REMOVE_CALLBACKS:
    CHECK_OK(msdk_session_set_event_callback(it->bob, NULL, NULL));
    CHECK_OK(msdk_incoming_video_set_frame_callback(it->incoming, NULL, NULL));
    CHECK_OK(msdk_outgoing_video_set_encoded_callback(it->outgoing, NULL, NULL));
    CHECK_OK(msdk_engine_set_log_callback(it->engine, MSDK_LOG_NONE, NULL, NULL));
    break;
  case DISCONNECT: CHECK_OK(msdk_session_disconnect(it->alice)); break;
  case RESTART:
    msdk_session_stop_video(it->alice, it->outgoing);
    CHECK_OK(msdk_session_start_video(it->alice, it->outgoing));
    break;
  case ASK_EVERYTHING: ask_everything(); break;
  case ADVANCE: {
    msdk_result result = msdk_engine_advance_clock(it->engine, MS);
    /* Inside a callback the clock cannot be moved: MSDK_E_THREAD; the system's never can. */
    CHECK(result == MSDK_E_THREAD || result == MSDK_E_UNSUPPORTED);
    break;
  }
  default: break;
  }
}

static void called(int kind) {
  if (kind != atomic_load(&scene.kind)) return;
  atomic_fetch_add(&scene.calls, 1);
  if (!atomic_exchange(&scene.armed, 0)) return;
  act();
  atomic_store(&scene.done, 1);
}

static void on_scene_event(void *user, const msdk_event *event) { (void)user, (void)event; called(ON_EVENT); }
static void on_scene_report(void *user, const msdk_frame_report *report) { (void)user, (void)report; called(ON_REPORT); }
static void on_scene_encoded(void *user, const msdk_encoded_frame *frame) { (void)user, (void)frame; called(ON_ENCODED); }
static void on_scene_frame(void *user, const msdk_video_frame *frame) {
  (void)user, (void)frame;
  called(scene.kind == ON_FRAME ? ON_FRAME : ON_FRAME_DIRECT);
}
static void on_scene_log(void *user, const msdk_log_record *record) { (void)user, (void)record; called(ON_LOG); }
static void on_scene_release(void *memory) { free(memory); called(ON_RELEASE); }

/* One frame of the program's own memory, so that there is a release to be called. */
static void send_wrapped(msdk_frame_sender *sender) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  if (msdk_frame_sender_get_format(sender, &format) < 0) return;
  uint32_t luma = format.width * format.height;
  uint8_t *memory = malloc(luma * 3 / 2);
  if (memory == NULL) return;
  memset(memory, 100, luma * 3 / 2);
  msdk_external_frame external = MSDK_INIT(msdk_external_frame);
  external.format = &format;
  external.plane_count = 2;
  external.plane[0] = (msdk_plane){.data = memory, .size = luma, .stride = (int32_t)format.width};
  external.plane[1] = (msdk_plane){.data = memory + luma, .size = luma / 2, .stride = (int32_t)format.width};
  external.user = memory;
  external.release = on_scene_release;
  msdk_video_frame *frame = NULL;
  if (!CHECK_OK(msdk_video_frame_wrap(&external, &frame))) {
    free(memory);
    return;
  }
  msdk_frame_sender_send(sender, frame, 0, on_scene_report, NULL);
  msdk_video_frame_unref(frame);
}

/* Makes callbacks of every kind happen. Any of the calls may fail, as its object may be gone. */
static void stir(int round) {
  call *it = &scene.it;
  msdk_frame_sender *sender = NULL;
  if (msdk_outgoing_video_get_sender(it->outgoing, &sender) >= 0) send_wrapped(sender);
  const char *bad = getenv("MSDK_TEST_PLUGINS");
  if (scene.kind == ON_LOG && bad != NULL) msdk_engine_add_plugin_dir(it->engine, bad, NULL);
  if (scene.kind == ON_EVENT && round == 3) msdk_session_disconnect(it->bob);
  if (scene.kind == ON_EVENT && round == 5) msdk_session_connect(it->bob);
  if (msdk_engine_advance_clock(it->engine, 34 * MS) < 0) sleep_ms(2);
}

static void play(uint32_t clock) {
  int threads = process_threads();
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(scene.kind == ON_FRAME_DIRECT ? MSDK_CODEC_RAW : MSDK_CODEC_VP8, &format, 1);
  msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
  receive.delivery = scene.kind == ON_FRAME_DIRECT ? MSDK_DELIVERY_DIRECT : MSDK_DELIVERY_QUEUED;
  record_clear();
  scene.it = call_open(clock, &options, &receive);
  call *it = &scene.it;
  CHECK_OK(msdk_engine_register_module(it->engine, &test_module));
  scene.sink = instance_of(it->engine, "org.mediasdk.test.sink");
  scene.preview = instance_of(it->engine, "org.mediasdk.test.sink");
  CHECK_OK(msdk_incoming_video_attach_renderer(it->incoming, scene.sink, NULL));
  CHECK_OK(msdk_outgoing_video_attach_renderer(it->outgoing, scene.preview, NULL));
  if (scene.kind == ON_EVENT) CHECK_OK(msdk_session_set_event_callback(it->bob, on_scene_event, NULL));
  if (scene.kind == ON_ENCODED) CHECK_OK(msdk_outgoing_video_set_encoded_callback(it->outgoing, on_scene_encoded, NULL));
  if (scene.kind == ON_FRAME || scene.kind == ON_FRAME_DIRECT) {
    CHECK_OK(msdk_incoming_video_set_frame_callback(it->incoming, on_scene_frame, NULL));
  }
  if (scene.kind == ON_LOG) CHECK_OK(msdk_engine_set_log_callback(it->engine, MSDK_LOG_DEBUG, on_scene_log, NULL));
  atomic_store(&scene.calls, 0);
  atomic_store(&scene.done, 0);
  atomic_store(&scene.armed, 1);
  for (int round = 0; round < (clock == MSDK_CLOCK_SYSTEM ? 10000 : 500) && !atomic_load(&scene.done); round++) stir(round);
  CHECK(atomic_load(&scene.done));
  for (int round = 10; round < 14; round++) stir(round); /* life goes on for what is left */
  msdk_instance_destroy(scene.sink);
  msdk_instance_destroy(scene.preview);
  call_close(it);
  WAIT_UNTIL(record_times("sink create") == record_times("sink destroy")); /* what was put off happens when its callback is left */
  CHECK_EQ(record_times("sink create"), 2);
  CHECK_EQ(record_times("sink destroy"), 2);
  int calls = atomic_load(&scene.calls);
  if (clock == MSDK_CLOCK_SYSTEM) sleep_ms(5);
  if (scene.kind != ON_RELEASE) CHECK_EQ(atomic_load(&scene.calls), calls); /* no callback after the end; a frame may live longer */
  CHECK_EQ(msdk_engine_now(it->engine), 0);
  CHECK_COMES_BACK(process_threads(), threads);
}

static void on_clock(uint32_t clock) {
  for (int kind = 0; kind < CALLBACK_KINDS; kind++) {
    for (int action = 0; action < ACTIONS; action++) {
      int failed = atomic_load(&check_failed);
      atomic_store(&scene.kind, kind);
      atomic_store(&scene.action, action);
      if (getenv("MSDK_TEST_VERBOSE") != NULL) fprintf(stderr, "  in %s: %s\n", kind_names[kind], action_names[action]);
      play(clock);
      if (atomic_load(&check_failed) != failed) {
        fprintf(stderr, "  in the %s callback: %s, clock %u\n", kind_names[kind], action_names[action], clock);
      }
    }
  }
}

static void on_the_virtual_clock(void) { on_clock(MSDK_CLOCK_VIRTUAL); }
static void on_the_system_clock(void) { on_clock(MSDK_CLOCK_SYSTEM); }

static void nothing_is_left(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_engine_stats stats = engine_stats(engine);
  CHECK_EQ(stats.frames, 0);
  CHECK_EQ(stats.encoded_frames, 0);
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  RUN(on_the_virtual_clock);
  RUN(on_the_system_clock);
  RUN(nothing_is_left);
  return check_finish();
}
