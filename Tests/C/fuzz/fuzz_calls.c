/* Random sequences of calls with random arguments, good and bad, over an engine with a virtual clock: fuzz_calls [steps] [seed].
 * Whatever the calls return is fine; the program must not crash, not hang, and leave nothing behind. */
#include "audio_classes.h"
#include "fuzz_rooms.h"
#include "fuzz_sound.h"
#include "fuzz_video.h"

static void on_fuzz_event(void *user, const msdk_event *event) { (void)user, (void)event; }
static void on_fuzz_log(void *user, const msdk_log_record *record) { (void)user, (void)record; }

static void take_events(void) {
  void *session = handle(SESSION);
  for (uint32_t i = 0; i < 20; i++) {
    msdk_event event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(session, below(50) == 0 ? 1 : 0, &event) < 0) return;
    if (event.type == MSDK_EVENT_INCOMING_VIDEO_ADDED) keep(INCOMING, event.incoming_video);
    if (event.type == MSDK_EVENT_INCOMING_AUDIO_ADDED) {
      keep(SOUND_IN, event.incoming_audio);
      if (below(3) != 0) msdk_incoming_audio_start(event.incoming_audio, NULL);
    }
    keep(SENDER, event.sender);
    if (event.type == MSDK_EVENT_INCOMING_VIDEO_ADDED && below(3) != 0) msdk_incoming_video_start(event.incoming_video, NULL);
  }
}

static void parameters(void) {
  uint8_t buffer[64];
  uint64_t needed;
  msdk_value value = {.type = below(4) == 0 ? number() : below(9)};
  switch (value.type) {
  case MSDK_T_STRING: value.u.str = text(); break;
  case MSDK_T_BYTES: value.u.bytes = (msdk_bytes){below(2) ? buffer : NULL, below(64)}; break;
  default: value.u.u64 = random_next(&seed); break;
  }
  memset(buffer, 0, sizeof buffer);
  void *it = handle(INSTANCE);
  msdk_instance_set_param(it, text(), below(12) == 0 ? NULL : &value);
  msdk_instance_set_param_text(it, text(), text());
  msdk_instance_get_param(it, text(), &value, below(2) ? buffer : NULL, below(64), &needed);
  msdk_choice choice = MSDK_INIT(msdk_choice);
  if (below(4) == 0) choice.struct_size = struct_size(sizeof choice);
  msdk_instance_param_choice_at(it, text(), below(4), below(12) == 0 ? NULL : &choice, below(2) ? buffer : NULL, below(64), &needed);
  msdk_instance_event event = MSDK_INIT(msdk_instance_event);
  if (below(4) == 0) event.struct_size = struct_size(sizeof event);
  msdk_instance_next_event(it, 0, below(12) == 0 ? NULL : &event);
}

static void make_instance(void) {
  msdk_instance *made = NULL;
  if (msdk_instance_create(some_engine(), text(), NULL, &made) >= 0) keep(INSTANCE, made);
}

/* Every pointer out has room for the struct, whatever its struct_size says beyond. */
static void prefer(void) {
  msdk_video_preference preference = MSDK_INIT(msdk_video_preference);
  preference.width = wild ? number() : below(400);
  preference.height = wild ? number() : below(400);
  preference.fps_num = wild ? number() : below(40);
  preference.fps_den = wild ? number() : 1;
  if (wild && below(4) == 0) preference.struct_size = number();
  preference.priority = goes_wrong(8) ? number() : below(4);
  msdk_incoming_video_set_preference(handle(INCOMING), below(4) == 0 ? NULL : &preference);
}

