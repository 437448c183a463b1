/* session.h: joining, leaving, participants, names that are taken, many sessions, a connection that is lost. */
#include "call.h"

/* The next session-state event: its state, or -1. */
static int next_state(msdk_engine *engine, msdk_session *session, msdk_event *event) {
  return event_wait(engine, session, MSDK_EVENT_SESSION_STATE, event) ? (int)event->state : -1;
}

static uint32_t people(msdk_session *session) { return people_of(session, NULL, 0); }

static void connecting_and_leaving(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_session *session = session_new(engine, room_new(), "alice");
  uint32_t state = 77;
  msdk_event event;
  CHECK_OK(msdk_session_get_state(session, &state));
  CHECK_EQ(state, MSDK_SESSION_IDLE);
  CHECK_OK(msdk_session_disconnect(session)); /* nothing to leave */
  CHECK_OK(msdk_session_connect(session));
  CHECK_EQ(next_state(engine, session, &event), MSDK_SESSION_CONNECTING);
  CHECK_EQ(next_state(engine, session, &event), MSDK_SESSION_CONNECTED);
  CHECK_EQ(event.status, MSDK_OK);
  CHECK(event.timestamp_ns >= SECOND);
  CHECK_RESULT(msdk_session_connect(session), MSDK_E_STATE);
  CHECK_STR_CONTAINS(msdk_last_error(), "connected");
  CHECK_OK(msdk_session_disconnect(session));
  CHECK_EQ(next_state(engine, session, &event), MSDK_SESSION_DISCONNECTING);
  CHECK_EQ(next_state(engine, session, &event), MSDK_SESSION_DISCONNECTED);
  CHECK_EQ(event.status, MSDK_OK);
  CHECK_OK(msdk_session_disconnect(session));
  CHECK_OK(msdk_session_connect(session)); /* again */
  CHECK(state_wait(engine, session, MSDK_SESSION_CONNECTED));
  CHECK_ERROR(msdk_session_get_state(session, NULL), MSDK_E_INVALID, "out");
  msdk_session_destroy(session);
  msdk_engine_destroy(engine);
}

static void participants_come_and_go(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_session *alice = join(engine, url, "alice"), *bob = NULL;
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = url;
  options.user_id = "bob";
  options.display_name = "Bob the Builder";
  CHECK_OK(msdk_session_create(engine, &options, &bob));
  CHECK_OK(msdk_session_connect(bob));
  msdk_event event;
  CHECK(event_wait(engine, alice, MSDK_EVENT_PARTICIPANT_JOINED, &event));
  CHECK(strcmp(event.user_id, "bob") == 0);
  CHECK(strcmp(event.text, "Bob the Builder") == 0);
  msdk_participant list[3];
  CHECK_EQ(people_of(bob, list, 3), 2);
  CHECK(strcmp(list[0].user_id, "bob") == 0 && list[0].is_local == 1);
  CHECK(strcmp(list[1].user_id, "alice") == 0 && list[1].is_local == 0);
  CHECK(strcmp(list[0].display_name, "Bob the Builder") == 0);
  CHECK(strcmp(list[1].display_name, "alice") == 0);
  CHECK_EQ(list[1].video_stream_count, 0);
  CHECK_ERROR(msdk_session_participant_at(bob, 2, &list[0]), MSDK_E_NOT_FOUND, "index is 2; there are 2 participants");
  CHECK_RESULT(msdk_session_participant_at(bob, 0, NULL), MSDK_E_INVALID);
  CHECK_EQ(session_stats(bob).participants, 2);
  msdk_session_disconnect(bob);
  CHECK(event_wait(engine, alice, MSDK_EVENT_PARTICIPANT_LEFT, &event));
  CHECK(strcmp(event.user_id, "bob") == 0);
  CHECK_EQ(people(alice), 1);
  msdk_session_destroy(bob);
  msdk_session_destroy(alice);
  msdk_engine_destroy(engine);
}

static void a_user_id_that_is_taken(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_session *first = join(engine, url, "alice"), *second = session_new(engine, url, "alice");
  CHECK_OK(msdk_session_connect(second));
  msdk_event event;
  CHECK_EQ(next_state(engine, second, &event), MSDK_SESSION_CONNECTING);
  CHECK_EQ(next_state(engine, second, &event), MSDK_SESSION_DISCONNECTED);
  CHECK_EQ(event.status, MSDK_E_EXISTS);
  CHECK_STR_CONTAINS(event.text, "alice");
  CHECK_EQ(people(first), 1);
  msdk_session_destroy(first);
  CHECK_OK(msdk_session_connect(second)); /* free now */
  CHECK(state_wait(engine, second, MSDK_SESSION_CONNECTED));
  msdk_session *elsewhere = join(engine, room_new(), "alice"); /* another room is another matter */
  msdk_session_destroy(elsewhere);
  msdk_session_destroy(second);
  msdk_engine_destroy(engine);
}

