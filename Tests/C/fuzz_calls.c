/* Random sequences of calls with random arguments, good and bad, over an engine with a virtual clock: fuzz_calls [steps] [seed].
 * Whatever the calls return is fine; the program must not crash, not hang, and leave nothing behind. */
#include "audio_classes.h"
#include "ivf.h"
#include "random.h"
#include "sending.h"

enum { KEPT = 64, OF_A_KIND = 12 };
enum kind { SESSION, OUTGOING, SENDER, INCOMING, INSTANCE, SOUND_OUT, SOUND_IN, KINDS };

static uint64_t seed;
static msdk_engine *engine;
/* Handles of every kind, live and dead, mixed on purpose; frames with the references that this program holds. */
static void *handles[KINDS][OF_A_KIND];
static const msdk_video_frame *frames[KEPT];
static const msdk_encoded_frame *encoded[KEPT];
static ivf_clip clip;
static uint32_t frames_taken, frames_gone, frames_dropped; /* so that one sees that something happened */

static uint32_t below(uint32_t limit) { return random_below(&seed, limit); }

/* Whether one argument of this call shall be wrong: most calls are right in everything, else nothing would ever work. */
static int wild; /* set anew for every step */
static int goes_wrong(uint32_t one_in) { return wild && below(one_in) == 0; }

static uint32_t number(void) {
  static const uint32_t edges[] = {0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 64, 255, 256, 1000, 4096, 16384, 16385, 65536, 0x7FFFFFFF,
                                   0x80000000, UINT32_MAX};
  return below(3) == 0 ? (uint32_t)random_next(&seed) : edges[below(sizeof edges / sizeof edges[0])];
}

static int64_t wide(void) {
  static const int64_t edges[] = {0, 1, -1, 1000, INT64_MAX, INT64_MIN, 1000000000, 30000000000};
  return below(2) == 0 ? (int64_t)random_next(&seed) : edges[below(8)];
}

static void *handle(enum kind kind) {
  static uint64_t rubbish[8];
  switch (wild ? below(16) : 16) {
  case 0: return NULL;
  case 1: return (void *)(uintptr_t)random_next(&seed);
  case 2: return rubbish;
  case 3: return engine;
  case 4: return handles[below(KINDS)][below(OF_A_KIND)];
  default: return handles[kind][below(OF_A_KIND)];
  }
}

/* In the place of another, which mostly ends: else they would grow without end. */
static void keep(enum kind kind, void *made) {
  if (made == NULL) return;
  uint32_t place = below(OF_A_KIND);
  void *old = handles[kind][place];
  handles[kind][place] = made;
  if (below(8) == 0) return;
  if (kind == SESSION) msdk_session_destroy(old);
  if (kind == OUTGOING) msdk_outgoing_video_destroy(old);
  if (kind == INSTANCE) msdk_instance_destroy(old);
  if (kind == SOUND_OUT) msdk_outgoing_audio_destroy(old);
}

static msdk_engine *some_engine(void) { return goes_wrong(8) ? handle((enum kind)below(KINDS)) : engine; }

static const char *text(void) {
  static const char *const texts[] = {
    NULL, "", "a", "b", "loopback:", "loopback:fuzz", "loopback:fuzz", "loopback:fuzz", "loopback:other", "http://x", "\xFF\xFE",
    "level", "fail", "accept", "path", "7", "true", "-1", "99999999999999999999", "render", "init", "org.mediasdk.test.pull",
    "org.mediasdk.test.sink",
    "org.mediasdk.test.mic", "org.mediasdk.test.odd_mic", "org.mediasdk.test.earphone", "org.mediasdk.test.packets",
    "org.mediasdk.producer.tone", "org.mediasdk.test.filter", "org.mediasdk.test.codec",
    "org.mediasdk.producer.testpattern", "org.mediasdk.renderer.bw", "/",
    "/dev/null"};
  return texts[below(sizeof texts / sizeof texts[0])];
}

