/* incoming_audio.h: each way of taking sound, queues, stopping, options, states. */
#include "audio_classes.h"

#include <poll.h>
#include <pthread.h>

static sound_call *plain_call(uint32_t clock, const msdk_incoming_audio_options *receive) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  return sound_open(clock, &options, receive);
}

/* ------------------------------------------------------------------------------------------------------------ ways to take */

static void reading(void) {
  static const uint32_t clocks[] = {MSDK_CLOCK_VIRTUAL, MSDK_CLOCK_SYSTEM};
  for (int i = 0; i < 2; i++) {
    sound_call *it = plain_call(clocks[i], NULL);
    msdk_audio_frame *frame = NULL;
    CHECK_ERROR(msdk_incoming_audio_read(it->heard.stream, 0, NULL), MSDK_E_INVALID, "out");
    CHECK_RESULT(msdk_incoming_audio_read(it->heard.stream, 0, &frame), MSDK_E_AGAIN);
    for (int n = 0; n < 10; n++) {
      CHECK_OK(voice_send(&it->voice));
      frame = sound_wait(it->engine, it->heard.stream);
      NEED(frame != NULL);
      CHECK_EQ(frame->sequence, n + 1);
      CHECK_OK(msdk_audio_frame_unref(frame));
      run_for(it->engine, 20 * MS);
    }
    msdk_incoming_audio_stats stats = heard_stats(it->heard.stream);
    CHECK_EQ(stats.buffers_delivered, 10);
    CHECK_EQ(stats.buffers_dropped, 0);
    CHECK_EQ(stats.packets_lost, 0);
    CHECK_EQ(stats.bytes_received, 10 * 1920);
    CHECK_EQ(stats.state, MSDK_INCOMING_STARTED);
    sound_close(it);
  }
}

static void full_queues_follow_their_policy(void) {
  for (uint32_t policy = 0; policy < 2; policy++) {
    msdk_incoming_audio_options receive = hearing_options(0, 0, 0, 0);
    receive.queue_policy = policy;
    receive.queue_ms = 100;
    sound_call *it = plain_call(MSDK_CLOCK_VIRTUAL, &receive);
    talk(it->engine, (voice *[]){&it->voice}, 1, NULL, 0, 400 * MS); /* twenty buffers, nobody reads */
    msdk_incoming_audio_stats stats = heard_stats(it->heard.stream);
    CHECK_EQ(stats.buffers_dropped, 15);
    uint64_t first = policy == MSDK_POLICY_DROP_OLDEST ? 16 : 1;
    for (uint64_t sequence = first; sequence < first + 5; sequence++) {
      msdk_audio_frame *frame = NULL;
      NEED(CHECK_OK(msdk_incoming_audio_read(it->heard.stream, 0, &frame)));
      CHECK_EQ(frame->sequence, sequence);
      msdk_audio_frame_unref(frame);
    }
    CHECK_EQ(heard_stats(it->heard.stream).buffers_delivered, 5);
    sound_close(it);
  }
}

static void the_queue_is_of_half_a_second(void) {
  sound_call *it = plain_call(MSDK_CLOCK_VIRTUAL, NULL);
  talk(it->engine, (voice *[]){&it->voice}, 1, NULL, 0, 3 * SECOND);
  heard_drain(&it->heard, it->engine);
  CHECK_EQ(it->heard.frames, 25);
  CHECK_EQ(it->heard.last_sequence, 150);
  sound_close(it);
}

static void the_descriptor_tells_of_buffers(void) {
  static const uint32_t clocks[] = {MSDK_CLOCK_VIRTUAL, MSDK_CLOCK_SYSTEM};
  for (int i = 0; i < 2; i++) {
    sound_call *it = plain_call(clocks[i], NULL);
    struct pollfd entry = {.fd = -1, .events = POLLIN};
    CHECK_OK(msdk_incoming_audio_get_fd(it->heard.stream, &entry.fd));
    CHECK_ERROR(msdk_incoming_audio_get_fd(it->heard.stream, NULL), MSDK_E_INVALID, "out");
    CHECK_EQ(poll(&entry, 1, 0), 0);
    for (int n = 0; n < 5; n++) {
      CHECK_OK(voice_send(&it->voice));
      run_for(it->engine, MS);
      CHECK_EQ(poll(&entry, 1, 5000), 1);
      msdk_audio_frame *frame = NULL;
      CHECK_OK(msdk_incoming_audio_read(it->heard.stream, 0, &frame));
      msdk_audio_frame_unref(frame);
      CHECK_EQ(poll(&entry, 1, 0), 0);
      run_for(it->engine, 19 * MS);
    }
    CHECK_OK(msdk_session_stop_audio(it->alice, it->voice.stream));
    run_for(it->engine, MS);
    CHECK_EQ(poll(&entry, 1, 5000), 1); /* the end is to be read, too */
    msdk_audio_frame *frame = NULL;
    CHECK_RESULT(msdk_incoming_audio_read(it->heard.stream, 0, &frame), MSDK_E_CLOSED);
    sound_close(it);
  }
}