static void a_late_joiner_is_told_of_streams(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 15);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  run_for(it.engine, SECOND);
  msdk_session *late = join(it.engine, it.url, "late");
  msdk_event event;
  CHECK(event_wait(it.engine, late, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event));
  CHECK(strcmp(event.user_id, "alice") == 0);
  CHECK_EQ(event.format.width, 320);
  CHECK_EQ(event.format.height, 240);
  CHECK_EQ(event.format.pixel_format, MSDK_PIXEL_NV12);
  CHECK_EQ(event.codec, MSDK_CODEC_RAW);
  CHECK(event.incoming_video != it.incoming);
  msdk_participant list[3];
  CHECK_EQ(people_of(late, list, 3), 3);
  for (uint32_t i = 0; i < 3; i++) CHECK_EQ(list[i].video_stream_count, strcmp(list[i].user_id, "alice") == 0);
  CHECK_OK(msdk_session_stop_video(it.alice, it.outgoing));
  CHECK(event_wait(it.engine, late, MSDK_EVENT_INCOMING_VIDEO_REMOVED, &event));
  CHECK(strcmp(event.user_id, "alice") == 0);
  uint32_t state;
  CHECK_OK(msdk_incoming_video_get_state(event.incoming_video, &state));
  CHECK_EQ(state, MSDK_INCOMING_NOT_AVAILABLE);
  CHECK_RESULT(msdk_incoming_video_start(event.incoming_video, NULL), MSDK_E_CLOSED);
  msdk_session_destroy(late);
  call_close(&it);
}

static void leaving_takes_the_streams_along(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 15);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  msdk_event event;
  CHECK_OK(msdk_session_disconnect(it.alice));
  CHECK(event_wait(it.engine, it.bob, MSDK_EVENT_INCOMING_VIDEO_REMOVED, &event));
  CHECK(event.incoming_video == it.incoming);
  uint32_t state;
  CHECK_OK(msdk_outgoing_video_get_state(it.outgoing, &state));
  CHECK_EQ(state, MSDK_OUTGOING_STOPPED);
  CHECK_RESULT(msdk_session_stop_video(it.alice, it.outgoing), MSDK_E_STATE); /* it was started while connected, and not attached */
  CHECK_OK(msdk_session_connect(it.alice));
  CHECK(state_wait(it.engine, it.alice, MSDK_SESSION_CONNECTED));
  CHECK_OK(msdk_outgoing_video_get_state(it.outgoing, &state));
  CHECK_EQ(state, MSDK_OUTGOING_STOPPED);
  CHECK_OK(msdk_session_start_video(it.alice, it.outgoing));
  CHECK(event_wait(it.engine, it.bob, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event));
  call_close(&it);
}

static void a_hundred_sessions(void) {
  enum { MANY = 100 };
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  static msdk_session *sessions[MANY];
  for (int i = 0; i < MANY; i++) {
    char name[32];
    snprintf(name, sizeof name, "user-%d", i);
    sessions[i] = join(engine, url, name);
  }
  run_for(engine, 10 * MS);
  for (int i = 0; i < MANY; i++) CHECK_EQ(people(sessions[i]), MANY);
  CHECK_EQ(engine_stats(engine).sessions, MANY);
  int joined = 0;
  for (;;) {
    msdk_event event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(sessions[0], 0, &event) < 0) break;
    joined += event.type == MSDK_EVENT_PARTICIPANT_JOINED;
  }
  CHECK_EQ(joined, MANY - 1);
  for (int i = 1; i < MANY; i++) msdk_session_destroy(sessions[i]);
  run_for(engine, 10 * MS);
  CHECK_EQ(people(sessions[0]), 1);
  CHECK_EQ(engine_stats(engine).sessions, 1);
  msdk_session_destroy(sessions[0]);
  msdk_engine_destroy(engine);
}

static void several_engines_share_a_room(void) {
  enum { ENGINES = 4 };
  const char *url = room_new();
  msdk_engine *engines[ENGINES];
  msdk_session *sessions[ENGINES];
  for (int i = 0; i < ENGINES; i++) {
    char name[32];
    snprintf(name, sizeof name, "user-%d", i);
    engines[i] = engine_new(MSDK_CLOCK_SYSTEM);
    sessions[i] = join(engines[i], url, name);
  }
  for (int i = 0; i < ENGINES; i++) {
    WAIT_UNTIL(people(sessions[i]) == ENGINES);
    CHECK_EQ(people(sessions[i]), ENGINES);
  }
  msdk_engine_destroy(engines[2]); /* takes its session out of the room */
  WAIT_UNTIL(people(sessions[0]) == ENGINES - 1);
  CHECK_EQ(people(sessions[0]), ENGINES - 1);
  for (int i = 0; i < ENGINES; i++) msdk_session_destroy(sessions[i]);
  for (int i = 0; i < ENGINES; i++) msdk_engine_destroy(engines[i]);
}