static uint32_t struct_size(size_t size) { return goes_wrong(8) ? number() : (uint32_t)size; }

static msdk_video_format format(void) {
  msdk_video_format made = format_of(pixel_formats[below(PIXEL_FORMATS)], 1 + below(80), 1 + below(80), 1 + below(60));
  if (below(4) != 0) made = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  if (goes_wrong(12)) made.width = number();
  if (goes_wrong(12)) made.height = number();
  if (goes_wrong(12)) made.pixel_format = number();
  if (goes_wrong(12)) made.fps_num = number();
  if (goes_wrong(12)) made.fps_den = number();
  if (goes_wrong(12)) made.color_matrix = number();
  if (goes_wrong(20)) made.memory_kinds = number();
  if ((uint64_t)made.width * made.height > 4000000 && below(4) != 0) made.width = 64; /* large ones are slow; a few will do */
  made.struct_size = struct_size(sizeof made);
  return made;
}

static const msdk_video_frame *frame(void) {
  if (below(12) == 0) return handle((enum kind)below(KINDS));
  return frames[below(KEPT)];
}

static void keep_frame(const msdk_video_frame *made) {
  if (made == NULL) return;
  uint32_t place = below(KEPT);
  msdk_video_frame_unref(frames[place]);
  frames[place] = made;
}

static void keep_encoded(const msdk_encoded_frame *made) {
  if (made == NULL) return;
  uint32_t place = below(KEPT);
  msdk_encoded_frame_unref(encoded[place]);
  encoded[place] = made;
}

static void on_fuzz_event(void *user, const msdk_event *event) { (void)user, (void)event; }
static void on_fuzz_frame(void *user, const msdk_video_frame *it) {
  (void)user, (void)it;
  frames_taken++;
}
static void on_fuzz_encoded(void *user, const msdk_encoded_frame *it) { (void)user, (void)it; }
static void on_fuzz_report(void *user, const msdk_frame_report *it) {
  (void)user;
  if (it->outcome == MSDK_OUTCOME_SENT || it->outcome == MSDK_OUTCOME_ENCODED) frames_gone++;
  else frames_dropped++;
}
static void on_fuzz_log(void *user, int32_t level, const char *words) { (void)user, (void)level, (void)words; }

/* -------------------------------------------------------------------------------------------------- calls with structs */

static void make_session(void) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = text();
  options.user_id = text();
  options.display_name = text();
  options.access_token = text();
  if (goes_wrong(6)) options.event_capacity = number();
  options.struct_size = struct_size(sizeof options);
  msdk_session *made = NULL;
  if (!goes_wrong(2)) {
    static char user[16];
    snprintf(user, sizeof user, "user-%u", below(200));
    options = (msdk_session_options){.struct_size = sizeof options, .url = "loopback:fuzz", .user_id = user};
  }
  if (msdk_session_create(some_engine(), below(20) == 0 ? NULL : &options, &made) >= 0) {
    keep(SESSION, made);
    if (below(8) != 0) msdk_session_connect(made);
  }
}

static void make_stream(void) {
  msdk_video_format formats[3] = {format(), format(), format()};
  formats[1].struct_size = formats[2].struct_size = formats[0].struct_size = sizeof formats[0]; /* else the array is not what it says */
  msdk_outgoing_video_options options = outgoing_options(below(2) == 0 ? MSDK_CODEC_VP8 : MSDK_CODEC_NONE, formats, 1 + below(3));
  if (goes_wrong(10)) options.kind = number();
  if (goes_wrong(10)) options.limits = number();
  if (goes_wrong(10)) options.codec = number();
  if (goes_wrong(10)) options.preset = number();
  options.queue_policy = below(2);
  if (goes_wrong(10)) options.queue_capacity = number();
  options.encoded_input = options.codec == MSDK_CODEC_VP8 && below(6) == 0;
  if (goes_wrong(10)) options.encoder_threads = number();
  if (goes_wrong(10)) options.target_bitrate = random_next(&seed);
  if (goes_wrong(10)) options.max_bitrate = number();
  if (goes_wrong(10)) options.key_frame_interval_ms = number();
  if (goes_wrong(10)) options.report_capacity = number();
  options.struct_size = struct_size(sizeof options);
  msdk_outgoing_video *made = NULL;
  if (msdk_outgoing_video_create(some_engine(), &options, &made) >= 0) keep(OUTGOING, made);
}

