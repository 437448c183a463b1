/* session.h: attributes of participants, in a loopback room and a served one. */
#include "hosting.h"

static int has(msdk_session *session, const char *user, const char *key, const char *expected) {
  char value[MSDK_ATTRIBUTE_VALUE_MAX + 1] = "?";
  msdk_result result = msdk_session_get_participant_attribute(session, user, key, value, sizeof value, NULL);
  return expected == NULL ? result == MSDK_E_NOT_FOUND : result == MSDK_OK && strcmp(value, expected) == 0;
}

static uint32_t attributes_of(msdk_session *session, const char *user) {
  msdk_attribute attribute = MSDK_INIT(msdk_attribute);
  char former[64] = "";
  uint32_t count = 0;
  while (msdk_session_participant_attribute_at(session, user, count, &attribute) >= 0) {
    CHECK(strcmp(attribute.key, former) > 0); /* in order */
    CHECK(has(session, user, attribute.key, attribute.value));
    snprintf(former, sizeof former, "%s", attribute.key);
    count++;
  }
  return count;
}

static int changes(msdk_session *session, const char *user, const char *key) {
  msdk_event event = MSDK_INIT(msdk_event);
  int count = 0;
  while (msdk_session_next_event(session, 0, &event) >= 0) {
    count += event.type == MSDK_EVENT_PARTICIPANT_ATTRIBUTE && strcmp(event.user_id, user) == 0 && strcmp(event.text, key) == 0;
  }
  return count;
}

static void everybody_reads_them(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_session *alice = session_new(engine, url, "alice"), *bob = session_new(engine, url, "bob");
  CHECK_OK(msdk_session_set_attribute(alice, "role", "host")); /* before she connects */
  CHECK_OK(msdk_session_set_attribute(alice, "seat", "1"));
  CHECK_OK(msdk_session_set_attribute(alice, "seat", NULL));
  CHECK(has(alice, "alice", "role", "host") && has(alice, "alice", "seat", NULL));
  CHECK_OK(msdk_session_connect(bob));
  run_for(engine, MS);
  CHECK(has(bob, "alice", "role", NULL)); /* who is not there has none */
  CHECK_OK(msdk_session_connect(alice));
  run_for(engine, MS);
  CHECK(has(bob, "alice", "role", "host"));
  CHECK_EQ(changes(bob, "alice", "role"), 0); /* she came with it */
  CHECK_OK(msdk_session_set_attribute(alice, "role", "guest"));
  CHECK_OK(msdk_session_set_attribute(alice, "hand.is_up-1", ""));
  CHECK_OK(msdk_session_set_attribute(alice, "hand.is_up-1", "")); /* no change */
  run_for(engine, MS);
  CHECK(has(bob, "alice", "role", "guest") && has(bob, "alice", "hand.is_up-1", ""));
  CHECK_EQ(attributes_of(bob, "alice"), 2);
  msdk_session *carol = session_new(engine, url, "carol");
  CHECK_OK(msdk_session_connect(carol));
  run_for(engine, MS);
  CHECK(has(carol, "alice", "role", "guest")); /* who comes later */
  CHECK_EQ(attributes_of(carol, "alice"), 2);
  CHECK_EQ(changes(bob, "alice", "hand.is_up-1"), 1);
  CHECK_OK(msdk_session_set_attribute(alice, "role", NULL));
  CHECK_OK(msdk_session_set_attribute(alice, "never", NULL)); /* was not there */
  run_for(engine, MS);
  CHECK(has(bob, "alice", "role", NULL) && has(carol, "alice", "role", NULL));
  CHECK_EQ(changes(bob, "alice", "role"), 1);
  CHECK_EQ(changes(carol, "alice", "role"), 1);
  CHECK_EQ(changes(alice, "alice", "role"), 0);
  CHECK_OK(msdk_session_disconnect(alice));
  CHECK_OK(msdk_session_set_attribute(alice, "role", "late"));
  run_for(engine, MS);
  CHECK_EQ(attributes_of(bob, "alice"), 0);
  CHECK_OK(msdk_session_connect(alice)); /* she kept them */
  run_for(engine, MS);
  CHECK(has(bob, "alice", "role", "late") && has(bob, "alice", "hand.is_up-1", ""));
  msdk_engine_destroy(engine);
}

