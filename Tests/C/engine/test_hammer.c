/* Eight threads create, use and destroy whatever they find in shared places, at random, for five seconds (ten where everything is slow, or
 * as many as the second argument says). Any result is fine; no crash, no hang, nothing left over. The seed is the first argument's. */
#include "audio_classes.h"
#include "sending.h"

enum { THREADS = 8, PLACES = 6 };

static _Atomic(msdk_engine *) engines[2];
static _Atomic(msdk_session *) sessions[PLACES];
static _Atomic(msdk_outgoing_video *) outgoing[PLACES];
static _Atomic(msdk_incoming_video *) incoming[PLACES];
static _Atomic(msdk_instance *) instances[PLACES];
static _Atomic(msdk_outgoing_audio *) sound_out[PLACES];
static _Atomic(msdk_incoming_audio *) sound_in[PLACES];
static atomic_int stop, frames_read, frames_sent, sounds_read, sounds_sent;

/* Callbacks that start their own stream anew, now and then. */
static void on_any_frame(void *user, const msdk_video_frame *frame) {
  if (frame->sequence % 8 != 0 || msdk_incoming_video_stop(user) < 0) return;
  msdk_incoming_video_start(user, NULL);
}
static void on_any_report(void *user, const msdk_frame_report *report) {
  msdk_session *session = atomic_load(&sessions[report->sequence % PLACES]);
  if (report->sequence % 8 == 0 && msdk_session_stop_video(session, user) >= 0) msdk_session_start_video(session, user);
}
static void on_any_event(void *user, const msdk_event *event) {
  (void)user;
  if (event->incoming_video != NULL) atomic_store(&incoming[0], event->incoming_video);
}

static void make_session(msdk_engine *engine, uint32_t place, uint64_t *seed) {
  char name[16], url[32];
  snprintf(name, sizeof name, "u%u", random_below(seed, 1000));
  snprintf(url, sizeof url, "loopback:hammer-%u", random_below(seed, 2));
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = url;
  options.user_id = name;
  options.event_capacity = 16;
  msdk_session *session = NULL;
  if (msdk_session_create(engine, &options, &session) < 0) return;
  msdk_session_connect(session);
  msdk_session_destroy(atomic_exchange(&sessions[place], session));
}

static void make_stream(msdk_engine *engine, uint32_t place, uint64_t *seed) {
  msdk_video_format formats[2] = {format_of(MSDK_PIXEL_NV12, 64, 48, 30), format_of(MSDK_PIXEL_NV12, 32, 24, 30)};
  msdk_outgoing_video_options options =
    outgoing_options(random_below(seed, 2) == 0 ? MSDK_CODEC_RAW : MSDK_CODEC_VP8, formats, 1 + random_below(seed, 2));
  msdk_outgoing_video *stream = NULL;
  if (msdk_outgoing_video_create(engine, &options, &stream) < 0) return;
  msdk_outgoing_video_destroy(atomic_exchange(&outgoing[place], stream));
}

static void make_instance(msdk_engine *engine, uint32_t place, uint64_t *seed) {
  static const char *const ids[] = {"org.mediasdk.test.sink", "org.mediasdk.test.filter",   "org.mediasdk.test.pull",
                                    "org.mediasdk.test.push", "org.mediasdk.test.mic",      "org.mediasdk.test.push_mic",
                                    "org.mediasdk.test.packets", "org.mediasdk.test.earphone"};
  msdk_instance *instance = NULL;
  if (msdk_instance_create(engine, ids[random_below(seed, 8)], NULL, &instance) < 0) return;
  msdk_instance_destroy(atomic_exchange(&instances[place], instance));
}

static void renew_engine(uint32_t place) {
  msdk_engine_options options = MSDK_INIT(msdk_engine_options);
  options.ignore_environment = 1;
  msdk_engine *engine = NULL;
  if (msdk_engine_create(&options, &engine) < 0) return;
  msdk_engine_register_module(engine, &test_module);
  msdk_engine_register_module(engine, &audio_module);
  msdk_engine_destroy(atomic_exchange(&engines[place], engine));
}

static void take_events(msdk_session *session, uint32_t place) {
  msdk_event event = MSDK_INIT(msdk_event);
  for (int i = 0; i < 16 && msdk_session_next_event(session, 1, &event) >= 0; i++) {
    if (event.type == MSDK_EVENT_INCOMING_VIDEO_ADDED) {
      msdk_incoming_video_start(event.incoming_video, NULL);
      atomic_store(&incoming[place], event.incoming_video);
    }
    if (event.type == MSDK_EVENT_INCOMING_AUDIO_ADDED) {
      msdk_incoming_audio_start(event.incoming_audio, NULL);
      atomic_store(&sound_in[place], event.incoming_audio);
    }
    event = MSDK_INIT(msdk_event);
  }
}

