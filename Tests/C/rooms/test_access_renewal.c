/* room.h, session.h: access that ends, and its renewal by another token, in a loopback room and a served one. */
#include "hosting.h"

/* Decides by the token: "read" and "write" grant that, "brief" grants 2 s; others are refused with a reason. */
typedef struct clerk {
  atomic_int calls, renewals, is_slow;
  int64_t lifetime_ns;
} clerk;

static msdk_result verify(void *user, const msdk_access_request *request, msdk_access_grant *grant) {
  clerk *it = user;
  CHECK((request->flags & ~(uint32_t)MSDK_ACCESS_RENEWAL) == 0 && request->reserved0 == 0);
  atomic_fetch_add(&it->renewals, request->flags == MSDK_ACCESS_RENEWAL);
  grant->lifetime_ns = it->lifetime_ns;
  static char reason[300]; /* one request is verified at a time */
  msdk_result result = MSDK_OK;
  if (strcmp(request->access_token, "read") == 0) {
    grant->permissions = MSDK_MAY_RECEIVE;
  } else if (strcmp(request->access_token, "nothing") == 0) {
    grant->permissions = MSDK_MAY_NOTHING;
  } else if (strcmp(request->access_token, "brief") == 0) {
    grant->lifetime_ns = 2 * SECOND;
  } else if (strcmp(request->access_token, "forever") == 0) {
    grant->lifetime_ns = 366 * 86400 * SECOND;
  } else if (strcmp(request->access_token, "write") != 0) {
    snprintf(reason, sizeof reason, "%s must ask the desk", request->user_id);
    grant->reason = reason;
    result = MSDK_E_PERMISSION;
  }
  atomic_fetch_add(&it->calls, 1);
  return result;
}

static void employ(msdk_engine *engine, const char *url, clerk *it) {
  msdk_room_options options = MSDK_INIT(msdk_room_options);
  options.verify = verify;
  options.user = it;
  CHECK_OK(msdk_room_configure(engine, url, &options));
}

static int last_event(msdk_session *session, uint32_t type, msdk_event *out) {
  msdk_event event = MSDK_INIT(msdk_event);
  int count = 0;
  while (msdk_session_next_event(session, 0, &event) >= 0) {
    if (event.type != type) continue;
    *out = event;
    count++;
  }
  return count;
}

static void a_refusal_has_a_reason(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  clerk it = {0};
  employ(engine, url, &it);
  msdk_session *eve = session_with(engine, url, "eve", TOKEN);
  run_for(engine, MS);
  msdk_event event = refusal(engine, eve);
  CHECK_EQ(event.status, MSDK_E_PERMISSION);
  CHECK_STR_CONTAINS(event.text, "MSDK_E_PERMISSION");
  CHECK_STR_CONTAINS(event.text, "eve must ask the desk");
  CHECK(strstr(event.text, TOKEN) == NULL);
  msdk_session *bob = session_with(engine, url, "bob", "forever"); /* what is granted is not accepted */
  run_for(engine, MS);
  event = refusal(engine, bob);
  CHECK_STR_CONTAINS(event.text, "lifetime_ns");
  msdk_engine_destroy(engine);
}

static void access_expires(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  clerk it = {.lifetime_ns = 3600 * SECOND};
  employ(engine, url, &it);
  msdk_session *alice = session_with(engine, url, "alice", "write"), *bob = session_with(engine, url, "bob", "brief");
  run_for(engine, SECOND);
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK_EQ(last_event(bob, MSDK_EVENT_ACCESS_EXPIRING, &event), 1); /* at half of the time */
  CHECK_EQ((int64_t)event.value, SECOND);
  run_for(engine, SECOND);
  CHECK_EQ(last_event(bob, MSDK_EVENT_SESSION_STATE, &event), 1);
  CHECK(event.state == MSDK_SESSION_DISCONNECTED && event.status == MSDK_E_PERMISSION);
  CHECK_STR_CONTAINS(event.text, "expired");
  CHECK_EQ(last_event(alice, MSDK_EVENT_PARTICIPANT_LEFT, &event), 1);
  run_for(engine, 3600 * SECOND - 32 * SECOND - MS);
  CHECK_EQ(last_event(alice, MSDK_EVENT_ACCESS_EXPIRING, &event), 0);
  run_for(engine, MS);
  CHECK_EQ(last_event(alice, MSDK_EVENT_ACCESS_EXPIRING, &event), 1);
  CHECK_EQ((int64_t)event.value, 30 * SECOND);
  CHECK(is_state(alice, MSDK_SESSION_CONNECTED));
  run_for(engine, 30 * SECOND);
  CHECK(is_state(alice, MSDK_SESSION_DISCONNECTED));
  CHECK_OK(msdk_session_connect(bob)); /* asks again, with the same token */
  run_for(engine, MS);
  CHECK(is_state(bob, MSDK_SESSION_CONNECTED));
  msdk_engine_destroy(engine);
}