static void what_is_not_accepted(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  end alice = end_new(engine, room_new());
  msdk_session *session = alice.session;
  char user[256];
  snprintf(user, sizeof user, "%s", "nobody");
  static const char *wrong[] = {"", "Role", "a b", "\xc3\xa4", "a/b", "a=b", "\xff"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    CHECK_ERROR(msdk_session_set_attribute(session, wrong[i], "x"), MSDK_E_INVALID, "key");
    CHECK_ERROR(msdk_session_set_attribute(session, wrong[i], NULL), MSDK_E_INVALID, "key");
  }
  CHECK_ERROR(msdk_session_set_attribute(session, NULL, "x"), MSDK_E_INVALID, "key");
  char key[65], value[1025];
  memset(key, 'k', sizeof key);
  memset(value, 'v', sizeof value);
  key[64] = 0;
  value[1024] = 0;
  CHECK_ERROR(msdk_session_set_attribute(session, key, "x"), MSDK_E_INVALID, "key");
  CHECK_ERROR(msdk_session_set_attribute(session, "key", value), MSDK_E_INVALID, "value");
  CHECK_ERROR(msdk_session_set_attribute(session, "key", "\xff"), MSDK_E_INVALID, "value");
  key[63] = 0;
  value[1023] = 0;
  CHECK_OK(msdk_session_set_attribute(session, key, value));
  for (int i = 1; i < MSDK_ATTRIBUTES_MAX; i++) {
    snprintf(key, sizeof key, "%d", i);
    CHECK_OK(msdk_session_set_attribute(session, key, ""));
  }
  CHECK_ERROR(msdk_session_set_attribute(session, "more", ""), MSDK_E_FULL, "32");
  CHECK_OK(msdk_session_set_attribute(session, key, "changed"));
  CHECK_OK(msdk_session_set_attribute(session, key, NULL));
  CHECK_OK(msdk_session_set_attribute(session, "more", "four"));
  msdk_participant me = MSDK_INIT(msdk_participant);
  CHECK_RESULT(msdk_session_participant_at(session, 0, &me), MSDK_E_NOT_FOUND); /* it is idle */
  char small[4];
  uint64_t needed = 0;
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = room_new();
  options.user_id = "bob";
  msdk_session *bob = NULL;
  CHECK_OK(msdk_session_create(engine, &options, &bob));
  CHECK_OK(msdk_session_set_attribute(bob, "more", "four"));
  CHECK_RESULT(msdk_session_get_participant_attribute(bob, "bob", "more", NULL, 0, &needed), MSDK_E_BUFFER_SMALL);
  CHECK_EQ(needed, 5);
  CHECK_ERROR(msdk_session_get_participant_attribute(bob, "bob", "more", small, sizeof small, NULL), MSDK_E_BUFFER_SMALL, "5 bytes");
  CHECK_ERROR(msdk_session_get_participant_attribute(bob, "bob", "less", small, sizeof small, NULL), MSDK_E_NOT_FOUND, "less");
  CHECK_ERROR(msdk_session_get_participant_attribute(bob, user, "more", small, sizeof small, NULL), MSDK_E_NOT_FOUND, "nobody");
  CHECK_ERROR(msdk_session_get_participant_attribute(bob, NULL, "more", small, sizeof small, NULL), MSDK_E_INVALID, "user_id");
  CHECK_ERROR(msdk_session_get_participant_attribute(bob, "bob", NULL, small, sizeof small, NULL), MSDK_E_INVALID, "key");
  msdk_attribute attribute = MSDK_INIT(msdk_attribute);
  CHECK_ERROR(msdk_session_participant_attribute_at(bob, "bob", 1, &attribute), MSDK_E_NOT_FOUND, "there are 1 attributes");
  CHECK_ERROR(msdk_session_participant_attribute_at(bob, user, 0, &attribute), MSDK_E_NOT_FOUND, "nobody");
  CHECK_ERROR(msdk_session_participant_attribute_at(bob, "bob", 0, NULL), MSDK_E_INVALID, "out");
  end camera = end_new(engine, "rtp://127.0.0.1:5004");
  CHECK_ERROR(msdk_session_set_attribute(camera.session, "key", "x"), MSDK_E_UNSUPPORTED, "rtp:");
  msdk_engine_destroy(engine);
}

