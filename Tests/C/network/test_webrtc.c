/* webrtc.h: two sessions that the test joins by hand, over sockets of this machine. */
#include "wire.h"

static msdk_engine *engine;
static int trickles; /* candidates follow the descriptions */
static int ignored;

/* The description of this end; its owner frees it. */
static char *description(end *it) {
  uint64_t needed = 0;
  if (!CHECK_RESULT(msdk_session_get_local_description(it->session, NULL, 0, &needed), MSDK_E_BUFFER_SMALL) || !CHECK(needed > 1)) return NULL;
  needed += 4096; /* a candidate may come meanwhile */
  char *text = malloc(needed);
  if (text == NULL) abort();
  CHECK_OK(msdk_session_get_local_description(it->session, text, needed, NULL));
  return text;
}

static void deliver(end *from, uint32_t type);

static void negotiate(end *it) {
  uint32_t type = 0;
  if (msdk_session_describe(it->session, &type) >= 0 && trickles) deliver(it, type);
}

static void deliver(end *from, uint32_t type) {
  char *text = description(from);
  uint32_t outcome = 0;
  if (text != NULL && CHECK_OK(msdk_session_set_remote_description(from->other->session, type, text, &outcome))) {
    if (outcome == MSDK_DESCRIPTION_IGNORED) ignored++;
    else if (type == MSDK_SDP_OFFER) negotiate(from->other);
  }
  free(text);
}

/* Who has left meanwhile needs none. */
static void pass(end *to, const char *candidate, const char *mid) {
  uint32_t state = 0;
  if (msdk_session_get_state(to->session, &state) >= 0 && state == MSDK_SESSION_DISCONNECTED) return;
  msdk_result result = msdk_session_add_remote_candidate(to->session, candidate, mid);
  if (result == MSDK_E_STATE) {
    PATIENTLY(msdk_session_get_state(to->session, &state) >= 0 && state == MSDK_SESSION_DISCONNECTED);
    CHECK_EQ(state, MSDK_SESSION_DISCONNECTED);
  } else {
    CHECK_EQ(result, MSDK_OK);
  }
}

static void carry(end *from, const msdk_event *event) {
  switch (event->type) {
    case MSDK_EVENT_NEGOTIATION_NEEDED: negotiate(from); break;
    case MSDK_EVENT_LOCAL_CANDIDATE:
      CHECK(trickles);
      CHECK_STR_CONTAINS(event->text, "candidate:");
      pass(from->other, event->text, event->user_id);
      break;
    case MSDK_EVENT_CANDIDATES_COMPLETE:
      if (trickles) pass(from->other, "", NULL);
      else deliver(from, from->other->count[MSDK_EVENT_CANDIDATES_COMPLETE] > 0 ? MSDK_SDP_ANSWER : MSDK_SDP_OFFER);
      break;
    default: break;
  }
}

static void join_by_hand(end *alice, end *bob) {
  alice->other = bob;
  bob->other = alice;
  alice->carry = bob->carry = carry;
  CHECK_OK(msdk_session_connect(alice->session));
  CHECK_OK(msdk_session_connect(bob->session));
}

/* Video and audio both ways, which are agreed on while the call goes on; both ends may offer at once. */
static void both_ways(void) {
  trickles = 1;
  end alice = end_new(engine, "webrtc:?polite=0&loopback=1"), bob = end_new(engine, "webrtc:?polite=1&loopback=1");
  join_by_hand(&alice, &bob);
  show there = show_start(engine, &alice, &bob), back = show_start(engine, &bob, &alice);
  NEED(CHECK(end_state(&alice, MSDK_SESSION_CONNECTED)) && CHECK(end_state(&bob, MSDK_SESSION_CONNECTED)));
  CHECK(end_wait(&alice, MSDK_EVENT_RECEIVERS, 1));
  CHECK(end_wait(&bob, MSDK_EVENT_RECEIVERS, 1));
  CHECK(show_play(&there, 10));
  CHECK(show_play(&back, 5));
  singing *song = sing_start(engine, &alice, &bob, 440);
  CHECK(sing_on(engine, song, 500));
  CHECK_RANGE(sing_likeness(song, 440), -300, -20);
  CHECK_EQ(end_people(&alice), 2);
  CHECK_STR_CONTAINS(bob.last[MSDK_EVENT_PARTICIPANT_JOINED].user_id, "peer");
  char json[65536];
  CHECK_OK(msdk_session_get_stats_json(alice.session, json, sizeof json, NULL));
  CHECK_STR_CONTAINS(json, "\"srtpCipher\": \"AEAD_AES_128_GCM\"");
  CHECK_STR_CONTAINS(json, "candidate-pair");
  /* Another path is sought while media go on. */
  CHECK_OK(msdk_session_restart_ice(alice.session));
  uint32_t complete = alice.count[MSDK_EVENT_CANDIDATES_COMPLETE];
  CHECK(end_wait(&alice, MSDK_EVENT_CANDIDATES_COMPLETE, complete + 1));
  CHECK(show_play(&there, 5));
  show_end(&there);
  show_end(&back);
  sing_end(song);
  /* Who leaves is known to have left. */
  msdk_session_destroy(bob.session);
  alice.other = NULL;
  CHECK(end_state(&alice, MSDK_SESSION_DISCONNECTED));
  end_look(&alice);
  CHECK_EQ(alice.last[MSDK_EVENT_SESSION_STATE].status, MSDK_E_CLOSED);
  msdk_session_destroy(alice.session);
}