static void make_frame(void) {
  msdk_video_format wanted = format();
  msdk_video_frame *made = NULL;
  if ((uint64_t)wanted.width * wanted.height > 40000000) wanted.width = wanted.height = 16;
  if (msdk_video_frame_create(&wanted, &made) >= 0) {
    picture_fill(made, (int)below(256));
    keep_frame(made);
  }
}

static void wrap_frame(void) {
  static uint8_t memory[65536];
  msdk_video_format wanted = format();
  msdk_external_frame external = MSDK_INIT(msdk_external_frame);
  external.format = below(10) == 0 ? NULL : &wanted;
  external.plane_count = below(6) == 0 ? number() : planes_of(wanted.pixel_format);
  for (int i = 0; i < 4; i++) {
    uint32_t offset = below(40000);
    external.plane[i].data = below(12) == 0 ? NULL : memory + offset;
    external.plane[i].size = below(8) == 0 ? 0 : sizeof memory - offset; /* never more than there is */
    external.plane[i].stride = below(6) == 0 ? (int32_t)number() : 320;
    external.plane[i].fd = below(8) == 0 ? (int32_t)number() : -1;
  }
  if (below(8) == 0) external.memory_kind = number();
  if (below(8) == 0) external.orientation = number();
  external.timestamp_ns = wide();
  external.struct_size = struct_size(sizeof external);
  msdk_video_frame *made = NULL;
  if (msdk_video_frame_wrap(&external, &made) >= 0) keep_frame(made);
}

static void make_encoded(void) {
  static uint8_t copy[65536];
  const ivf_frame *source = &clip.frame[1 + below(clip.count - 1)];
  uint32_t size = source->size < sizeof copy ? source->size : sizeof copy;
  memcpy(copy, source->data, size);
  for (uint32_t i = below(6); i > 0; i--) copy[below(size)] = (uint8_t)below(256);
  if (below(3) == 0) { /* a key frame of 64x48 that promises more than it has */
    static const uint8_t head[10] = {0x10, 0x02, 0x00, 0x9D, 0x01, 0x2A, 64, 0, 48, 0};
    memcpy(copy, head, 10);
  }
  msdk_encoded_frame wanted = MSDK_INIT(msdk_encoded_frame);
  wanted.codec = below(10) == 0 ? number() : MSDK_CODEC_VP8;
  wanted.data = below(12) == 0 ? NULL : copy;
  wanted.size = below(4) == 0 ? below(size) : size;
  wanted.timestamp_ns = wide();
  wanted.flags = number();
  wanted.struct_size = struct_size(sizeof wanted);
  msdk_encoded_frame *made = NULL;
  if (msdk_encoded_frame_create(&wanted, &made) >= 0) keep_encoded(made);
}

static void script(void) {
  msdk_network_step steps[4];
  for (int i = 0; i < 4; i++) {
    steps[i] = network_step(i * SECOND, below(2) == 0 ? 0 : number());
    if (below(10) == 0) steps[i].at_ns = wide();
    steps[i].flags = below(12) == 0 ? 1 : 0;
    steps[i].delay_ns = below(8) == 0 ? wide() : below(50) * MS;
    steps[i].jitter_ns = below(8) == 0 ? wide() : below(50) * MS;
    steps[i].loss_ppm = below(8) == 0 ? number() : below(100000);
    steps[i].queue_ms = below(8) == 0 ? number() : below(500);
  }
  msdk_network_script it = MSDK_INIT(msdk_network_script);
  it.step_count = below(3) == 0 ? below(5) : 0; /* mostly a good network */
  it.steps = below(10) == 0 ? NULL : steps;
  it.seed = random_next(&seed);
  it.user_id = text();
  it.struct_size = struct_size(sizeof it);
  msdk_room_script_network(some_engine(), below(2) == 0 ? "loopback:fuzz" : text(), &it);
}