static void ask(void) {
  static union {
    uint32_t size;
    uint8_t bytes[2048];
  } room;
  uint32_t state, kind = below(3) == 0 ? number() : 1u << below(4);
  int32_t descriptor;
  memset(&room, 0, sizeof room);
  room.size = below(4) == 0 ? below(sizeof room + 1) : 400;
  void *out = below(12) == 0 ? NULL : &room;
  switch (below(20)) {
  case 0: msdk_session_get_stats(handle(SESSION), out); break;
  case 1: msdk_outgoing_video_get_stats(handle(OUTGOING), out); break;
  case 2: msdk_incoming_video_get_stats(handle(INCOMING), out); break;
  case 3: msdk_engine_get_stats(some_engine(), out); break;
  case 4: msdk_frame_get_layout(pixel_formats[below(PIXEL_FORMATS)], number(), number(), number(), out); break;
  case 5: msdk_video_limit_at(below(3), below(3), number(), out); break;
  case 6: msdk_engine_class_at(some_engine(), below(9), out); break;
  case 7: msdk_engine_class_param_at(some_engine(), text(), below(14), out); break;
  case 8: msdk_frame_sender_get_format(handle(SENDER), out); break;
  case 9: msdk_instance_format_at(handle(INSTANCE), below(3), out); break;
  case 10: msdk_outgoing_video_read_report(handle(OUTGOING), 0, out); break;
  case 11: msdk_session_get_state(handle(SESSION), &state); msdk_outgoing_video_get_state(handle(OUTGOING), &state); break;
  case 12: msdk_incoming_video_get_state(handle(INCOMING), &state); msdk_instance_get_state(handle(INSTANCE), kind, &state); break;
  case 13: msdk_session_get_event_fd(handle(SESSION), &descriptor); msdk_incoming_video_get_fd(handle(INCOMING), &descriptor); break;
  case 14: msdk_session_participant_at(handle(SESSION), below(3), out); break;
  case 15: {
    msdk_video_format asked = format();
    msdk_video_limit_check(below(3), below(3), &asked);
    break;
  }
  case 16: {
    msdk_log_record record;
    record.struct_size = below(4) == 0 ? below(sizeof record + 1) : sizeof record;
    msdk_engine_set_log_level(some_engine(), (int32_t)below(6) - 1);
    msdk_engine_next_log_record(some_engine(), 0, below(12) == 0 ? NULL : &record);
    break;
  }
  case 17: {
    msdk_video_tap_options options = MSDK_INIT(msdk_video_tap_options);
    options.output = below(4);
    options.queue_capacity = below(70);
    options.queue_policy = below(4);
    if (below(2)) msdk_outgoing_video_start_tap(handle(OUTGOING), below(3) == 0 ? NULL : &options);
    else msdk_outgoing_video_stop_tap(handle(OUTGOING));
    break;
  }
  case 18: {
    msdk_video_frame *seen = NULL;
    msdk_encoded_frame *packet = NULL;
    if (msdk_outgoing_video_read(handle(OUTGOING), 0, &seen) >= 0) keep_frame(seen);
    if (msdk_outgoing_video_read_encoded(handle(OUTGOING), 0, &packet) >= 0) keep_encoded(packet);
    msdk_outgoing_video_get_fd(handle(OUTGOING), &descriptor);
    break;
  }
  default: {
    msdk_video_frame *made = NULL;
    if (msdk_instance_snapshot(handle(INSTANCE), &made) >= 0) keep_frame(made);
    break;
  }
  }
}

static void attach(void) {
  switch (below(9)) {
  case 0: msdk_outgoing_video_attach_producer(handle(OUTGOING), handle(INSTANCE)); break;
  case 1: msdk_outgoing_video_attach_renderer(handle(OUTGOING), handle(INSTANCE), NULL); break;
  case 2: msdk_outgoing_video_detach_renderer(handle(OUTGOING), handle(INSTANCE)); break;
  case 3: msdk_incoming_video_attach_renderer(handle(INCOMING), handle(INSTANCE), NULL); break;
  case 4: msdk_incoming_video_detach_renderer(handle(INCOMING), handle(INSTANCE)); break;
  case 5: msdk_instance_attach_renderer(handle(INSTANCE), handle(INSTANCE)); break;
  case 6: msdk_instance_detach_renderer(handle(INSTANCE), handle(INSTANCE)); break;
  case 7: msdk_instance_render(handle(INSTANCE), frame()); break;
  default: msdk_instance_release(handle(INSTANCE)); break;
  }
}

static void callbacks(void) {
  switch (below(4)) {
  case 0: msdk_session_set_event_callback(handle(SESSION), below(3) == 0 ? on_fuzz_event : NULL, NULL); break;
  case 1: msdk_incoming_video_set_frame_callback(handle(INCOMING), below(3) == 0 ? on_fuzz_frame : NULL, NULL); break;
  case 2: msdk_outgoing_video_set_encoded_callback(handle(OUTGOING), below(3) == 0 ? on_fuzz_encoded : NULL, NULL); break;
  default: msdk_engine_set_log_callback(some_engine(), (int32_t)below(6), below(2) ? on_fuzz_log : NULL, NULL); break;
  }
}