typedef struct taken_sound {
  atomic_int count, inside;
  pthread_t thread;
  uint64_t last_sequence;
  sound_call *call;
  int stop_at, destroy_at;
} taken_sound;

static void on_sound(void *user, const msdk_audio_frame *frame) {
  taken_sound *taken = user;
  CHECK_EQ(atomic_fetch_add(&taken->inside, 1), 0);
  CHECK(frame->sequence > taken->last_sequence);
  CHECK(frame->sample_count > 0 && frame->planes[0] != NULL);
  taken->thread = pthread_self();
  taken->last_sequence = frame->sequence;
  int count = atomic_load(&taken->count) + 1;
  if (count == taken->stop_at) CHECK_OK(msdk_incoming_audio_stop(taken->call->heard.stream));
  if (count == taken->destroy_at) msdk_session_destroy(taken->call->bob);
  atomic_fetch_sub(&taken->inside, 1);
  atomic_store(&taken->count, count);
}

static void callbacks_in_place_of_the_queue(void) {
  static const uint32_t clocks[] = {MSDK_CLOCK_VIRTUAL, MSDK_CLOCK_SYSTEM};
  for (int i = 0; i < 2; i++) {
    taken_sound taken = {0};
    sound_call *it = plain_call(clocks[i], NULL);
    CHECK_OK(msdk_incoming_audio_set_frame_callback(it->heard.stream, on_sound, &taken));
    for (int n = 0; n < 10; n++) {
      CHECK_OK(voice_send(&it->voice));
      run_for(it->engine, 20 * MS);
      WAIT_UNTIL(atomic_load(&taken.count) == n + 1);
    }
    CHECK_EQ(atomic_load(&taken.count), 10);
    CHECK_EQ(pthread_equal(taken.thread, pthread_self()) != 0, clocks[i] == MSDK_CLOCK_VIRTUAL);
    msdk_audio_frame *frame = NULL;
    CHECK_RESULT(msdk_incoming_audio_read(it->heard.stream, 0, &frame), MSDK_E_AGAIN);
    CHECK_OK(msdk_incoming_audio_set_frame_callback(it->heard.stream, NULL, NULL));
    CHECK_OK(voice_send(&it->voice));
    frame = sound_wait(it->engine, it->heard.stream);
    CHECK(frame != NULL);
    msdk_audio_frame_unref(frame);
    CHECK_EQ(atomic_load(&taken.count), 10);
    sound_close(it);
  }
}

static void direct_delivery_is_on_the_sender_s_thread(void) {
  taken_sound taken = {0};
  msdk_incoming_audio_options receive = hearing_options(0, 0, 0, 0);
  receive.delivery = MSDK_DELIVERY_DIRECT;
  sound_call *it = plain_call(MSDK_CLOCK_SYSTEM, &receive);
  CHECK_OK(msdk_incoming_audio_set_frame_callback(it->heard.stream, on_sound, &taken));
  for (int n = 0; n < 20; n++) {
    voice_fill(&it->voice);
    /* With a time of its own: without one, what follows a pause that a busy machine made may wait for what was captured meanwhile. */
    CHECK_OK(msdk_outgoing_audio_send(it->voice.stream, it->voice.buffer, it->voice.size, msdk_engine_now(it->engine), 0, NULL, NULL));
    CHECK_EQ(atomic_load(&taken.count), n + 1); /* before send returned */
    CHECK(pthread_equal(taken.thread, pthread_self()));
    sleep_ms(21);
  }
  sound_close(it);
}