static msdk_result decide(void *user, const msdk_access_request *request, uint32_t *permissions) {
  (void)user, (void)request;
  if (below(12) == 0) msdk_session_destroy(handle(SESSION));
  if (below(4) == 0) *permissions = number();
  return below(4) == 0 ? (msdk_result)number() : MSDK_OK;
}

/* Doors, and moderators. Mostly open ones, as a call needs people. */
static void doors(void) {
  msdk_room_options options = MSDK_INIT(msdk_room_options);
  options.capacity = goes_wrong(8) ? number() : below(4) == 0 ? 1 + below(8) : 0;
  options.duplicates = goes_wrong(8) ? number() : below(2);
  options.permissions = goes_wrong(8) ? number() : 31;
  options.pulled = goes_wrong(8) ? number() : below(8) == 0;
  if (below(4) == 0) options.verify = decide;
  options.struct_size = struct_size(sizeof options);
  const char *url = below(8) == 0 ? text() : "loopback:fuzz";
  if (below(8) == 0) msdk_room_configure(some_engine(), url, below(2) == 0 ? NULL : &options);
  msdk_access_request request = MSDK_INIT(msdk_access_request);
  request.struct_size = struct_size(sizeof request);
  msdk_room_next_request(some_engine(), url, 0, &request);
  msdk_room_answer(some_engine(), url, below(2) == 0 ? request.id : number(), below(3) == 0 ? (msdk_result)number() : MSDK_OK, below(40));
  char user[16];
  snprintf(user, sizeof user, "user-%u", below(200));
  if (below(4) == 0) msdk_session_remove_participant(handle(SESSION), below(8) == 0 ? text() : user, text());
  msdk_session_mute_participant(handle(SESSION), below(8) == 0 ? text() : user, wild ? number() : below(2));
}

static void receive(void) {
  msdk_incoming_video_options options = MSDK_INIT(msdk_incoming_video_options);
  if (goes_wrong(2)) options.pixel_format = pixel_formats[below(PIXEL_FORMATS)];
  if (goes_wrong(3)) options.width = options.height = below(12) == 0 ? number() % 20000 : 1 + below(100);
  options.delivery = goes_wrong(10) ? number() : below(2);
  options.output = goes_wrong(10) ? number() : below(3);
  options.queue_capacity = goes_wrong(4) ? number() : 0;
  options.queue_policy = goes_wrong(4) ? number() : below(2);
  options.struct_size = struct_size(sizeof options);
  if (options.width > 2000) options.width = options.height = 2000; /* 16384 squared a frame would only be slow */
  msdk_incoming_video_start(handle(INCOMING), below(4) == 0 ? NULL : &options);
}

#include "fuzz_sound.h"

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

static void take_frames(void) {
  msdk_video_frame *picture = NULL;
  msdk_encoded_frame *bits = NULL;
  if (msdk_incoming_video_read(handle(INCOMING), 0, &picture) >= 0) {
    frames_taken++;
    keep_frame(picture);
  }
  if (msdk_incoming_video_read_encoded(handle(INCOMING), 0, &bits) >= 0) keep_encoded(bits);
}

static void send_one(void) {
  void *stream = handle(OUTGOING);
  msdk_frame_sender *sender = NULL;
  msdk_video_frame *picture = NULL;
  if (msdk_outgoing_video_sender(stream, &sender) >= 0) keep(SENDER, sender);
  if (below(8) == 0) sender = handle(SENDER);
  if (msdk_frame_sender_acquire(sender, 0, &picture) >= 0) {
    picture_fill(picture, (int)below(256));
    msdk_frame_sender_send(sender, picture, below(4) == 0 ? wide() : 0, below(2) ? on_fuzz_report : NULL, NULL);
    msdk_video_frame_unref(picture);
  }
  msdk_frame_sender_send(sender, frame(), wide(), below(2) ? on_fuzz_report : NULL, NULL);
  msdk_frame_sender_send_encoded(sender, below(8) == 0 ? handle(OUTGOING) : encoded[below(KEPT)], wide(), below(2) ? on_fuzz_report : NULL,
                                 NULL);
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
}

