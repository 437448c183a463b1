/* session.h: events by pulling, by descriptor, by callback; the bounded queue. */
#include "waiting.h"

#include <pthread.h>

static void the_descriptor_tells_of_events(void) {
  static const uint32_t clocks[] = {MSDK_CLOCK_VIRTUAL, MSDK_CLOCK_SYSTEM};
  for (int i = 0; i < 2; i++) {
    msdk_engine *engine = engine_new(clocks[i]);
    msdk_session *session = session_new(engine, room_new(), "alice");
    int32_t descriptor = -1;
    CHECK_OK(msdk_session_get_event_fd(session, &descriptor));
    CHECK(descriptor >= 0);
    CHECK(!is_readable(descriptor, 0));
    CHECK_OK(msdk_session_connect(session));
    if (clocks[i] == MSDK_CLOCK_VIRTUAL) run_for(engine, MS);
    CHECK(is_readable(descriptor, 5000));
    CHECK(state_wait(engine, session, MSDK_SESSION_CONNECTED));
    msdk_event event = MSDK_INIT(msdk_event);
    CHECK_OK(msdk_session_next_event(session, 1000, &event));
    CHECK(is_readable(descriptor, 0)); /* the second still waits */
    CHECK_OK(msdk_session_next_event(session, 1000, &event));
    CHECK(!is_readable(descriptor, 0));
    CHECK_ERROR(msdk_session_get_event_fd(session, NULL), MSDK_E_INVALID, "out");
    msdk_session_destroy(session);
    msdk_engine_destroy(engine);
  }
}

/* Who sends learns when somebody receives the stream, and when nobody does any more. */
static void receivers_are_told(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 15);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  msdk_event event;
  NEED(call_offer(&it, &options));
  CHECK(!event_take(it.alice, MSDK_EVENT_RECEIVERS, &event));
  CHECK_OK(msdk_incoming_video_start(it.incoming, NULL));
  run_for(it.engine, 10 * MS);
  CHECK(event_take(it.alice, MSDK_EVENT_RECEIVERS, &event));
  CHECK(event.value == 1 && event.outgoing_video == it.outgoing && event.outgoing_audio == NULL);
  CHECK_EQ(event.kind, MSDK_VIDEO_VIRTUAL);
  CHECK_OK(msdk_incoming_video_stop(it.incoming));
  run_for(it.engine, 10 * MS);
  CHECK(event_take(it.alice, MSDK_EVENT_RECEIVERS, &event));
  CHECK_EQ(event.value, 0);
  call_close(&it);
}

static pid_t reader;

static void *destroy_what_is_waited_for(void *session) {
  wait_asleep(reader);
  msdk_session_destroy(session);
  return NULL;
}

static void the_end_of_the_session_wakes_those_who_wait(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  msdk_session *session = session_new(engine, room_new(), "alice");
  pthread_t thread;
  reader = gettid();
  CHECK_EQ(pthread_create(&thread, NULL, destroy_what_is_waited_for, session), 0);
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK_RESULT(msdk_session_next_event(session, MSDK_WAIT_FOREVER, &event), MSDK_E_CLOSED);
  pthread_join(thread, NULL);
  CHECK_RESULT(msdk_session_next_event(session, 0, &event), MSDK_E_HANDLE);
  msdk_engine_destroy(engine);
}

typedef struct seen_events {
  atomic_int count, inside;
  uint32_t types[64], states[64];
  pthread_t thread;
} seen_events;

static void on_event(void *user, const msdk_event *event) {
  seen_events *seen = user;
  CHECK_EQ(atomic_fetch_add(&seen->inside, 1), 0); /* one at a time */
  int at = atomic_load(&seen->count);
  if (at < 64) {
    seen->types[at] = event->type;
    seen->states[at] = event->state;
  }
  seen->thread = pthread_self();
  CHECK(event->struct_size >= sizeof(msdk_event));
  atomic_fetch_sub(&seen->inside, 1);
  atomic_fetch_add(&seen->count, 1);
}

static void callbacks_come_on_a_thread_of_their_own(void) {
  static seen_events seen;
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  msdk_session *session = session_new(engine, room_new(), "alice");
  CHECK_OK(msdk_session_set_event_callback(session, on_event, &seen));
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK_RESULT(msdk_session_next_event(session, 0, &event), MSDK_E_STATE);
  CHECK_OK(msdk_session_connect(session));
  WAIT_UNTIL(atomic_load(&seen.count) >= 2);
  CHECK_EQ(atomic_load(&seen.count), 2);
  CHECK_EQ(seen.states[0], MSDK_SESSION_CONNECTING);
  CHECK_EQ(seen.states[1], MSDK_SESSION_CONNECTED);
  CHECK(!pthread_equal(seen.thread, pthread_self()));
  CHECK_OK(msdk_session_set_event_callback(session, NULL, NULL));
  CHECK_OK(msdk_session_disconnect(session)); /* pulled again */
  CHECK(event_wait(engine, session, MSDK_EVENT_SESSION_STATE, &event));
  CHECK_EQ(event.state, MSDK_SESSION_DISCONNECTING);
  CHECK_EQ(atomic_load(&seen.count), 2);
  msdk_session_destroy(session);
  msdk_engine_destroy(engine);
}