static void send_some(msdk_outgoing_video *stream, uint32_t index) {
  msdk_frame_sender *sender = NULL;
  msdk_video_frame *frame = NULL;
  if (msdk_outgoing_video_get_sender(stream, &sender) < 0 || msdk_frame_sender_acquire(sender, 1, &frame) < 0) return;
  picture_fill(frame, (int)(index & 255));
  if (msdk_frame_sender_send(sender, frame, 0, on_any_report, stream) >= 0) atomic_fetch_add(&frames_sent, 1);
  msdk_video_frame_unref(frame);
}

static void read_some(msdk_incoming_video *stream) {
  msdk_video_frame *frame = NULL;
  if (msdk_incoming_video_read(stream, 1, &frame) < 0) return;
  atomic_fetch_add(&frames_read, 1);
  msdk_video_frame_unref(frame);
}

/* Of streams that may be gone. */
static void heard_stats_any(msdk_incoming_audio *stream) {
  msdk_incoming_audio_stats stats = MSDK_INIT(msdk_incoming_audio_stats);
  msdk_incoming_audio_get_stats(stream, &stats);
}

static void on_any_sound(void *user, const msdk_audio_frame *frame) {
  if (frame->sequence % 8 != 0 || msdk_incoming_audio_stop(user) < 0) return;
  msdk_incoming_audio_start(user, NULL);
}

static void make_sound_stream(msdk_engine *engine, uint32_t place, uint64_t *seed) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 10);
  options.codec = random_below(seed, 2) == 0 ? MSDK_CODEC_RAW : MSDK_CODEC_OPUS;
  options.complexity = 1;
  msdk_outgoing_audio *stream = NULL;
  if (msdk_outgoing_audio_create(engine, &options, &stream) < 0) return;
  msdk_outgoing_audio_destroy(atomic_exchange(&sound_out[place], stream));
}

static void one_sound_step(uint64_t *seed) {
  static const int16_t silence[480];
  uint32_t place = random_below(seed, PLACES);
  msdk_engine *engine = atomic_load(&engines[random_below(seed, 2)]);
  msdk_session *session = atomic_load(&sessions[place]);
  msdk_outgoing_audio *out = atomic_load(&sound_out[random_below(seed, PLACES)]);
  msdk_incoming_audio *in = atomic_load(&sound_in[random_below(seed, PLACES)]), *mix = NULL;
  msdk_instance *instance = atomic_load(&instances[random_below(seed, PLACES)]);
  msdk_incoming_audio_options hear = MSDK_INIT(msdk_incoming_audio_options);
  hear.delivery = random_below(seed, 2);
  hear.sample_rate = random_below(seed, 2) == 0 ? 0 : 16000;
  msdk_audio_frame *frame = NULL;
  switch (random_below(seed, 26)) {
  case 0: make_sound_stream(engine, place, seed); break;
  case 1: msdk_outgoing_audio_destroy(atomic_exchange(&sound_out[place], NULL)); break;
  case 2: case 3: case 4: msdk_session_start_audio(session, out); break;
  case 5: msdk_session_stop_audio(session, out); break;
  case 6: case 7: msdk_incoming_audio_start(in, &hear); break;
  case 8: msdk_incoming_audio_stop(in); break;
  case 9: if (msdk_session_get_mixed_audio(session, &mix) >= 0) atomic_store(&sound_in[place], mix); break;
  case 10: msdk_incoming_audio_attach_renderer(in, instance); break;
  case 11: msdk_incoming_audio_detach_renderer(in, instance); break;
  case 12: msdk_outgoing_audio_attach_producer(out, random_below(seed, 2) == 0 ? instance : NULL); break;
  case 13: msdk_incoming_audio_set_frame_callback(in, random_below(seed, 2) == 0 ? on_any_sound : NULL, in); break;
  case 14: msdk_outgoing_audio_set_muted(out, random_below(seed, 2)); break;
  case 15: msdk_outgoing_audio_set_gain(out, 0.5); msdk_incoming_audio_set_gain(in, 2); break;
  case 16: msdk_outgoing_audio_flush(out); break;
  case 17: msdk_outgoing_audio_wait_played(out, 1); break;
  case 18: msdk_outgoing_audio_set_bitrate(out, 6000 + random_below(seed, 60000)); break;
  case 19: heard_stats_any(in); break;
  case 20: case 21: case 22:
    if (msdk_outgoing_audio_send(out, silence, sizeof silence, 0, random_below(seed, 2), NULL, NULL) < 0) break;
    atomic_fetch_add(&sounds_sent, 1);
    break;
  default:
    if (msdk_incoming_audio_read(in, 1, &frame) < 0) break;
    atomic_fetch_add(&sounds_read, 1);
    msdk_audio_frame_unref(frame);
    break;
  }
}