static void access_is_renewed(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  clerk it = {.lifetime_ns = 10 * SECOND};
  employ(engine, url, &it);
  msdk_session *alice = session_with(engine, url, "alice", "write"), *bob = session_with(engine, url, "bob", "write");
  run_for(engine, MS);
  msdk_event event = MSDK_INIT(msdk_event);
  for (int i = 0; i < 5; i++) {
    run_for(engine, 8 * SECOND);
    CHECK_OK(msdk_session_set_access_token(alice, "read"));
    if (i == 0) CHECK_OK(msdk_session_set_access_token(bob, "stale"));
    run_for(engine, MS);
    CHECK_EQ(last_event(alice, MSDK_EVENT_ACCESS_RENEWED, &event), 1);
    CHECK_EQ(event.status, MSDK_OK);
    CHECK_EQ(event.value, MSDK_MAY_RECEIVE);
    CHECK_EQ(permissions_of(alice, "alice"), MSDK_MAY_RECEIVE);
    if (i > 0) continue;
    CHECK_EQ(permissions_of(bob, "alice"), MSDK_MAY_RECEIVE);
    CHECK_EQ(last_event(bob, MSDK_EVENT_ACCESS_RENEWED, &event), 1);
    CHECK_EQ(event.status, MSDK_E_PERMISSION);
    CHECK_EQ(event.value, 47);
    CHECK_STR_CONTAINS(event.text, "bob must ask the desk");
    CHECK(strstr(event.text, "stale") == NULL);
    CHECK(is_state(bob, MSDK_SESSION_CONNECTED));
  }
  CHECK(is_state(alice, MSDK_SESSION_CONNECTED));
  CHECK(is_state(bob, MSDK_SESSION_DISCONNECTED));
  CHECK_EQ(atomic_load(&it.renewals), 6);
  CHECK_OK(msdk_room_configure(engine, url, NULL)); /* without a verifier all are accepted, and what was granted goes on */
  CHECK_OK(msdk_session_set_access_token(alice, "stale"));
  run_for(engine, 3600 * SECOND);
  CHECK_EQ(permissions_of(alice, "alice"), 47);
  msdk_engine_destroy(engine);
}

static msdk_outgoing_audio *voice_new(msdk_engine *engine, uint32_t codec) {
  msdk_outgoing_audio_options sound = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  sound.codec = codec;
  msdk_outgoing_audio *voice = NULL;
  CHECK_OK(msdk_outgoing_audio_create(engine, &sound, &voice));
  return voice;
}