static void events_that_wait_come_first(void) {
  static seen_events seen;
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_session *session = join(engine, room_new(), "alice");
  CHECK_OK(msdk_session_set_event_callback(session, on_event, &seen));
  run_for(engine, MS);
  CHECK_EQ(atomic_load(&seen.count), 2);
  CHECK_EQ(seen.states[0], MSDK_SESSION_CONNECTING);
  CHECK(pthread_equal(seen.thread, pthread_self())); /* the virtual clock has no other thread */
  CHECK_OK(msdk_session_disconnect(session));
  run_for(engine, MS);
  CHECK_EQ(atomic_load(&seen.count), 4);
  CHECK_EQ(seen.states[3], MSDK_SESSION_DISCONNECTED);
  msdk_session_destroy(session);
  run_for(engine, MS);
  CHECK_EQ(atomic_load(&seen.count), 4);
  msdk_engine_destroy(engine);
}

static void a_full_queue_drops_the_oldest_and_says_so(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = url;
  options.user_id = "slow";
  options.event_capacity = 16;
  msdk_session *slow = NULL;
  CHECK_OK(msdk_session_create(engine, &options, &slow));
  CHECK_OK(msdk_session_connect(slow));
  CHECK(state_wait(engine, slow, MSDK_SESSION_CONNECTED));
  for (int i = 0; i < 20; i++) { /* 2 events so far, 40 more */
    msdk_session *passing = join(engine, url, "passing");
    msdk_session_destroy(passing);
    run_for(engine, MS);
  }
  msdk_session_stats stats = session_stats(slow);
  CHECK_EQ(stats.events_queued, 42);
  CHECK_EQ(stats.events_dropped, 26);
  int events = 0, lost = 0;
  for (;; events++) {
    msdk_event event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(slow, 0, &event) < 0) break;
    if (event.flags & MSDK_EVENT_FLAG_LOST) {
      lost++;
      CHECK_EQ(events, 0);
    }
  }
  CHECK_EQ(events, 16);
  CHECK_EQ(lost, 1);
  msdk_session_destroy(slow);
  msdk_engine_destroy(engine);
}

static void the_estimate_is_an_event(void) {
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  msdk_network_step steps[2] = {network_step(0, 4000000), network_step(SECOND, 300000)};
  CHECK_OK(network_set(it.engine, it.url, steps, 2, 1));
  run_for(it.engine, 500 * MS);
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK(event_take(it.alice, MSDK_EVENT_ESTIMATE, &event));
  CHECK_EQ(event.value, 4000000);
  CHECK_EQ(session_stats(it.alice).available_outgoing_bitrate, 4000000);
  run_for(it.engine, SECOND);
  CHECK(event_take(it.alice, MSDK_EVENT_ESTIMATE, &event));
  CHECK_EQ(event.value, 300000);
  CHECK_EQ(session_stats(it.alice).available_outgoing_bitrate, 300000);
  CHECK_OK(network_set(it.engine, it.url, NULL, 0, 0));
  run_for(it.engine, MS);
  CHECK(event_take(it.alice, MSDK_EVENT_ESTIMATE, &event));
  CHECK_EQ(event.value, 0);
  call_close(&it);
}

static void bad_scripts_are_refused(void) {
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  msdk_network_step steps[2] = {network_step(0, 1000000), network_step(SECOND, 1000000)};
  CHECK_ERROR(msdk_room_script_network(it.engine, it.url, NULL), MSDK_E_INVALID, "script");
  CHECK(network_set(it.engine, it.url, NULL, 2, 1) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "steps");
  CHECK(network_set(it.engine, it.url, steps, 1025, 1) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "step_count");
#define BAD(member, value, word)                                    \
  do {                                                              \
    msdk_network_step good = steps[1];                              \
    steps[1].member = (value);                                      \
    CHECK(network_set(it.engine, it.url, steps, 2, 1) < 0);         \
    CHECK_STR_CONTAINS(msdk_last_error(), word);                    \
    steps[1] = good;                                                \
  } while (0)
  BAD(at_ns, -1, "at_ns");
  steps[0].at_ns = 2 * SECOND;
  CHECK(network_set(it.engine, it.url, steps, 2, 1) < 0); /* not in order */
  CHECK_STR_CONTAINS(msdk_last_error(), "at_ns");
  steps[0].at_ns = 0;
  BAD(bandwidth_bps, 999, "bandwidth_bps");
  BAD(delay_ns, -1, "delay_ns");
  BAD(delay_ns, 10 * SECOND + 1, "delay_ns");
  BAD(jitter_ns, INT64_MIN, "jitter_ns");
  BAD(jitter_ns, INT64_MAX, "jitter_ns");
  BAD(loss_ppm, 1000001, "loss_ppm");
  BAD(flags, 2, "flags");
  CHECK_OK(network_set(it.engine, it.url, steps, 2, 1));
  steps[1].bandwidth_bps = UINT64_MAX; /* much, but a number */
  network_set(it.engine, it.url, steps, 2, 1);
  run_for(it.engine, 2 * SECOND);
  call_close(&it);
}