static void stopping_inside_the_callback(void) {
  static const uint32_t clocks[] = {MSDK_CLOCK_VIRTUAL, MSDK_CLOCK_SYSTEM};
  for (int i = 0; i < 8; i++) {
    sound_call *it = sound_join(clocks[i % 2]);
    msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 10);
    options.codec = i & 4 ? MSDK_CODEC_OPUS : MSDK_CODEC_RAW;
    msdk_incoming_audio_options receive = hearing_options(0, 0, 0, 0);
    receive.delivery = i & 2 ? MSDK_DELIVERY_DIRECT : MSDK_DELIVERY_QUEUED;
    NEED(sound_offer(it, &options));
    CHECK_OK(msdk_incoming_audio_start(it->heard.stream, &receive));
    sound_received(it);
    taken_sound taken = {.call = it, .stop_at = 4};
    CHECK_OK(msdk_incoming_audio_set_frame_callback(it->heard.stream, on_sound, &taken));
    for (int n = 0; n < 12; n++) {
      CHECK_OK(voice_send(&it->voice));
      run_for(it->engine, 10 * MS);
    }
    WAIT_UNTIL(atomic_load(&taken.count) == 4);
    CHECK_EQ(atomic_load(&taken.count), 4);
    uint32_t state = 0;
    for (int tries = 0; tries < 12000; tries++) {
      CHECK_OK(msdk_incoming_audio_get_state(it->heard.stream, &state));
      if (state == MSDK_INCOMING_STOPPED) break;
      run_for(it->engine, 5 * MS);
    }
    CHECK_EQ(state, MSDK_INCOMING_STOPPED);
    CHECK_OK(msdk_incoming_audio_start(it->heard.stream, &receive)); /* and again */
    taken.stop_at = 0;
    run_for(it->engine, 10 * MS);
    for (int n = 0; n < 6 || (n < 500 && atomic_load(&taken.count) < 7); n++) {
      CHECK_OK(voice_send(&it->voice));
      run_for(it->engine, 10 * MS);
    }
    WAIT_UNTIL(atomic_load(&taken.count) >= 7);
    CHECK(atomic_load(&taken.count) >= 7);
    sound_close(it);
  }
}

static void destroying_inside_the_callback(void) {
  static const uint32_t clocks[] = {MSDK_CLOCK_VIRTUAL, MSDK_CLOCK_SYSTEM};
  for (int i = 0; i < 4; i++) {
    msdk_incoming_audio_options receive = hearing_options(0, 0, 0, 0);
    receive.delivery = i & 2 ? MSDK_DELIVERY_DIRECT : MSDK_DELIVERY_QUEUED;
    sound_call *it = plain_call(clocks[i % 2], &receive);
    taken_sound taken = {.call = it, .destroy_at = 3};
    CHECK_OK(msdk_incoming_audio_set_frame_callback(it->heard.stream, on_sound, &taken));
    for (int n = 0; n < 8; n++) {
      voice_send(&it->voice);
      run_for(it->engine, 20 * MS);
    }
    WAIT_UNTIL(atomic_load(&taken.count) == 3);
    CHECK_EQ(atomic_load(&taken.count), 3);
    uint32_t state;
    CHECK(msdk_incoming_audio_get_state(it->heard.stream, &state) < 0);
    WAIT_UNTIL(sound_stats(it->voice.stream).receivers == 0);
    CHECK_EQ(sound_stats(it->voice.stream).receivers, 0);
    sound_close(it);
  }
}

static void a_renderer_beside_a_reader(void) {
  sound_call *it = plain_call(MSDK_CLOCK_VIRTUAL, NULL);
  CHECK_OK(msdk_engine_register_module(it->engine, &audio_module));
  audio_sight_clear();
  msdk_instance *sink = instance_of(it->engine, "org.mediasdk.test.earphone");
  CHECK_OK(msdk_incoming_audio_attach_renderer(it->heard.stream, sink));
  sound_talk(it, SECOND);
  CHECK_EQ(it->heard.frames, 50);
  CHECK_EQ(atomic_load(&sight_earphone.frames), 50);
  CHECK_EQ(heard_stats(it->heard.stream).buffers_rendered, 50);
  CHECK_EQ(heard_stats(it->heard.stream).buffers_delivered, 50);
  talk(it->engine, (voice *[]){&it->voice}, 1, NULL, 0, 2 * SECOND); /* nobody reads: dropped as the policy says, rendered all the same */
  CHECK_EQ(atomic_load(&sight_earphone.frames), 150);
  CHECK_EQ(heard_stats(it->heard.stream).buffers_dropped, 0); /* rendered is not dropped */
  CHECK_OK(msdk_incoming_audio_detach_renderer(it->heard.stream, sink));
  CHECK(msdk_incoming_audio_detach_renderer(it->heard.stream, sink) < 0);
  int frames = atomic_load(&sight_earphone.frames);
  sound_talk(it, 200 * MS);
  CHECK_EQ(atomic_load(&sight_earphone.frames), frames);
  msdk_instance *many[9];
  for (int i = 0; i < 9; i++) {
    many[i] = instance_of(it->engine, "org.mediasdk.test.earphone");
    msdk_result result = msdk_incoming_audio_attach_renderer(it->heard.stream, many[i]);
    CHECK(i < 8 ? result >= 0 : result < 0);
  }
  for (int i = 0; i < 9; i++) msdk_instance_destroy(many[i]);
  msdk_instance_destroy(sink);
  sound_close(it);
}