static void what_is_not_permitted_ends(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  clerk it = {0};
  employ(engine, url, &it);
  msdk_session *alice = session_with(engine, url, "alice", "write"), *bob = session_with(engine, url, "bob", "write");
  run_for(engine, MS);
  msdk_outgoing_audio *voice = voice_new(engine, MSDK_CODEC_RAW), *other = voice_new(engine, MSDK_CODEC_RAW);
  CHECK_OK(msdk_session_start_audio(alice, voice));
  CHECK_OK(msdk_session_start_audio(bob, other));
  run_for(engine, MS);
  msdk_incoming_audio *heard = NULL, *mix = NULL;
  CHECK_OK(msdk_session_incoming_audio_at(alice, 0, &heard));
  CHECK_OK(msdk_incoming_audio_start(heard, NULL));
  CHECK_OK(msdk_session_get_mixed_audio(alice, &mix));
  CHECK_OK(msdk_incoming_audio_start(mix, NULL));
  msdk_event event = MSDK_INIT(msdk_event);
  last_event(alice, 0, &event);
  last_event(bob, 0, &event);
  CHECK_OK(msdk_session_set_access_token(alice, "nothing"));
  run_for(engine, MS);
  int failed = 0, stopped = 0;
  while (msdk_session_next_event(alice, 0, &event) >= 0) {
    if (event.type == MSDK_EVENT_OUTGOING_AUDIO_STATE) failed += event.state == MSDK_OUTGOING_FAILED && event.status == MSDK_E_PERMISSION;
    if (event.type == MSDK_EVENT_INCOMING_AUDIO_STATE) stopped += event.state == MSDK_INCOMING_STOPPED && event.status == MSDK_E_PERMISSION;
  }
  CHECK_EQ(failed, 1);
  CHECK_EQ(stopped, 2);
  CHECK_EQ(last_event(bob, MSDK_EVENT_INCOMING_AUDIO_REMOVED, &event), 1);
  CHECK_ERROR(msdk_session_start_audio(alice, voice), MSDK_E_PERMISSION, "alice");
  CHECK_ERROR(msdk_incoming_audio_start(heard, NULL), MSDK_E_PERMISSION, "alice");
  CHECK_OK(msdk_session_set_access_token(alice, "write"));
  run_for(engine, MS);
  CHECK_OK(msdk_session_start_audio(alice, voice));
  CHECK_OK(msdk_incoming_audio_start(heard, NULL));
  msdk_engine_destroy(engine);
}

static void attached_streams_start_once_they_are_permitted(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  clerk it = {0};
  employ(engine, url, &it);
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = url;
  options.user_id = "alice";
  msdk_session *alice = NULL;
  CHECK_OK(msdk_session_create(engine, &options, &alice));
  CHECK_OK(msdk_session_set_access_token(alice, "write"));
  CHECK_OK(msdk_session_set_access_token(alice, "read")); /* of a session that is idle: for the next time */
  CHECK_OK(msdk_session_start_audio(alice, voice_new(engine, MSDK_CODEC_RAW)));
  CHECK_OK(msdk_session_connect(alice));
  run_for(engine, MS);
  CHECK_EQ(permissions_of(alice, "alice"), MSDK_MAY_RECEIVE);
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK_EQ(last_event(alice, MSDK_EVENT_OUTGOING_AUDIO_STATE, &event), 1);
  CHECK_EQ(event.state, MSDK_OUTGOING_FAILED);
  CHECK_OK(msdk_session_set_access_token(alice, "write"));
  run_for(engine, MS);
  CHECK_EQ(last_event(alice, MSDK_EVENT_OUTGOING_AUDIO_STATE, &event), 1);
  CHECK_EQ(event.state, MSDK_OUTGOING_STARTED);
  msdk_engine_destroy(engine);
}

static void the_time_goes_on_while_the_network_is_down(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  clerk it = {.lifetime_ns = 20 * SECOND};
  employ(engine, url, &it);
  msdk_session *alice = session_with(engine, url, "alice", "write");
  run_for(engine, MS);
  msdk_network_step steps[2] = {MSDK_INIT(msdk_network_step), MSDK_INIT(msdk_network_step)};
  steps[0].flags = MSDK_NETWORK_DISCONNECTED;
  steps[1].at_ns = 9 * SECOND;
  msdk_network_script script = MSDK_INIT(msdk_network_script);
  script.steps = steps;
  script.step_count = 2;
  CHECK_OK(msdk_room_script_network(engine, url, &script));
  run_for(engine, 5 * SECOND);
  CHECK(is_state(alice, MSDK_SESSION_RECONNECTING));
  run_for(engine, 10 * SECOND);
  CHECK(is_state(alice, MSDK_SESSION_CONNECTED));
  CHECK_EQ(atomic_load(&it.calls), 1);
  run_for(engine, 5 * SECOND);
  CHECK(is_state(alice, MSDK_SESSION_DISCONNECTED));
  msdk_engine_destroy(engine);
}