/* Events that are read after the stream was destroyed have its handle still, which is good for comparing only. */
static void events_name_a_stream_that_is_gone(void) {
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  msdk_outgoing_video *first = NULL, *second = NULL;
  msdk_incoming_video *seen[2] = {NULL, NULL};
  CHECK_OK(msdk_outgoing_video_create(it.engine, &options, &first));
  CHECK_OK(msdk_session_start_video(it.alice, first));
  run_for(it.engine, 100 * MS);
  msdk_outgoing_video_destroy(first);
  CHECK_OK(msdk_outgoing_video_create(it.engine, &options, &second));
  CHECK_OK(msdk_session_start_video(it.alice, second));
  run_for(it.engine, 100 * MS);
  CHECK(second != first);
  int of_first = 0, of_second = 0, added = 0, removed = 0;
  msdk_frame_sender *sender = NULL;
  msdk_event event = MSDK_INIT(msdk_event);
  while (msdk_session_next_event(it.alice, 0, &event) >= 0) {
    if (event.type != MSDK_EVENT_OUTGOING_VIDEO_STATE && event.type != MSDK_EVENT_FRAME_SENDER_CHANGED) continue;
    of_first += event.outgoing_video == first;
    of_second += event.outgoing_video == second;
    if (event.type == MSDK_EVENT_FRAME_SENDER_CHANGED && sender == NULL) sender = event.sender;
  }
  CHECK_EQ(of_first, 3); /* started, its sender, stopped */
  CHECK_EQ(of_second, 2);
  uint32_t state = 0;
  CHECK_RESULT(msdk_outgoing_video_get_state(first, &state), MSDK_E_HANDLE);
  msdk_video_frame *frame = NULL;
  CHECK(sender != NULL);
  CHECK_RESULT(msdk_frame_sender_acquire(sender, 0, &frame), MSDK_E_HANDLE);
  /* Bob reads of both streams after the first has ended. */
  while (msdk_session_next_event(it.bob, 0, &event) >= 0) {
    if (event.type == MSDK_EVENT_INCOMING_VIDEO_ADDED && added < 2) seen[added++] = event.incoming_video;
    if (event.type == MSDK_EVENT_INCOMING_VIDEO_REMOVED) removed += event.incoming_video == seen[0];
  }
  CHECK_EQ(added, 2);
  CHECK_EQ(removed, 1);
  CHECK(seen[0] != NULL && seen[1] != NULL && seen[0] != seen[1]);
  msdk_outgoing_video_destroy(second);
  call_close(&it);
}

/* The same of sound. */
static void events_name_sound_that_is_gone(void) {
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  msdk_outgoing_audio_options options = MSDK_INIT(msdk_outgoing_audio_options);
  options.sample_rate = 48000;
  options.channels = 1;
  options.sample_format = MSDK_SAMPLE_S16;
  options.buffer_ms = 20;
  msdk_outgoing_audio *stream = NULL;
  CHECK_OK(msdk_outgoing_audio_create(it.engine, &options, &stream));
  CHECK_OK(msdk_session_start_audio(it.alice, stream));
  run_for(it.engine, 100 * MS);
  msdk_outgoing_audio_destroy(stream);
  run_for(it.engine, 100 * MS);
  msdk_event event = MSDK_INIT(msdk_event);
  int events = 0;
  while (msdk_session_next_event(it.alice, 0, &event) >= 0) {
    if (event.type == MSDK_EVENT_OUTGOING_AUDIO_STATE) events += event.outgoing_audio == stream;
  }
  CHECK_EQ(events, 2);
  call_close(&it);
}

int main(int argc, char **argv) {
  RUN(the_descriptor_tells_of_events);
  RUN(receivers_are_told);
  RUN(the_end_of_the_session_wakes_those_who_wait);
  RUN(callbacks_come_on_a_thread_of_their_own);
  RUN(events_that_wait_come_first);
  RUN(a_full_queue_drops_the_oldest_and_says_so);
  RUN(the_estimate_is_an_event);
  RUN(bad_scripts_are_refused);
  RUN(events_name_a_stream_that_is_gone);
  RUN(events_name_sound_that_is_gone);
  return check_finish();
}
