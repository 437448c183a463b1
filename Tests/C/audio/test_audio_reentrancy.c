/* Law: any function may be called inside any callback, destroy included; here those of sound. Every kind of callback does every kind of
 * thing, on both clocks; after that nothing may hang, no callback may come any more, and everything must have been freed. */
#include "audio_classes.h"

enum callback_kind { ON_SOUND, ON_SOUND_DIRECT, ON_MIX, ON_REPORT, ON_PACKET, ON_EVENT, CALLBACK_KINDS };
static const char *const kind_names[] = {"frame", "frame (direct)", "mixed frame", "report", "encoded", "event"};

enum action {
  DESTROY_STREAM, DESTROY_ALICE, DESTROY_BOB, DESTROY_ENGINE, DESTROY_RENDERER, DESTROY_PRODUCER, STOP_AUDIO, RESTART_AUDIO, STOP_HEARING,
  RESTART_HEARING, STOP_MIX, REMOVE_CALLBACKS, DISCONNECT, MUTE, FLUSH, SEND, WAIT_PLAYED, ATTACH_PRODUCER, ASK_EVERYTHING, ADVANCE, ACTIONS
};
static const char *const action_names[] = {
  "destroy the stream", "destroy alice",      "destroy bob",          "destroy the engine",  "destroy the renderer",
  "destroy the producer", "stop the stream",  "restart the stream",   "stop hearing",        "restart hearing",
  "stop the mix",       "remove callbacks",   "disconnect",           "mute",                "flush",
  "send",               "wait until played",  "attach a producer",    "ask everything",      "advance the clock"};

static struct scene {
  sound_call *it;
  msdk_incoming_audio *mix;
  msdk_instance *ear, *mic;
  atomic_int kind, action, calls, armed, done;
} scene;

static void ask_everything(void) {
  sound_call *it = scene.it;
  msdk_audio_frame *frame = NULL;
  msdk_event event = MSDK_INIT(msdk_event);
  uint32_t state = 0;
  uint64_t size;
  int64_t queued;
  msdk_session_next_event(it->bob, 0, &event);
  if (msdk_incoming_audio_read(it->heard.stream, 0, &frame) >= 0) msdk_audio_frame_unref(frame);
  if (msdk_incoming_audio_read(scene.mix, 0, &frame) >= 0) msdk_audio_frame_unref(frame);
  CHECK_OK(msdk_outgoing_audio_get_state(it->voice.stream, &state));
  CHECK_OK(msdk_outgoing_audio_get_buffer_size(it->voice.stream, &size));
  CHECK_OK(msdk_outgoing_audio_get_queued(it->voice.stream, &queued));
  CHECK_OK(msdk_incoming_audio_get_state(it->heard.stream, &state));
  CHECK_EQ(people_of(it->bob, NULL, 0), 2);
  sound_stats(it->voice.stream);
  heard_stats(it->heard.stream);
  heard_stats(scene.mix);
  engine_stats(it->engine);
  CHECK_OK(msdk_incoming_audio_set_gain(it->heard.stream, 0.5));
  CHECK_OK(msdk_outgoing_audio_set_gain(it->voice.stream, 0.5));
}