static void answers_are_pulled(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_room_options options = MSDK_INIT(msdk_room_options);
  options.pulled = 1;
  CHECK_OK(msdk_room_configure(engine, url, &options));
  msdk_session *alice = session_with(engine, url, "alice", "one");
  run_for(engine, MS);
  msdk_access_request first = MSDK_INIT(msdk_access_request), second = MSDK_INIT(msdk_access_request);
  msdk_access_grant grant = MSDK_INIT(msdk_access_grant);
  char reason[300];
  memset(reason, 'x', sizeof reason);
  reason[256] = 0;
  CHECK_OK(msdk_room_next_request(engine, url, 0, &first));
  CHECK_EQ(first.flags, 0);
  grant.lifetime_ns = SECOND - 1;
  CHECK_ERROR(msdk_room_answer(engine, url, first.id, MSDK_OK, &grant), MSDK_E_RANGE, "grant.lifetime_ns is 999999999");
  grant.lifetime_ns = -SECOND;
  CHECK_ERROR(msdk_room_answer(engine, url, first.id, MSDK_OK, &grant), MSDK_E_RANGE, "grant.lifetime_ns");
  grant.lifetime_ns = 365 * 86400 * SECOND + 1;
  CHECK_ERROR(msdk_room_answer(engine, url, first.id, MSDK_OK, &grant), MSDK_E_RANGE, "grant.lifetime_ns");
  grant.lifetime_ns = SECOND;
  grant.reason = reason;
  CHECK_ERROR(msdk_room_answer(engine, url, first.id, MSDK_E_FULL, &grant), MSDK_E_INVALID, "grant.reason");
  grant.reason = "\xff";
  CHECK_ERROR(msdk_room_answer(engine, url, first.id, MSDK_E_FULL, &grant), MSDK_E_INVALID, "grant.reason");
  grant.reason = NULL;
  grant.struct_size = 3;
  CHECK_ERROR(msdk_room_answer(engine, url, first.id, MSDK_OK, &grant), MSDK_E_INVALID, "grant.struct_size");
  grant.struct_size = sizeof grant;
  grant.lifetime_ns = 365 * 86400 * SECOND;
  CHECK_OK(msdk_room_answer(engine, url, first.id, MSDK_OK, &grant));
  run_for(engine, MS);
  CHECK_OK(msdk_session_set_access_token(alice, "two"));
  run_for(engine, MS);
  CHECK_OK(msdk_room_next_request(engine, url, 0, &first));
  CHECK_OK(msdk_session_set_access_token(alice, "three")); /* instead of it */
  run_for(engine, MS);
  CHECK_RESULT(msdk_room_answer(engine, url, first.id, MSDK_OK, NULL), MSDK_E_NOT_FOUND);
  CHECK_OK(msdk_room_next_request(engine, url, 0, &second));
  CHECK(second.flags == MSDK_ACCESS_RENEWAL && strcmp(second.access_token, "three") == 0);
  CHECK_OK(msdk_room_configure(engine, url, &options)); /* asked anew */
  run_for(engine, MS);
  CHECK_RESULT(msdk_room_answer(engine, url, second.id, MSDK_OK, NULL), MSDK_E_NOT_FOUND);
  CHECK_OK(msdk_room_next_request(engine, url, 0, &second));
  CHECK(second.flags == MSDK_ACCESS_RENEWAL && strcmp(second.access_token, "three") == 0);
  CHECK_OK(msdk_session_set_access_token(alice, NULL));
  CHECK_OK(msdk_session_disconnect(alice)); /* nobody waits for it any more */
  run_for(engine, MS);
  CHECK_RESULT(msdk_room_answer(engine, url, second.id, MSDK_OK, NULL), MSDK_E_NOT_FOUND);
  CHECK_RESULT(msdk_room_next_request(engine, url, 0, &second), MSDK_E_AGAIN);
  CHECK_OK(msdk_session_connect(alice));
  run_for(engine, MS);
  CHECK_OK(msdk_room_next_request(engine, url, 0, &second));
  CHECK(second.flags == 0 && strcmp(second.access_token, "") == 0);
  msdk_engine_destroy(engine);
}

static void tokens_that_cannot_be(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  char longest[MSDK_ACCESS_TOKEN_MAX + 2];
  memset(longest, 'x', sizeof longest);
  longest[MSDK_ACCESS_TOKEN_MAX + 1] = 0;
  end alice = end_new(engine, room_new());
  CHECK_ERROR(msdk_session_set_access_token(alice.session, longest), MSDK_E_INVALID, "token");
  CHECK(strstr(msdk_last_error(), "xxx") == NULL);
  CHECK_ERROR(msdk_session_set_access_token(alice.session, "\xff"), MSDK_E_INVALID, "token");
  longest[MSDK_ACCESS_TOKEN_MAX] = 0;
  CHECK_OK(msdk_session_set_access_token(alice.session, longest));
  end camera = end_new(engine, "rtp://127.0.0.1:5004");
  CHECK_ERROR(msdk_session_set_access_token(camera.session, "token"), MSDK_E_UNSUPPORTED, "rtp:");
  msdk_engine_destroy(engine);
}