/* ---------------------------------------------------------------------------------------------------------- options, states */

static msdk_result start_with(msdk_incoming_audio *stream, msdk_incoming_audio_options options) {
  options.struct_size = sizeof options;
  msdk_incoming_audio_stop(stream);
  return msdk_incoming_audio_start(stream, &options);
}

static void options_are_checked(void) {
  sound_call *it = plain_call(MSDK_CLOCK_VIRTUAL, NULL);
#define ACCEPTED(...) CHECK_OK(start_with(it->heard.stream, (msdk_incoming_audio_options){__VA_ARGS__}))
#define REFUSED(word, number, ...)                                                                                   \
  do {                                                                                                               \
    msdk_result result = start_with(it->heard.stream, (msdk_incoming_audio_options){__VA_ARGS__});                   \
    CHECK(result == MSDK_E_RANGE || result == MSDK_E_INVALID || result == MSDK_E_UNSUPPORTED);                       \
    CHECK_STR_CONTAINS(msdk_last_error(), word);                                                                     \
    CHECK_STR_CONTAINS(msdk_last_error(), number);                                                                   \
  } while (0)
  for (int i = 0; i < 6; i++) ACCEPTED(.sample_rate = sound_rates[i]);
  for (uint32_t i = 0; i <= 2; i++) {
    ACCEPTED(.channels = i);
    ACCEPTED(.sample_format = i);
  }
  for (uint32_t ms = 0; ms <= 100; ms += 10) ACCEPTED(.buffer_ms = ms);
  ACCEPTED(.queue_ms = 20);
  ACCEPTED(.queue_ms = 60000);
  REFUSED("sample_rate", "8000", .sample_rate = 8000);
  REFUSED("sample_rate", "96000", .sample_rate = 96000);
  REFUSED("channels", "3", .channels = 3);
  REFUSED("sample_format", "3", .sample_format = 3);
  REFUSED("buffer_ms", "15", .buffer_ms = 15);
  REFUSED("buffer_ms", "110", .buffer_ms = 110);
  REFUSED("delivery", "2", .delivery = 2);
  REFUSED("output", "3", .output = 3);
  REFUSED("output", "raw", .output = MSDK_OUTPUT_ENCODED); /* there are no packets */
  REFUSED("output", "raw", .output = MSDK_OUTPUT_BOTH);
  REFUSED("queue_ms", "19", .queue_ms = 19);
  REFUSED("queue_ms", "60001", .queue_ms = 60001);
  REFUSED("queue_policy", "WAIT", .queue_policy = MSDK_POLICY_WAIT);
  REFUSED("queue_policy", "99", .queue_policy = 99);
  static const double wrong[] = {-1, 8.1, NAN, INFINITY};
  for (int i = 0; i < 4; i++) CHECK_ERROR(msdk_incoming_audio_set_gain(it->heard.stream, wrong[i]), MSDK_E_RANGE, "gain");
  sound_close(it);
}

static uint32_t state_now(msdk_incoming_audio *stream) {
  uint32_t state = UINT32_MAX;
  CHECK_OK(msdk_incoming_audio_get_state(stream, &state));
  CHECK_EQ(heard_stats(stream).state, state);
  return state;
}