static void act(void) {
  sound_call *it = scene.it;
  static const int16_t silence[480];
  switch (atomic_load(&scene.action)) {
  case DESTROY_STREAM: msdk_outgoing_audio_destroy(it->voice.stream); break;
  case DESTROY_ALICE: msdk_session_destroy(it->alice); break;
  case DESTROY_BOB: msdk_session_destroy(it->bob); break;
  case DESTROY_ENGINE: msdk_engine_destroy(it->engine); break;
  case DESTROY_RENDERER: msdk_instance_destroy(scene.ear); break;
  case DESTROY_PRODUCER: msdk_instance_destroy(scene.mic); break;
  case STOP_AUDIO: CHECK_OK(msdk_session_stop_audio(it->alice, it->voice.stream)); break;
  case RESTART_AUDIO:
    CHECK_OK(msdk_session_stop_audio(it->alice, it->voice.stream));
    CHECK_OK(msdk_session_start_audio(it->alice, it->voice.stream));
    break;
  case STOP_HEARING: CHECK_OK(msdk_incoming_audio_stop(it->heard.stream)); break;
  case RESTART_HEARING:
    CHECK_OK(msdk_incoming_audio_stop(it->heard.stream));
    msdk_incoming_audio_start(it->heard.stream, NULL); /* may be refused while the callback keeps it stopping */
    break;
  case STOP_MIX: CHECK_OK(msdk_incoming_audio_stop(scene.mix)); break;
  case REMOVE_CALLBACKS:
    CHECK_OK(msdk_session_set_event_callback(it->bob, NULL, NULL));
    CHECK_OK(msdk_incoming_audio_set_frame_callback(it->heard.stream, NULL, NULL));
    CHECK_OK(msdk_incoming_audio_set_frame_callback(scene.mix, NULL, NULL));
    msdk_outgoing_audio_set_encoded_callback(it->voice.stream, NULL, NULL);
    break;
  case DISCONNECT: CHECK_OK(msdk_session_disconnect(it->alice)); break;
  case MUTE: CHECK_OK(msdk_outgoing_audio_set_muted(it->voice.stream, 1)); break;
  case FLUSH: CHECK_OK(msdk_outgoing_audio_flush(it->voice.stream)); break;
  case SEND: msdk_outgoing_audio_send(it->voice.stream, silence, sizeof silence, 0, 0, NULL, NULL); break;
  case WAIT_PLAYED: msdk_outgoing_audio_wait_played(it->voice.stream, 1); break; /* for what cannot go on while we are here */
  case ATTACH_PRODUCER: msdk_outgoing_audio_attach_producer(it->voice.stream, scene.mic); break;
  case ASK_EVERYTHING: ask_everything(); break;
  case ADVANCE: {
    msdk_result result = msdk_engine_advance_clock(it->engine, MS);
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

static void on_scene_sound(void *user, const msdk_audio_frame *frame) {
  (void)user, (void)frame;
  called(atomic_load(&scene.kind) == ON_SOUND ? ON_SOUND : ON_SOUND_DIRECT);
}
static void on_scene_mix(void *user, const msdk_audio_frame *frame) { (void)user, (void)frame; called(ON_MIX); }
static void on_scene_report(void *user, const msdk_frame_report *report) { (void)user, (void)report; called(ON_REPORT); }
static void on_scene_packet(void *user, const msdk_encoded_frame *frame) { (void)user, (void)frame; called(ON_PACKET); }
static void on_scene_event(void *user, const msdk_event *event) { (void)user, (void)event; called(ON_EVENT); }

/* Makes callbacks of every kind happen. Any of the calls may fail, as its object may be gone. */
static void stir(int round) {
  sound_call *it = scene.it;
  static int16_t samples[480];
  for (int i = 0; i < 480; i++) samples[i] = (int16_t)(8000 * sin(2 * PI * 440 * i / 48000.0 + round));
  msdk_outgoing_audio_send(it->voice.stream, samples, sizeof samples, 0, 0, on_scene_report, NULL);
  if (scene.kind == ON_EVENT && round % 7 == 3) msdk_outgoing_audio_set_muted(it->voice.stream, round % 2);
  if (msdk_engine_advance_clock(it->engine, 10 * MS) < 0) sleep_ms(3);
}

static void play(uint32_t clock) {
  int threads = process_threads();
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 10);
  options.codec = scene.kind == ON_SOUND_DIRECT || scene.kind == ON_REPORT ? MSDK_CODEC_RAW : MSDK_CODEC_OPUS;
  msdk_incoming_audio_options receive = MSDK_INIT(msdk_incoming_audio_options);
  receive.delivery = scene.kind == ON_SOUND_DIRECT ? MSDK_DELIVERY_DIRECT : MSDK_DELIVERY_QUEUED;
  audio_sight_clear();
  scene.it = sound_open(clock, &options, &receive);
  sound_call *it = scene.it;
  CHECK_OK(msdk_engine_register_module(it->engine, &audio_module));
  scene.ear = instance_of(it->engine, "org.mediasdk.test.earphone");
  scene.mic = instance_of(it->engine, "org.mediasdk.test.mic");
  CHECK_OK(msdk_incoming_audio_attach_renderer(it->heard.stream, scene.ear));
  CHECK_OK(msdk_session_get_mixed_audio(it->bob, &scene.mix));
  CHECK_OK(msdk_incoming_audio_start(scene.mix, NULL));
  if (scene.kind == ON_SOUND || scene.kind == ON_SOUND_DIRECT) {
    CHECK_OK(msdk_incoming_audio_set_frame_callback(it->heard.stream, on_scene_sound, NULL));
  }
  if (scene.kind == ON_MIX) CHECK_OK(msdk_incoming_audio_set_frame_callback(scene.mix, on_scene_mix, NULL));
  if (scene.kind == ON_PACKET) CHECK_OK(msdk_outgoing_audio_set_encoded_callback(it->voice.stream, on_scene_packet, NULL));
  if (scene.kind == ON_EVENT) CHECK_OK(msdk_session_set_event_callback(it->bob, on_scene_event, NULL));
  atomic_store(&scene.calls, 0);
  atomic_store(&scene.done, 0);
  atomic_store(&scene.armed, 1);
  for (int round = 0; round < (clock == MSDK_CLOCK_SYSTEM ? 10000 : 500) && !atomic_load(&scene.done); round++) stir(round);
  CHECK(atomic_load(&scene.done));
  for (int round = 10; round < 16; round++) stir(round); /* life goes on for what is left */
  msdk_instance_destroy(scene.ear);
  msdk_instance_destroy(scene.mic);
  msdk_engine_destroy(it->engine);
  WAIT_UNTIL(record_times("earphone destroy") == 1 && record_times("mic destroy") == 1);
  CHECK_EQ(record_times("earphone destroy"), 1);
  CHECK_EQ(record_times("mic destroy"), 1);
  int calls = atomic_load(&scene.calls);
  if (clock == MSDK_CLOCK_SYSTEM) sleep_ms(5);
  CHECK_EQ(atomic_load(&scene.calls), calls); /* no callback after the end */
  CHECK_EQ(msdk_engine_now(it->engine), 0);
  sound_close(it);
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
  CHECK_EQ(stats.audio_frames, 0);
  CHECK_EQ(stats.encoded_frames, 0);
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  RUN(on_the_virtual_clock);
  RUN(on_the_system_clock);
  RUN(nothing_is_left);
  return check_finish();
}