/* ---------------------------------------------------------------------------------------------------------------- served */

static void in_a_served_room(void) {
  house it = house_new("127.0.0.1");
  clerk desk = {.lifetime_ns = 3600 * SECOND};
  employ(it.host, it.room, &desk);
  end alice = guest_at(it.away, it.url, "alice", "write"), bob = guest_at(it.away, it.url, "bob", "write");
  CHECK(end_state(&alice, MSDK_SESSION_CONNECTED));
  CHECK(end_state(&bob, MSDK_SESSION_CONNECTED));
  CHECK(end_wait(&alice, MSDK_EVENT_PARTICIPANT_JOINED, 1));
  singing *song = sing_start(it.away, &alice, &bob, 440);
  msdk_outgoing_audio *voice = song->voice.stream;
  CHECK(sing_on(it.away, song, 300));
  end carol = guest_at(it.away, it.url, "carol", "brief");
  CHECK(end_wait(&carol, MSDK_EVENT_ACCESS_EXPIRING, 1));
  CHECK((int64_t)carol.last[MSDK_EVENT_ACCESS_EXPIRING].value <= SECOND);
  CHECK_EQ(end_reason(&carol), MSDK_E_PERMISSION);
  CHECK_OK(msdk_session_set_access_token(bob.session, "write"));
  CHECK(end_wait(&bob, MSDK_EVENT_ACCESS_RENEWED, 1));
  CHECK_EQ(bob.last[MSDK_EVENT_ACCESS_RENEWED].status, MSDK_OK);
  CHECK(end_wait(&bob, MSDK_EVENT_INCOMING_AUDIO_ADDED, 1));
  CHECK_OK(msdk_session_set_access_token(alice.session, "stale"));
  CHECK(end_wait(&alice, MSDK_EVENT_ACCESS_RENEWED, 1));
  CHECK_EQ(alice.last[MSDK_EVENT_ACCESS_RENEWED].status, MSDK_E_PERMISSION);
  CHECK_STR_CONTAINS(alice.last[MSDK_EVENT_ACCESS_RENEWED].text, "alice must ask the desk");
  CHECK_OK(msdk_session_set_access_token(alice.session, "read"));
  CHECK(end_wait(&alice, MSDK_EVENT_ACCESS_RENEWED, 2));
  CHECK_EQ(alice.last[MSDK_EVENT_ACCESS_RENEWED].value, MSDK_MAY_RECEIVE);
  CHECK_EQ(alice.last[MSDK_EVENT_OUTGOING_AUDIO_STATE].state, MSDK_OUTGOING_FAILED);
  CHECK_EQ(alice.last[MSDK_EVENT_OUTGOING_AUDIO_STATE].status, MSDK_E_PERMISSION);
  CHECK(end_wait(&bob, MSDK_EVENT_INCOMING_AUDIO_REMOVED, 1));
  PATIENTLY(end_sees(&bob, "alice").permissions == MSDK_MAY_RECEIVE);
  CHECK_EQ(end_sees(&bob, "alice").permissions, MSDK_MAY_RECEIVE);
  CHECK_ERROR(msdk_session_start_audio(alice.session, voice), MSDK_E_PERMISSION, "alice");
  CHECK_OK(msdk_session_set_access_token(bob.session, "brief"));
  CHECK_EQ(end_reason(&bob), MSDK_E_PERMISSION);
  CHECK_STR_CONTAINS(end_words(&bob), "expired");
  CHECK(is_state(alice.session, MSDK_SESSION_CONNECTED));
  sing_end(song);
  house_close(&it);
}

int main(int argc, char **argv) {
  RUN(a_refusal_has_a_reason);
  RUN(access_expires);
  RUN(access_is_renewed);
  RUN(what_is_not_permitted_ends);
  RUN(attached_streams_start_once_they_are_permitted);
  RUN(the_time_goes_on_while_the_network_is_down);
  RUN(answers_are_pulled);
  RUN(tokens_that_cannot_be);
  RUN(in_a_served_room);
  return check_finish();
}