/* ---------------------------------------------------------------------------------------------------------------- served */

static end talker(msdk_engine *engine, const char *url, const char *user) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = url;
  options.user_id = user;
  end it = {0};
  CHECK_OK(msdk_session_create(engine, &options, &it.session));
  CHECK_OK(msdk_session_set_attribute(it.session, "from", user));
  CHECK_OK(msdk_session_connect(it.session));
  return it;
}

static void in_a_served_room(void) {
  house it = house_new("127.0.0.1");
  end alice = talker(it.host, it.room, "alice"), bob = talker(it.away, it.url, "bob");
  CHECK_OK(msdk_session_set_attribute(bob.session, "state", "coming")); /* wherever he is by now */
  CHECK(end_wait(&alice, MSDK_EVENT_PARTICIPANT_JOINED, 1) && end_wait(&bob, MSDK_EVENT_PARTICIPANT_JOINED, 1));
  CHECK(has(alice.session, "bob", "from", "bob") && has(bob.session, "alice", "from", "alice"));
  PATIENTLY(has(alice.session, "bob", "state", "coming"));
  CHECK(has(alice.session, "bob", "state", "coming"));
  end carol = talker(it.away, it.url, "carol");
  CHECK(end_wait(&carol, MSDK_EVENT_PARTICIPANT_JOINED, 2));
  CHECK(has(carol.session, "bob", "state", "coming") && has(carol.session, "alice", "from", "alice"));
  CHECK(end_wait(&bob, MSDK_EVENT_PARTICIPANT_JOINED, 2));
  CHECK_OK(msdk_session_set_attribute(bob.session, "state", "here"));
  CHECK_OK(msdk_session_set_attribute(alice.session, "from", NULL));
  CHECK(end_wait(&carol, MSDK_EVENT_PARTICIPANT_ATTRIBUTE, 2));
  CHECK(has(carol.session, "bob", "state", "here") && has(carol.session, "alice", "from", NULL));
  CHECK(end_wait(&bob, MSDK_EVENT_PARTICIPANT_ATTRIBUTE, 1));
  CHECK(strcmp(bob.last[MSDK_EVENT_PARTICIPANT_ATTRIBUTE].user_id, "alice") == 0);
  CHECK(strcmp(bob.last[MSDK_EVENT_PARTICIPANT_ATTRIBUTE].text, "from") == 0);
  house_close(&it);
}

/* Seventy members of the process say all that they can, which is more than is kept for somebody elsewhere at a time. */
static void a_newcomer_gets_all(void) {
  enum { TALKERS = 70 };
  house it = house_new("127.0.0.1");
  static end talkers[TALKERS];
  char user[16], key[16], value[MSDK_ATTRIBUTE_VALUE_MAX + 1];
  memset(value, 'v', sizeof value);
  value[sizeof value - 1] = 0;
  for (int i = 0; i < TALKERS; i++) {
    snprintf(user, sizeof user, "talker-%d", i);
    talkers[i] = talker(it.host, it.room, user);
    for (int j = 1; j < MSDK_ATTRIBUTES_MAX; j++) {
      snprintf(key, sizeof key, "key-%d", j);
      CHECK_OK(msdk_session_set_attribute(talkers[i].session, key, value));
    }
    CHECK(end_state(&talkers[i], MSDK_SESSION_CONNECTED));
  }
  end bob = guest(&it, "bob", "");
  CHECK(end_wait(&bob, MSDK_EVENT_PARTICIPANT_JOINED, TALKERS));
  for (int i = 0; i < TALKERS; i++) {
    snprintf(user, sizeof user, "talker-%d", i);
    PATIENTLY(has(bob.session, user, "from", user) && has(bob.session, user, "key-31", value));
    CHECK_EQ(attributes_of(bob.session, user), MSDK_ATTRIBUTES_MAX);
  }
  CHECK(is_state(bob.session, MSDK_SESSION_CONNECTED));
  house_close(&it);
}

int main(int argc, char **argv) {
  RUN(everybody_reads_them);
  RUN(what_is_not_accepted);
  RUN(in_a_served_room);
  RUN(a_newcomer_gets_all);
  return check_finish();
}