static void states(void) {
  sound_call *it = sound_join(MSDK_CLOCK_VIRTUAL);
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  NEED(sound_offer(it, &options));
  msdk_incoming_audio *stream = it->heard.stream;
  msdk_audio_frame *frame = NULL;
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK_EQ(state_now(stream), MSDK_INCOMING_AVAILABLE);
  CHECK_EQ(engine_stats(it->engine).incoming_audios, 1);
  CHECK_RESULT(msdk_incoming_audio_read(stream, 0, &frame), MSDK_E_STATE);
  CHECK_OK(msdk_incoming_audio_stop(stream));
  sound_talk(it, 100 * MS);
  CHECK_EQ(heard_stats(stream).packets_received, 0); /* nothing is received before it is started */
  CHECK_EQ(session_stats(it->bob).bytes_received, 0);
  CHECK_OK(msdk_incoming_audio_start(stream, NULL));
  CHECK_RESULT(msdk_incoming_audio_start(stream, NULL), MSDK_E_STATE);
  CHECK_EQ(state_now(stream), MSDK_INCOMING_STARTED);
  CHECK(event_wait(it->engine, it->bob, MSDK_EVENT_INCOMING_AUDIO_STATE, &event));
  CHECK(event.incoming_audio == stream && strcmp(event.user_id, "alice") == 0);
  run_for(it->engine, MS);
  it->voice.begin_ns = 0, it->voice.position = 0;
  sound_talk(it, 100 * MS);
  CHECK_EQ(it->heard.frames, 5);
  talk(it->engine, (voice *[]){&it->voice}, 1, NULL, 0, 100 * MS);
  CHECK_OK(msdk_incoming_audio_stop(stream)); /* buffers that wait are gone */
  CHECK_OK(msdk_incoming_audio_stop(stream));
  CHECK_EQ(state_now(stream), MSDK_INCOMING_STOPPED);
  msdk_result result = msdk_incoming_audio_read(stream, 0, &frame);
  CHECK(result == MSDK_E_STATE || result == MSDK_E_CLOSED);
  CHECK_OK(msdk_incoming_audio_start(stream, NULL));
  CHECK_RESULT(msdk_incoming_audio_read(stream, 0, &frame), MSDK_E_AGAIN);
  run_for(it->engine, MS);
  talk(it->engine, (voice *[]){&it->voice}, 1, NULL, 0, 100 * MS);
  CHECK_OK(msdk_session_stop_audio(it->alice, it->voice.stream)); /* what arrived can still be read */
  run_for(it->engine, MS);
  CHECK_EQ(state_now(stream), MSDK_INCOMING_NOT_AVAILABLE);
  int frames = 0;
  while ((result = msdk_incoming_audio_read(stream, 0, &frame)) >= 0) {
    frames++;
    msdk_audio_frame_unref(frame);
  }
  CHECK_RESULT(result, MSDK_E_CLOSED);
  CHECK_RANGE(frames, 4, 6);
  CHECK_OK(msdk_incoming_audio_stop(stream));
  CHECK_RESULT(msdk_incoming_audio_start(stream, NULL), MSDK_E_CLOSED);
  CHECK(event_wait(it->engine, it->bob, MSDK_EVENT_INCOMING_AUDIO_REMOVED, &event));
  CHECK(event.incoming_audio == stream);
  sound_close(it);
}

static pid_t reader;

static void *stop_what_is_read(void *stream) {
  wait_asleep(reader);
  CHECK_OK(msdk_incoming_audio_stop(stream));
  return NULL;
}

static void readers_are_woken(void) {
  sound_call *it = plain_call(MSDK_CLOCK_SYSTEM, NULL);
  msdk_audio_frame *frame = NULL;
  pthread_t thread;
  reader = gettid();
  CHECK_EQ(pthread_create(&thread, NULL, stop_what_is_read, it->heard.stream), 0);
  CHECK_RESULT(msdk_incoming_audio_read(it->heard.stream, MSDK_WAIT_FOREVER, &frame), MSDK_E_CLOSED);
  pthread_join(thread, NULL);
  sound_close(it);
}

static void gain_of_one_participant(void) {
  sound_call *it = plain_call(MSDK_CLOCK_VIRTUAL, NULL);
  sound_talk(it, 300 * MS);
  double amplitude = 0;
  CHECK(heard_tone(&it->heard, 0, 440, &amplitude, NULL) < -60);
  CHECK_RANGE(amplitude, 0.49, 0.51);
  CHECK_OK(msdk_incoming_audio_set_gain(it->heard.stream, 0.25));
  sound_talk(it, 40 * MS);
  CHECK_RANGE(samples_step(it->heard.samples, it->heard.count, 1), 0, 0.5 * 2 * PI * 440 / 48000 + 0.4 / 960); /* no click */
  heard_forget(&it->heard);
  sound_talk(it, 300 * MS);
  CHECK(heard_tone(&it->heard, 0, 440, &amplitude, NULL) < -60);
  CHECK_RANGE(amplitude, 0.12, 0.13);
  sound_close(it);
}

int main(int argc, char **argv) {
  RUN(reading);
  RUN(full_queues_follow_their_policy);
  RUN(the_queue_is_of_half_a_second);
  RUN(the_descriptor_tells_of_buffers);
  RUN(callbacks_in_place_of_the_queue);
  RUN(direct_delivery_is_on_the_sender_s_thread);
  RUN(stopping_inside_the_callback);
  RUN(destroying_inside_the_callback);
  RUN(a_renderer_beside_a_reader);
  RUN(options_are_checked);
  RUN(states);
  RUN(readers_are_woken);
  RUN(gain_of_one_participant);
  return check_finish();
}
