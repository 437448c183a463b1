/* session.h: events by pulling, by descriptor, by callback; the bounded queue. */
#include "call.h"

#include <poll.h>
#include <pthread.h>

static int readable(int32_t descriptor, int timeout_ms) {
  struct pollfd entry = {.fd = descriptor, .events = POLLIN};
  return poll(&entry, 1, timeout_ms) == 1 && (entry.revents & POLLIN) != 0;
}

static void the_descriptor_tells_of_events(void) {
  static const uint32_t clocks[] = {MSDK_CLOCK_VIRTUAL, MSDK_CLOCK_SYSTEM};
  for (int i = 0; i < 2; i++) {
    msdk_engine *engine = engine_new(clocks[i]);
    msdk_session *session = session_new(engine, room_new(), "alice");
    int32_t descriptor = -1;
    CHECK_OK(msdk_session_event_fd(session, &descriptor));
    CHECK(descriptor >= 0);
    CHECK(!readable(descriptor, 0));
    CHECK_OK(msdk_session_connect(session));
    if (clocks[i] == MSDK_CLOCK_VIRTUAL) run_for(engine, MS);
    CHECK(readable(descriptor, 5000));
    CHECK(state_wait(engine, session, MSDK_SESSION_CONNECTED));
    msdk_event event = MSDK_INIT(msdk_event);
    CHECK_OK(msdk_session_next_event(session, 1000, &event));
    CHECK(readable(descriptor, 0)); /* the second still waits */
    CHECK_OK(msdk_session_next_event(session, 1000, &event));
    CHECK(!readable(descriptor, 0));
    CHECK_ERROR(msdk_session_event_fd(session, NULL), MSDK_E_INVALID, "out");
    msdk_session_destroy(session);
    msdk_engine_destroy(engine);
  }
}

static void waiting_takes_its_time(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  msdk_session *session = session_new(engine, room_new(), "alice");
  msdk_event event = MSDK_INIT(msdk_event);
  int64_t before = msdk_time_monotonic();
  CHECK_RESULT(msdk_session_next_event(session, 150, &event), MSDK_E_TIMEOUT);
  CHECK_RANGE((msdk_time_monotonic() - before) / MS, 145, 1500);
  before = msdk_time_monotonic();
  CHECK_RESULT(msdk_session_next_event(session, 0, &event), MSDK_E_TIMEOUT);
  CHECK_RANGE((msdk_time_monotonic() - before) / MS, 0, 100);
  CHECK_ERROR(msdk_session_next_event(session, 0, NULL), MSDK_E_INVALID, "out");
  msdk_session_destroy(session);
  msdk_engine_destroy(engine);
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
    if (event.flags & MSDK_EVENT_LOST) {
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

int main(int argc, char **argv) {
  RUN(the_descriptor_tells_of_events);
  RUN(waiting_takes_its_time);
  RUN(the_end_of_the_session_wakes_those_who_wait);
  RUN(callbacks_come_on_a_thread_of_their_own);
  RUN(events_that_wait_come_first);
  RUN(a_full_queue_drops_the_oldest_and_says_so);
  RUN(the_estimate_is_an_event);
  RUN(bad_scripts_are_refused);
  return check_finish();
}