static void one_step(uint64_t *seed) {
  if (random_below(seed, 2) == 0) {
    one_sound_step(seed);
    return;
  }
  uint32_t place = random_below(seed, PLACES);
  msdk_engine *engine = atomic_load(&engines[random_below(seed, 2)]);
  msdk_session *session = atomic_load(&sessions[place]);
  msdk_outgoing_video *out = atomic_load(&outgoing[random_below(seed, PLACES)]);
  msdk_incoming_video *in = atomic_load(&incoming[random_below(seed, PLACES)]);
  msdk_instance *instance = atomic_load(&instances[random_below(seed, PLACES)]);
  msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
  receive.delivery = random_below(seed, 2);
  msdk_network_step step = network_step(0, random_below(seed, 2) == 0 ? 0 : 50000);
  step.flags = random_below(seed, 30) == 0 ? MSDK_NETWORK_DISCONNECTED : 0;
  step.loss_ppm = random_below(seed, 100000);
  switch (random_below(seed, 40)) {
  case 0: if (random_below(seed, 20) == 0) renew_engine(random_below(seed, 2)); break;
  case 1: if (random_below(seed, 2) == 0) make_session(engine, place, seed); break;
  case 2: make_stream(engine, place, seed); break;
  case 3: make_instance(engine, place, seed); break;
  case 4: if (random_below(seed, 3) == 0) msdk_session_destroy(atomic_exchange(&sessions[place], NULL)); break;
  case 5: msdk_outgoing_video_destroy(atomic_exchange(&outgoing[place], NULL)); break;
  case 6: msdk_instance_destroy(atomic_exchange(&instances[place], NULL)); break;
  case 7: if (random_below(seed, 4) == 0) msdk_session_disconnect(session); break;
  case 8: msdk_session_connect(session); break;
  case 9: case 10: case 11: msdk_session_start_video(session, out); break;
  case 12: msdk_session_stop_video(session, out); break;
  case 13: case 14: case 15: take_events(session, place); break;
  case 16: case 17: msdk_incoming_video_start(in, &receive); break;
  case 18: msdk_incoming_video_stop(in); break;
  case 19: msdk_incoming_video_attach_renderer(in, instance, NULL); break;
  case 20: msdk_incoming_video_detach_renderer(in, instance); break;
  case 21: msdk_outgoing_video_attach_producer(out, random_below(seed, 2) == 0 ? instance : NULL); break;
  case 22: msdk_outgoing_video_attach_renderer(out, instance, NULL); break;
  case 23: msdk_instance_attach_renderer(instance, atomic_load(&instances[place])); break;
  case 24: msdk_incoming_video_set_frame_callback(in, random_below(seed, 2) == 0 ? on_any_frame : NULL, in); break;
  case 25: msdk_session_set_event_callback(session, random_below(seed, 4) == 0 ? on_any_event : NULL, NULL); break;
  case 26: network_set(engine, "loopback:hammer-0", &step, random_below(seed, 2), random_next(seed)); break;
  case 27: msdk_incoming_video_request_key_frame(in); break;
  case 28: msdk_outgoing_video_set_bitrate(out, 10000 + random_below(seed, 1000000), 0, 0); break;
  case 29: msdk_instance_release(instance); break;
  case 30: msdk_instance_set_param_text(instance, "level", "5"); break;
  default: if (random_below(seed, 3) == 0) read_some(in); else send_some(out, place); break;
  }
}

static void *hammer(void *argument) {
  uint64_t seed = (uint64_t)(uintptr_t)argument;
  while (!atomic_load(&stop)) {
    one_step(&seed);
    if (random_below(&seed, 10) == 0) sleep_ms(1);
  }
  return NULL;
}

/* Everybody has left: a visitor is alone in each room. */
static void visit_rooms(void) {
  for (int i = 0; i < 2; i++) {
    char url[32];
    snprintf(url, sizeof url, "loopback:hammer-%d", i);
    msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
    msdk_session *visitor = join(engine, url, "visitor");
    CHECK_EQ(people_of(visitor, NULL, 0), 1);
    msdk_session_destroy(visitor);
    msdk_engine_destroy(engine);
  }
}

int main(int argc, char **argv) {
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
  int seconds = argc > 2 ? atoi(argv[2]) : under_tools() ? 10 : 5;
  int before = process_threads();
  for (uint32_t i = 0; i < 2; i++) renew_engine(i);
  pthread_t threads[THREADS];
  for (uint64_t i = 0; i < THREADS; i++) {
    CHECK_EQ(pthread_create(&threads[i], NULL, hammer, (void *)(uintptr_t)(seed * 100 + i)), 0);
  }
  sleep_ms(seconds * 1000);
  atomic_store(&stop, 1);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (uint32_t i = 0; i < 2; i++) msdk_engine_destroy(atomic_load(&engines[i]));
  printf("seed %" PRIu64 ": %d frames sent, %d read; of sound %d, %d\n", seed, atomic_load(&frames_sent), atomic_load(&frames_read),
         atomic_load(&sounds_sent), atomic_load(&sounds_read));
  CHECK(atomic_load(&sounds_sent) > 0 && atomic_load(&sounds_read) > 0);
  CHECK(atomic_load(&frames_sent) > 0 && atomic_load(&frames_read) > 0);
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_EQ(engine_stats(engine).frames, 0);
  CHECK_EQ(engine_stats(engine).encoded_frames, 0);
  CHECK_EQ(engine_stats(engine).audio_frames, 0);
  msdk_engine_destroy(engine);
  visit_rooms();
  CHECK_COMES_BACK(process_threads(), before);
  return check_finish();
}