static void new_engine(void) {
  msdk_engine_destroy(engine);
  engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_engine_register_module(engine, &test_module);
  msdk_engine_register_module(engine, &audio_module);
  const char *plugins = getenv("MSDK_PLUGIN_DIR");
  if (plugins != NULL) msdk_engine_add_plugin_dir(engine, plugins, NULL);
}

static void one_step(void) {
  wild = below(3) == 0;
  if (below(3) == 0) {
    one_sound_step();
    return;
  }
  switch (below(50)) {
  case 0: case 1: make_session(); break;
  case 2: case 3: make_stream(); break;
  case 4: make_frame(); break;
  case 5: wrap_frame(); break;
  case 6: make_encoded(); break;
  case 7: script(); break;
  case 8: case 9: receive(); break;
  case 10: case 11: case 12: take_events(); break;
  case 13: case 14: take_frames(); break;
  case 15: case 16: case 17: case 18: send_one(); break;
  case 19: parameters(); break;
  case 20: make_instance(); break;
  case 21: convert(); break;
  case 22: case 23: case 24: ask(); break;
  case 25: case 26: attach(); break;
  case 27: callbacks(); break;
  case 28: references(); break;
  case 29: msdk_session_connect(handle(SESSION)); break;
  case 30: if (below(16) == 0) msdk_session_disconnect(handle(SESSION)); break;
  case 31: case 32: case 33: case 34: msdk_session_start_video(handle(SESSION), handle(OUTGOING)); break;
  case 35: if (below(4) == 0) msdk_session_stop_video(handle(SESSION), handle(OUTGOING)); break;
  case 36: if (below(4) == 0) msdk_incoming_video_stop(handle(INCOMING)); break;
  case 37: msdk_outgoing_video_set_bitrate(handle(OUTGOING), number(), number(), number()); break;
  case 38: msdk_outgoing_video_set_frame_rate(handle(OUTGOING), wild ? number() : below(31), wild ? number() : 1); break;
  case 39: msdk_outgoing_video_request_key_frame(handle(OUTGOING)); msdk_incoming_video_request_key_frame(handle(INCOMING)); break;
  case 40: if (below(3) == 0) msdk_session_destroy(handle(SESSION)); break;
  case 41: if (below(3) == 0) msdk_outgoing_video_destroy(handle(OUTGOING)); break;
  case 42: if (below(3) == 0) msdk_instance_destroy(handle(INSTANCE)); break;
  case 43: if (below(200) == 0) new_engine(); break;
  case 44: doors(); break;
  case 45: if (below(4) == 0) served_rooms(); break;
  case 46: prefer(); break;
  case 47: metadata(); break;
  default: msdk_engine_advance_clock(engine, below(30) == 0 ? below(60) * SECOND : below(100) * MS); break;
  }
}

int main(int argc, char **argv) {
  uint32_t steps = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : under_tools() ? 4000 : 20000;
  seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
  uint64_t first_seed = seed;
  CHECK(ivf_open(&clip));
  new_engine();
  for (uint32_t i = 0; i < steps; i++) {
    one_step();
    if (i % 512 == 0) record_clear();
  }
  msdk_engine_stats stats = engine_stats(engine);
  printf("%" PRIu32 " steps from seed %" PRIu64 "; at the end %u sessions, %u streams out, %u in, %u instances, %u frames\n", steps,
         first_seed, stats.sessions, stats.outgoing_videos, stats.incoming_videos, stats.instances, stats.frames);
  printf("frames: %u sent, %u dropped, %u taken\n", frames_gone, frames_dropped, frames_taken);
  printf("sound: %u buffers sent, %u dropped, %u taken, %u mixes\n", sounds_gone, sounds_dropped, sounds_taken, mixes_heard);
  CHECK(frames_gone > 0 || steps < 4000);
  CHECK((sounds_gone > 0 && sounds_taken > 0) || steps < 4000);
  msdk_engine_destroy(engine);
  msdk_engine_destroy(real);
  for (int i = 0; i < KEPT; i++) {
    msdk_video_frame_unref(frames[i]);
    msdk_encoded_frame_unref(encoded[i]);
    msdk_audio_frame_unref(sounds[i]);
  }
  engine = engine_new(MSDK_CLOCK_VIRTUAL);
  stats = engine_stats(engine);
  CHECK_EQ(stats.frames, 0);
  CHECK_EQ(stats.encoded_frames, 0);
  CHECK_EQ(stats.audio_frames, 0);
  msdk_engine_destroy(engine);
  ivf_close(&clip);
  return check_finish();
}