static void make_instance(void) {
  msdk_instance *made = NULL;
  if (msdk_instance_create(some_engine(), text(), &made) >= 0) keep(INSTANCE, made);
}

static void convert(void) {
  msdk_video_format wanted = format();
  if (wanted.width > 2000) wanted.width = 100;
  if (wanted.height > 2000) wanted.height = 100;
  msdk_video_frame *made = NULL;
  if (msdk_video_frame_convert(frame(), &wanted, &made) >= 0) keep_frame(made);
  msdk_video_frame_convert_into(frame(), (msdk_video_frame *)(uintptr_t)frame());
}

/* Every pointer out has room for the struct, whatever its struct_size says beyond. */
static void ask(void) {
  static union {
    uint32_t size;
    uint8_t bytes[2048];
  } room;
  uint32_t state, kind = below(3) == 0 ? number() : 1u << below(4);
  int32_t descriptor;
  memset(&room, 0, sizeof room);
  room.size = below(4) == 0 ? number() : 400;
  void *out = below(12) == 0 ? NULL : &room;
  switch (below(17)) {
  case 0: msdk_session_stats_get(handle(SESSION), out); break;
  case 1: msdk_outgoing_video_stats_get(handle(OUTGOING), out); break;
  case 2: msdk_incoming_video_stats_get(handle(INCOMING), out); break;
  case 3: msdk_engine_stats_get(some_engine(), out); break;
  case 4: msdk_frame_layout_get(pixel_formats[below(PIXEL_FORMATS)], number(), number(), number(), out); break;
  case 5: msdk_video_limit_at(below(3), below(3), number(), out); break;
  case 6: msdk_engine_class_at(some_engine(), below(9), out); break;
  case 7: msdk_engine_class_param_at(some_engine(), text(), below(14), out); break;
  case 8: msdk_frame_sender_format(handle(SENDER), out); break;
  case 9: msdk_instance_format_at(handle(INSTANCE), below(3), out); break;
  case 10: msdk_outgoing_video_read_report(handle(OUTGOING), 0, out); break;
  case 11: msdk_session_state(handle(SESSION), &state); msdk_outgoing_video_state(handle(OUTGOING), &state); break;
  case 12: msdk_incoming_video_state(handle(INCOMING), &state); msdk_instance_state(handle(INSTANCE), kind, &state); break;
  case 13: msdk_session_event_fd(handle(SESSION), &descriptor); msdk_incoming_video_fd(handle(INCOMING), &descriptor); break;
  case 14: room.size = sizeof(msdk_participant); msdk_session_participants(handle(SESSION), out, below(3), &state); break;
  case 15: {
    msdk_video_format asked = format();
    msdk_video_limit_check(below(3), below(3), &asked);
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
  case 1: msdk_outgoing_video_attach_renderer(handle(OUTGOING), handle(INSTANCE)); break;
  case 2: msdk_outgoing_video_detach_renderer(handle(OUTGOING), handle(INSTANCE)); break;
  case 3: msdk_incoming_video_attach_renderer(handle(INCOMING), handle(INSTANCE)); break;
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

static void references(void) {
  const msdk_video_frame *it = frames[below(KEPT)];
  if (it != NULL && msdk_video_frame_ref(it) >= 0) msdk_video_frame_unref(it);
  msdk_video_frame_references(frame());
  msdk_video_frame_unref(below(2) == 0 ? NULL : (const msdk_video_frame *)(uintptr_t)(random_next(&seed) | 1));
  uint32_t place = below(KEPT);
  msdk_video_frame_unref(frames[place]);
  frames[place] = NULL;
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
  switch (below(49)) {
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