/* Descriptions that are complete, as they go through a mail. */
static void without_trickling(void) {
  trickles = 0;
  end alice = end_new(engine, "webrtc:?polite=0&loopback=1&trickle=0"), bob = end_new(engine, "webrtc:?loopback=1&trickle=0");
  /* Attached before, it is in the first offer. */
  msdk_video_format format = format_of(MSDK_PIXEL_I420, SHOW_WIDTH, SHOW_HEIGHT, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  msdk_outgoing_video *stream = NULL;
  CHECK_OK(msdk_outgoing_video_create(engine, &options, &stream));
  CHECK_OK(msdk_session_start_video(alice.session, stream));
  join_by_hand(&alice, &bob);
  CHECK(end_state(&alice, MSDK_SESSION_CONNECTED));
  CHECK(end_state(&bob, MSDK_SESSION_CONNECTED));
  CHECK(end_wait(&alice, MSDK_EVENT_RECEIVERS, 1));
  CHECK_EQ(alice.count[MSDK_EVENT_LOCAL_CANDIDATE], 0);
  msdk_outgoing_video_destroy(stream);
  msdk_session_destroy(alice.session);
  msdk_session_destroy(bob.session);
}

/* An offer that meets one: by the hand of the test, in the order that makes it one. */
static void glare(void) {
  trickles = 1;
  end alice = end_new(engine, "webrtc:?polite=0&loopback=1"), bob = end_new(engine, "webrtc:?polite=1&loopback=1");
  alice.other = &bob;
  bob.other = &alice;
  CHECK_OK(msdk_session_connect(alice.session));
  CHECK_OK(msdk_session_connect(bob.session));
  uint32_t type = 0, outcome = 0;
  CHECK_OK(msdk_session_describe(alice.session, &type));
  CHECK_EQ(type, MSDK_SDP_OFFER);
  CHECK_OK(msdk_session_describe(bob.session, &type));
  CHECK_ERROR(msdk_session_describe(bob.session, &type), MSDK_E_STATE, "waits for its answer");
  char *offer = description(&bob);
  CHECK_OK(msdk_session_set_remote_description(alice.session, MSDK_SDP_OFFER, offer, &outcome));
  CHECK_EQ(outcome, MSDK_DESCRIPTION_IGNORED);
  free(offer);
  alice.carry = bob.carry = carry;
  deliver(&alice, MSDK_SDP_OFFER);
  CHECK(end_state(&alice, MSDK_SESSION_CONNECTED));
  CHECK(end_state(&bob, MSDK_SESSION_CONNECTED));
  msdk_session_destroy(alice.session);
  msdk_session_destroy(bob.session);
}

static void another_certificate(void) {
  trickles = 1;
  end alice = end_new(engine, "webrtc:?polite=0&loopback=1"), bob = end_new(engine, "webrtc:?loopback=1");
  CHECK_OK(msdk_session_connect(alice.session));
  CHECK_OK(msdk_session_connect(bob.session));
  CHECK_OK(msdk_session_describe(alice.session, NULL));
  char *offer = description(&alice);
  alice.other = &bob;
  bob.other = &alice;
  CHECK_OK(msdk_session_set_remote_description(bob.session, MSDK_SDP_OFFER, offer, NULL));
  uint32_t type = 0;
  CHECK_OK(msdk_session_describe(bob.session, &type));
  CHECK_EQ(type, MSDK_SDP_ANSWER);
  char *answer = description(&bob);
  const char *start = "a=fingerprint:sha-256 ";
  for (char *mark = answer; mark != NULL && (mark = strstr(mark, start)) != NULL;) {
    mark += strlen(start);
    *mark = *mark == '0' ? '1' : '0';
  }
  CHECK_OK(msdk_session_set_remote_description(alice.session, MSDK_SDP_ANSWER, answer, NULL));
  alice.carry = bob.carry = carry;
  CHECK(end_state(&alice, MSDK_SESSION_DISCONNECTED));
  end_look(&alice);
  CHECK_EQ(alice.last[MSDK_EVENT_SESSION_STATE].status, MSDK_E_UNTRUSTED);
  free(offer);
  free(answer);
  msdk_session_destroy(alice.session);
  msdk_session_destroy(bob.session);
}

static void what_is_wrong(void) {
  msdk_session *session = NULL;
  CHECK_ERROR(end_create(engine, "webrtc://here", &session), MSDK_E_INVALID, "webrtc:?key=value");
  CHECK_ERROR(end_create(engine, "webrtc:?turn=here", &session), MSDK_E_INVALID, "msdk_session_add_ice_server");
  CHECK_ERROR(end_create(engine, "webrtc:?trickle=2", &session), MSDK_E_INVALID, "accepted: 0, 1");
  end other = end_new(engine, "loopback:here"), it = end_new(engine, "webrtc:");
  CHECK_ERROR(msdk_session_describe(other.session, NULL), MSDK_E_STATE, "webrtc:");
  CHECK_ERROR(msdk_session_describe(it.session, NULL), MSDK_E_STATE, "msdk_session_connect");
  CHECK_ERROR(msdk_session_restart_ice(it.session), MSDK_E_STATE, "msdk_session_connect");
  CHECK_ERROR(msdk_session_add_ice_server(it.session, "http://here", NULL, NULL), MSDK_E_INVALID, "accepted: stun:");
  CHECK_ERROR(msdk_session_add_ice_server(it.session, "turn:here", NULL, NULL), MSDK_E_INVALID, "without user or password");
  CHECK_ERROR(msdk_session_add_ice_server(it.session, "stuns:here", NULL, NULL), MSDK_E_UNSUPPORTED, "stuns:here");
  CHECK_ERROR(msdk_session_add_ice_server(it.session, NULL, NULL, NULL), MSDK_E_INVALID, "uri is NULL");
  CHECK_OK(msdk_session_add_ice_server(it.session, "turn:127.0.0.1:9", "robot", "secret"));
  CHECK_OK(msdk_session_connect(it.session));
  CHECK_ERROR(msdk_session_get_local_description(it.session, NULL, 0, NULL), MSDK_E_STATE, "msdk_session_describe");
  CHECK_ERROR(msdk_session_set_remote_description(it.session, 9, "v=0", NULL), MSDK_E_UNSUPPORTED, "MSDK_SDP_ROLLBACK");
  CHECK_ERROR(msdk_session_set_remote_description(it.session, MSDK_SDP_OFFER, NULL, NULL), MSDK_E_INVALID, "sdp is NULL");
  CHECK_RESULT(msdk_session_set_remote_description(it.session, MSDK_SDP_OFFER, "v=0", NULL), MSDK_E_INVALID);
  CHECK_RESULT(msdk_session_set_remote_description(it.session, MSDK_SDP_ANSWER, "v=0", NULL), MSDK_E_STATE);
  CHECK_RESULT(msdk_session_set_remote_description(it.session, MSDK_SDP_ROLLBACK, NULL, NULL), MSDK_E_STATE);
  CHECK_ERROR(msdk_session_add_remote_candidate(it.session, "candidate:x", NULL), MSDK_E_INVALID, "candidate");
  CHECK_RESULT(msdk_session_add_remote_candidate(it.session, "candidate:1 1 udp 1 10.0.0.1 9 typ host", "none"), MSDK_E_NOT_FOUND);
  /* An offer may be taken back. */
  CHECK_OK(msdk_session_describe(it.session, NULL));
  CHECK_OK(msdk_session_set_remote_description(it.session, MSDK_SDP_ROLLBACK, NULL, NULL));
  CHECK_OK(msdk_session_describe(it.session, NULL));
  msdk_session_destroy(it.session);
  msdk_session_destroy(other.session);
}

int main(int argc, char **argv) {
  engine = engine_new(MSDK_CLOCK_SYSTEM);
  RUN(what_is_wrong);
  RUN(both_ways);
  RUN(without_trickling);
  RUN(glare);
  RUN(another_certificate);
  msdk_engine_destroy(engine);
  return check_finish();
}