static void a_lost_connection_comes_back(void) {
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  msdk_network_step steps[3] = {network_step(0, 0), network_step(SECOND, 0), network_step(3 * SECOND, 0)};
  steps[1].flags = MSDK_NETWORK_DISCONNECTED;
  CHECK_OK(network_set(it.engine, it.url, steps, 3, 1));
  uint32_t state;
  run_for(it.engine, 900 * MS);
  CHECK_OK(msdk_session_get_state(it.alice, &state));
  CHECK_EQ(state, MSDK_SESSION_CONNECTED);
  run_for(it.engine, 300 * MS);
  CHECK_OK(msdk_session_get_state(it.alice, &state));
  CHECK_EQ(state, MSDK_SESSION_RECONNECTING);
  CHECK_OK(msdk_session_get_state(it.bob, &state));
  CHECK_EQ(state, MSDK_SESSION_RECONNECTING);
  run_for(it.engine, 2 * SECOND);
  CHECK_OK(msdk_session_get_state(it.alice, &state));
  CHECK_EQ(state, MSDK_SESSION_CONNECTED);
  msdk_event event;
  CHECK_EQ(next_state(it.engine, it.bob, &event), MSDK_SESSION_CONNECTING);
  CHECK_EQ(next_state(it.engine, it.bob, &event), MSDK_SESSION_CONNECTED);
  CHECK_EQ(next_state(it.engine, it.bob, &event), MSDK_SESSION_RECONNECTING);
  CHECK_EQ(next_state(it.engine, it.bob, &event), MSDK_SESSION_CONNECTED);
  call_close(&it);
}

static void a_lost_connection_is_given_up_after_30_seconds(void) {
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  msdk_network_step step = network_step(0, 0);
  step.flags = MSDK_NETWORK_DISCONNECTED;
  msdk_network_script script = MSDK_INIT(msdk_network_script);
  script.step_count = 1;
  script.steps = &step;
  script.user_id = "alice"; /* only her */
  CHECK_OK(msdk_room_script_network(it.engine, it.url, &script));
  run_for(it.engine, 29 * SECOND);
  uint32_t state;
  CHECK_OK(msdk_session_get_state(it.alice, &state));
  CHECK_EQ(state, MSDK_SESSION_RECONNECTING);
  CHECK_OK(msdk_session_get_state(it.bob, &state));
  CHECK_EQ(state, MSDK_SESSION_CONNECTED);
  run_for(it.engine, 2 * SECOND);
  CHECK_OK(msdk_session_get_state(it.alice, &state));
  CHECK_EQ(state, MSDK_SESSION_DISCONNECTED);
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK(event_take(it.alice, MSDK_EVENT_SESSION_STATE, &event));
  CHECK_EQ(event.state, MSDK_SESSION_DISCONNECTED);
  CHECK(event.status < 0 && event.text[0] != 0);
  CHECK(event_wait(it.engine, it.bob, MSDK_EVENT_PARTICIPANT_LEFT, &event));
  CHECK(strcmp(event.user_id, "alice") == 0);
  call_close(&it);
}

static void sessions_of_the_wrong_kind_of_state(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_session *idle = session_new(engine, room_new(), "idle");
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 15);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  msdk_outgoing_video *stream = NULL;
  CHECK_OK(msdk_outgoing_video_create(engine, &options, &stream));
  CHECK_RESULT(msdk_session_stop_video(idle, stream), MSDK_E_STATE);
  msdk_engine *other = engine_new(MSDK_CLOCK_VIRTUAL); /* a stream of another engine */
  msdk_session *stranger = join(other, room_new(), "stranger");
  CHECK(msdk_session_start_video(stranger, stream) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "engine");
  msdk_session_options bad = MSDK_INIT(msdk_session_options);
  bad.url = "loopback:x";
  bad.user_id = "x";
  msdk_session *out = NULL;
  CHECK_ERROR(msdk_session_create(engine, NULL, &out), MSDK_E_INVALID, "options");
  CHECK_ERROR(msdk_session_create(engine, &bad, NULL), MSDK_E_INVALID, "out");
  bad.event_capacity = 15;
  CHECK(msdk_session_create(engine, &bad, &out) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "event_capacity");
  bad.event_capacity = 65537;
  CHECK(msdk_session_create(engine, &bad, &out) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "65");
  CHECK(out == NULL);
  msdk_outgoing_video_destroy(stream);
  msdk_engine_destroy(engine);
  msdk_engine_destroy(other);
}

int main(int argc, char **argv) {
  RUN(connecting_and_leaving);
  RUN(participants_come_and_go);
  RUN(a_user_id_that_is_taken);
  RUN(a_late_joiner_is_told_of_streams);
  RUN(leaving_takes_the_streams_along);
  RUN(a_hundred_sessions);
  RUN(several_engines_share_a_room);
  RUN(a_lost_connection_comes_back);
  RUN(a_lost_connection_is_given_up_after_30_seconds);
  RUN(sessions_of_the_wrong_kind_of_state);
  return check_finish();
}
