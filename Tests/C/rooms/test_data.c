/* data.h: data between the members of a loopback room. */
#include "access.h"
#include "waiting.h"

/* What a session may have sent that is not passed on yet, and what it keeps of what nobody reads. */
enum { UNPASSED = 1024, UNREAD = 4096 };

static uint8_t buffer[65536], large[MSDK_DATA_MAX + 1];
static msdk_data_message taken;

/* --------------------------------------------------------------------------------------------------------------- members */

typedef struct trio {
  msdk_engine *engine;
  char url[64];
  msdk_session *alice, *bob, *carol;
} trio;

static trio trio_join(void) {
  trio it = {.engine = engine_new(MSDK_CLOCK_VIRTUAL)};
  snprintf(it.url, sizeof it.url, "%s", room_new());
  it.alice = join(it.engine, it.url, "alice");
  it.bob = join(it.engine, it.url, "bob");
  it.carol = join(it.engine, it.url, "carol");
  return it;
}

static void pass_on(const trio *it) { run_for(it->engine, MS); }

/* ------------------------------------------------------------------------------------------------------ sending, reading */

static msdk_result send_text(msdk_session *session, const char *topic, const char *text) {
  msdk_data_options options = MSDK_INIT(msdk_data_options);
  options.topic = topic;
  return msdk_session_send_data(session, &options, (const uint8_t *)text, strlen(text));
}

static msdk_result send_to(msdk_session *session, const char *const *users, uint32_t count, const char *text) {
  msdk_data_options options = MSDK_INIT(msdk_data_options);
  options.recipients = users;
  options.recipient_count = count;
  return msdk_session_send_data(session, &options, (const uint8_t *)text, strlen(text));
}

static msdk_result send_number(msdk_session *session, uint32_t number) {
  return msdk_session_send_data(session, NULL, (const uint8_t *)&number, sizeof number);
}

static msdk_result send_lossy(msdk_session *session, uint32_t number) {
  msdk_data_options options = MSDK_INIT(msdk_data_options);
  options.flags = MSDK_DATA_LOSSY;
  return msdk_session_send_data(session, &options, (const uint8_t *)&number, sizeof number);
}

static msdk_result take(msdk_session *session) {
  taken = MSDK_INIT(msdk_data_message);
  memset(buffer, 0xA5, sizeof buffer);
  return msdk_session_read_data(session, &taken, buffer, sizeof buffer);
}

static int is_empty(msdk_session *session) { return take(session) == MSDK_E_AGAIN; }

/* Whether the oldest data that has come is this text. */
static int has_come(msdk_session *session, const char *user, const char *topic, const char *text) {
  if (!CHECK_OK(take(session)) || !CHECK_EQ(taken.size, strlen(text))) return 0;
  return CHECK(memcmp(buffer, text, strlen(text)) == 0) & CHECK(strcmp(taken.user_id, user) == 0) & CHECK(strcmp(taken.topic, topic) == 0) &
         CHECK_EQ(buffer[taken.size], 0xA5);
}

/* The number that has come; UINT32_MAX: none. */
static uint32_t number_of(msdk_session *session) {
  uint32_t number = UINT32_MAX;
  if (take(session) >= 0 && CHECK_EQ(taken.size, sizeof number)) memcpy(&number, buffer, sizeof number);
  return number;
}

/* Takes the events that wait; how many are of this type. */
static int events_of(msdk_session *session, uint32_t type) {
  msdk_event event = MSDK_INIT(msdk_event);
  int count = 0;
  while (msdk_session_next_event(session, 0, &event) >= 0) count += event.type == type;
  return count;
}

/* ------------------------------------------------------------------------------------------------------------ who gets it */

static void everybody_else_gets_it(void) {
  trio it = trio_join();
  char topic[MSDK_DATA_TOPIC_MAX + 1];
  memset(topic, 't', sizeof topic);
  topic[MSDK_DATA_TOPIC_MAX] = 0;
  CHECK_OK(msdk_session_send_data(it.alice, NULL, (const uint8_t *)"hello", 5));
  CHECK_OK(send_text(it.alice, "gr\xc3\xbc\xc3\x9f", "world"));
  CHECK_OK(send_text(it.alice, topic, "!"));
  CHECK_OK(send_text(it.bob, "", "I am here"));
  CHECK_OK(msdk_session_send_data(it.carol, NULL, NULL, 0));
  pass_on(&it);
  msdk_session *listeners[] = {it.bob, it.carol};
  for (int i = 0; i < 2; i++) {
    CHECK(has_come(listeners[i], "alice", "", "hello"));
    CHECK_EQ(taken.flags, 0);
    CHECK_EQ(taken.missed, 0);
    CHECK_EQ(taken.struct_size, sizeof taken);
    CHECK(has_come(listeners[i], "alice", "gr\xc3\xbc\xc3\x9f", "world"));
    CHECK(has_come(listeners[i], "alice", topic, "!"));
  }
  CHECK(has_come(it.bob, "carol", "", "") && is_empty(it.bob));
  CHECK(has_come(it.carol, "bob", "", "I am here") && is_empty(it.carol));
  CHECK(has_come(it.alice, "bob", "", "I am here") && has_come(it.alice, "carol", "", "") && is_empty(it.alice)); /* not her own */
  msdk_session *dora = join(it.engine, it.url, "dora");
  pass_on(&it);
  CHECK(is_empty(dora)); /* who came later */
  msdk_engine_destroy(it.engine);
}

static void only_recipients_get_it(void) {
  trio it = trio_join();
  static const char *const bob[] = {"bob"}, *const both[] = {"carol", "bob"}, *const twice[] = {"bob", "bob"};
  CHECK_OK(send_to(it.alice, bob, 1, "for bob"));
  CHECK_OK(send_to(it.alice, both, 2, "for two"));
  CHECK_OK(send_to(it.alice, twice, 2, "once"));
  pass_on(&it);
  CHECK(has_come(it.bob, "alice", "", "for bob") && has_come(it.bob, "alice", "", "for two") && has_come(it.bob, "alice", "", "once"));
  CHECK(has_come(it.carol, "alice", "", "for two"));
  CHECK(is_empty(it.bob) && is_empty(it.carol) && is_empty(it.alice));
  msdk_engine_destroy(it.engine);
}

static void all_bytes_arrive(void) {
  trio it = trio_join();
  for (size_t i = 0; i < sizeof large; i++) large[i] = (uint8_t)(i * 31 + (i >> 8));
  CHECK_OK(msdk_session_send_data(it.alice, NULL, large, MSDK_DATA_MAX));
  memset(large, 0, 100); /* it was copied */
  pass_on(&it);
  for (size_t i = 0; i < 100; i++) large[i] = (uint8_t)(i * 31);
  CHECK_OK(take(it.bob));
  CHECK_EQ(taken.size, MSDK_DATA_MAX);
  CHECK(memcmp(buffer, large, MSDK_DATA_MAX) == 0);
  msdk_engine_destroy(it.engine);
}

static void lossy_data_says_so(void) {
  trio it = trio_join();
  CHECK_OK(send_lossy(it.alice, 1));
  CHECK_OK(send_number(it.alice, 2));
  pass_on(&it);
  uint32_t seen = 0; /* in whichever order */
  for (int i = 0; i < 2; i++) {
    uint32_t number = number_of(it.bob);
    CHECK_EQ(taken.flags, number == 1 ? MSDK_DATA_LOSSY : 0);
    seen += number;
  }
  CHECK_EQ(seen, 3);
  msdk_engine_destroy(it.engine);
}

/* A third of all packets is lost. */
static void over_a_bad_network(void) {
  trio it = trio_join();
  msdk_network_step step = network_step(0, 1000000);
  step.delay_ns = 50 * MS;
  step.jitter_ns = 20 * MS;
  step.loss_ppm = 333333;
  CHECK_OK(network_set(it.engine, it.url, &step, 1, 7));
  for (uint32_t i = 0; i < 200; i++) {
    CHECK_OK(send_number(it.alice, i));
    CHECK_OK(send_lossy(it.alice, 1000 + i));
    run_for(it.engine, 10 * MS);
  }
  run_for(it.engine, 10 * SECOND);
  uint32_t reliable = 0, lossy = 0;
  for (uint32_t number; (number = number_of(it.bob)) != UINT32_MAX;) {
    if (number >= 1000) lossy++;
    else CHECK_EQ(number, reliable++);
  }
  CHECK_EQ(reliable, 200);
  CHECK_RANGE(lossy, 90, 180);
  msdk_engine_destroy(it.engine);
}

/* ------------------------------------------------------------------------------------------------------------- how much */

static void a_full_session_says_when_there_is_room(void) {
  trio it = trio_join();
  enum { COUNT = 3000 };
  int refusals = 0;
  for (uint32_t sent = 0; sent < COUNT;) {
    msdk_result result = send_number(it.alice, sent);
    if (result >= 0) {
      sent++;
      continue;
    }
    NEED(CHECK_EQ(result, MSDK_E_AGAIN));
    CHECK(msdk_last_error()[0] != 0);
    if (refusals == 0) CHECK_EQ(sent, UNPASSED);
    CHECK_RESULT(send_number(it.alice, UINT32_MAX), MSDK_E_AGAIN);
    CHECK_EQ(events_of(it.alice, MSDK_EVENT_DATA_WRITABLE), 0);
    refusals++;
    pass_on(&it);
    NEED(CHECK_EQ(events_of(it.alice, MSDK_EVENT_DATA_WRITABLE), 1)); /* for both */
  }
  CHECK_RANGE(refusals, 2, COUNT / UNPASSED);
  pass_on(&it);
  CHECK_EQ(events_of(it.alice, MSDK_EVENT_DATA_WRITABLE), 0); /* nobody waits for it */
  for (uint32_t i = 0; i < COUNT; i++) {
    if (!CHECK_EQ(number_of(it.bob), i)) break; /* all, and in order */
  }
  CHECK(is_empty(it.bob));
  msdk_engine_destroy(it.engine);
}

static void a_megabyte_is_too_much(void) {
  trio it = trio_join();
  uint32_t sent = 0;
  msdk_result result;
  while ((result = msdk_session_send_data(it.alice, NULL, large, MSDK_DATA_MAX)) >= 0 && sent < UNPASSED) sent++;
  CHECK_EQ(result, MSDK_E_AGAIN);
  CHECK_RANGE(sent, 65, 70);
  msdk_data_options options = MSDK_INIT(msdk_data_options);
  options.flags = MSDK_DATA_LOSSY;
  CHECK_OK(msdk_session_send_data(it.alice, &options, large, MSDK_DATA_MAX)); /* it is lost */
  CHECK_OK(send_number(it.bob, 1)); /* others are not hindered */
  pass_on(&it);
  uint32_t came = 0;
  while (take(it.bob) >= 0) came += CHECK_EQ(taken.flags, 0) & CHECK_EQ(taken.size, MSDK_DATA_MAX);
  CHECK_EQ(came, sent);
  CHECK_EQ(number_of(it.alice), 1);
  CHECK_EQ(events_of(it.alice, MSDK_EVENT_DATA_WRITABLE), 1);
  CHECK_OK(msdk_session_send_data(it.alice, NULL, large, MSDK_DATA_MAX));
  msdk_engine_destroy(it.engine);
}

/* Sends so many numbers, of which none is refused, as they are passed on. */
static void send_many(const trio *it, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (!CHECK_OK(send_number(it->alice, i))) return;
    if (i % 500 == 499) pass_on(it);
  }
  pass_on(it);
}

static void what_is_not_read_is_dropped_and_counted(void) {
  trio it = trio_join();
  send_many(&it, 5000);
  msdk_data_message told = MSDK_INIT(msdk_data_message);
  CHECK_RESULT(msdk_session_read_data(it.bob, &told, NULL, 0), MSDK_E_BUFFER_SMALL);
  CHECK_EQ(told.missed, 5000 - UNREAD); /* and it is said again when the message is read */
  for (uint32_t i = 5000 - UNREAD; i < 5000; i++) {
    if (!CHECK_EQ(number_of(it.bob), i) || !CHECK_EQ(taken.missed, i == 5000 - UNREAD ? 5000 - UNREAD : 0)) break;
  }
  CHECK(is_empty(it.bob));
  send_many(&it, 3);
  CHECK_EQ(number_of(it.bob), 0);
  CHECK_EQ(taken.missed, 0); /* it was said */
  msdk_engine_destroy(it.engine);
}

static void four_megabytes_are_kept(void) {
  trio it = trio_join();
  enum { COUNT = 300 };
  for (uint32_t i = 0; i < COUNT; i++) {
    memcpy(large, &i, sizeof i);
    CHECK_OK(msdk_session_send_data(it.alice, NULL, large, MSDK_DATA_MAX));
    if (i % 50 == 49) pass_on(&it);
  }
  uint32_t first = 0, came = 0;
  CHECK_OK(take(it.bob));
  memcpy(&first, buffer, sizeof first);
  CHECK_EQ(taken.missed, first);
  CHECK_RANGE((double)(COUNT - first) * MSDK_DATA_MAX, 3.9e6, 4.2e6);
  while (take(it.bob) >= 0) came += CHECK_EQ(taken.missed, 0);
  CHECK_EQ(came, COUNT - first - 1);
  msdk_engine_destroy(it.engine);
}

static void who_does_not_read_hinders_nobody(void) {
  trio it = trio_join();
  uint32_t expected = 0;
  for (uint32_t i = 0; i < 10000; i++) {
    if (!CHECK_OK(send_number(it.alice, i))) break;
    if (i % 500 != 499) continue;
    pass_on(&it);
    for (uint32_t number; (number = number_of(it.carol)) != UINT32_MAX; expected++) {
      if (!CHECK_EQ(number, expected) || !CHECK_EQ(taken.missed, 0)) break;
    }
  }
  CHECK_EQ(expected, 10000);
  CHECK_EQ(number_of(it.bob), 10000 - UNREAD);
  CHECK_EQ(taken.missed, 10000 - UNREAD);
  msdk_engine_destroy(it.engine);
}

/* --------------------------------------------------------------------------------------------------------------- reading */

static void a_small_buffer_costs_nothing(void) {
  trio it = trio_join();
  CHECK_OK(send_text(it.alice, "chat", "hello"));
  CHECK_OK(send_text(it.alice, "", "next"));
  CHECK_OK(msdk_session_send_data(it.alice, NULL, NULL, 0));
  pass_on(&it);
  uint8_t small[8];
  memset(small, 0xA5, sizeof small);
  for (uint64_t size = 0; size < 5; size++) {
    taken = MSDK_INIT(msdk_data_message);
    CHECK_ERROR(msdk_session_read_data(it.bob, &taken, size == 0 ? NULL : small, size), MSDK_E_BUFFER_SMALL, "5 bytes");
    CHECK_EQ(taken.size, 5);
    CHECK(strcmp(taken.user_id, "alice") == 0 && strcmp(taken.topic, "chat") == 0);
    CHECK_EQ(small[0], 0xA5);
  }
  CHECK_OK(msdk_session_read_data(it.bob, &taken, small, 5));
  CHECK(memcmp(small, "hello\xA5", 6) == 0);
  CHECK(has_come(it.bob, "alice", "", "next"));
  CHECK_OK(msdk_session_read_data(it.bob, &taken, NULL, 0)); /* what is empty fits */
  CHECK_EQ(taken.size, 0);
  CHECK_RESULT(msdk_session_read_data(it.bob, &taken, NULL, 0), MSDK_E_AGAIN);
  msdk_engine_destroy(it.engine);
}

static void it_is_announced_once(void) {
  trio it = trio_join();
  int32_t descriptor = -1;
  CHECK_OK(msdk_session_get_event_fd(it.bob, &descriptor));
  pass_on(&it);
  events_of(it.bob, MSDK_EVENT_NONE);
  CHECK(!is_readable(descriptor, 0));
  CHECK_OK(send_number(it.alice, 1));
  CHECK_OK(send_number(it.alice, 2));
  pass_on(&it);
  CHECK(is_readable(descriptor, 0));
  CHECK_EQ(events_of(it.bob, MSDK_EVENT_DATA_AVAILABLE), 1);
  CHECK_EQ(number_of(it.bob), 1);
  CHECK_OK(send_number(it.carol, 3));
  pass_on(&it);
  CHECK_EQ(events_of(it.bob, MSDK_EVENT_DATA_AVAILABLE), 0); /* it was not read to the end */
  CHECK_RESULT(msdk_session_read_data(it.bob, &taken, NULL, 0), MSDK_E_BUFFER_SMALL);
  CHECK_EQ(number_of(it.bob), 2);
  CHECK_EQ(number_of(it.bob), 3);
  CHECK_OK(send_number(it.alice, 4));
  pass_on(&it);
  CHECK_EQ(events_of(it.bob, MSDK_EVENT_DATA_AVAILABLE), 0); /* nor yet */
  CHECK_EQ(number_of(it.bob), 4);
  CHECK(is_empty(it.bob));
  CHECK_OK(send_number(it.alice, 5));
  pass_on(&it);
  CHECK_EQ(events_of(it.bob, MSDK_EVENT_DATA_AVAILABLE), 1);
  CHECK_EQ(number_of(it.bob), 5);
  msdk_engine_destroy(it.engine);
}

/* ------------------------------------------------------------------------------------------------- states and permissions */

static void states(void) {
  trio it = trio_join();
  msdk_session *idle = session_new(it.engine, it.url, "erik");
  CHECK_ERROR(send_number(idle, 1), MSDK_E_STATE, "connected");
  CHECK(is_empty(idle));
  CHECK_OK(msdk_session_connect(idle));
  CHECK_RESULT(send_number(idle, 1), MSDK_E_STATE); /* connecting */
  CHECK_OK(send_number(it.alice, 1));
  CHECK_OK(send_number(it.alice, 2));
  pass_on(&it);
  CHECK_EQ(number_of(it.bob), 1);
  CHECK_OK(msdk_session_disconnect(it.bob));
  CHECK(state_wait(it.engine, it.bob, MSDK_SESSION_DISCONNECTED));
  CHECK_ERROR(send_number(it.bob, 3), MSDK_E_STATE, "connected");
  CHECK_OK(send_number(it.alice, 3)); /* which bob does not get */
  pass_on(&it);
  CHECK_EQ(number_of(it.bob), 2); /* what had come before */
  CHECK(is_empty(it.bob));
  CHECK_OK(msdk_session_connect(it.bob));
  CHECK(state_wait(it.engine, it.bob, MSDK_SESSION_CONNECTED));
  CHECK_OK(send_number(it.alice, 4));
  pass_on(&it);
  CHECK_EQ(number_of(it.bob), 4);
  msdk_engine_destroy(it.engine);
}

static void a_session_that_reconnects(void) {
  trio it = trio_join();
  msdk_network_step steps[] = {network_step(0, 0), network_step(SECOND, 0)};
  steps[0].flags = MSDK_NETWORK_DISCONNECTED;
  msdk_network_script script = MSDK_INIT(msdk_network_script);
  script.steps = steps;
  script.step_count = 2;
  script.user_id = "alice";
  CHECK_OK(msdk_room_script_network(it.engine, it.url, &script));
  CHECK(state_wait(it.engine, it.alice, MSDK_SESSION_RECONNECTING));
  events_of(it.alice, MSDK_EVENT_NONE);
  CHECK_ERROR(send_number(it.alice, 1), MSDK_E_AGAIN, "reconnecting");
  CHECK_OK(send_lossy(it.alice, 2)); /* it is lost */
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK(event_wait(it.engine, it.alice, MSDK_EVENT_DATA_WRITABLE, &event));
  CHECK(is_state(it.alice, MSDK_SESSION_CONNECTED));
  CHECK_OK(send_number(it.alice, 3));
  run_for(it.engine, SECOND);
  CHECK_EQ(number_of(it.bob), 3);
  CHECK(is_empty(it.bob));
  msdk_engine_destroy(it.engine);
}

static void permissions(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  configure(engine, url, 0, MSDK_DUPLICATE_REFUSE, MSDK_MAY_RECEIVE | MSDK_MAY_PUBLISH_AUDIO);
  msdk_session *pupil = join(engine, url, "pupil");
  configure(engine, url, 0, MSDK_DUPLICATE_REFUSE, 0);
  msdk_session *teacher = join(engine, url, "teacher");
  run_for(engine, MS);
  CHECK_EQ(permissions_of(pupil, "pupil"), MSDK_MAY_RECEIVE | MSDK_MAY_PUBLISH_AUDIO);
  CHECK((permissions_of(teacher, "teacher") & MSDK_MAY_SEND_DATA) != 0); /* the default has it */
  CHECK_ERROR(send_number(pupil, 1), MSDK_E_PERMISSION, "send data");
  CHECK_RESULT(send_lossy(pupil, 1), MSDK_E_PERMISSION);
  CHECK_OK(send_number(teacher, 2));
  run_for(engine, MS);
  CHECK_EQ(number_of(pupil), 2); /* which they may get */
  CHECK(is_empty(teacher));
  msdk_engine_destroy(engine);
}

/* ----------------------------------------------------------------------------------------------------- what is not accepted */

static void what_cannot_be_sent(void) {
  trio it = trio_join();
  const uint8_t byte = 1;
  CHECK_ERROR(msdk_session_send_data(it.alice, NULL, large, MSDK_DATA_MAX + 1), MSDK_E_RANGE, "size is 15361");
  CHECK_ERROR(msdk_session_send_data(it.alice, NULL, large, UINT64_MAX), MSDK_E_RANGE, "size");
  CHECK_ERROR(msdk_session_send_data(it.alice, NULL, NULL, 1), MSDK_E_INVALID, "data is NULL");
  msdk_data_options good = MSDK_INIT(msdk_data_options), options = good;
  options.flags = MSDK_DATA_LOSSY | 2;
  CHECK_ERROR(msdk_session_send_data(it.alice, &options, &byte, 1), MSDK_E_UNSUPPORTED, "options.flags is 3");
  options = good;
  options.reserved0 = 1;
  CHECK_ERROR(msdk_session_send_data(it.alice, &options, &byte, 1), MSDK_E_UNSUPPORTED, "options.reserved0");
  options = good;
  options.struct_size = 4;
  CHECK_ERROR(msdk_session_send_data(it.alice, &options, &byte, 1), MSDK_E_INVALID, "struct_size");
  char topic[MSDK_DATA_TOPIC_MAX + 2], user[300];
  memset(topic, 't', sizeof topic);
  topic[MSDK_DATA_TOPIC_MAX + 1] = 0;
  CHECK_ERROR(send_text(it.alice, topic, "x"), MSDK_E_INVALID, "options.topic");
  CHECK_ERROR(send_text(it.alice, "\xff", "x"), MSDK_E_INVALID, "options.topic");
  memset(user, 'u', sizeof user);
  user[sizeof user - 1] = 0;
  const char *users[MSDK_DATA_RECIPIENTS_MAX + 1];
  for (int i = 0; i <= MSDK_DATA_RECIPIENTS_MAX; i++) users[i] = "bob";
  CHECK_ERROR(send_to(it.alice, NULL, 1, "x"), MSDK_E_INVALID, "options.recipient");
  CHECK_ERROR(send_to(it.alice, users, 0, "x"), MSDK_E_RANGE, "options.recipient_count is 0"); /* it must not reach everybody */
  CHECK_ERROR(send_to(it.alice, users, MSDK_DATA_RECIPIENTS_MAX + 1, "x"), MSDK_E_RANGE, "options.recipient_count is 101");
  static const struct {
    const char *user;
    msdk_result result;
    const char *text;
  } wrong[] = {{NULL, MSDK_E_INVALID, "options.recipients[1]"},
               {"\xff", MSDK_E_INVALID, "options.recipients[1]"},
               {"", MSDK_E_NOT_FOUND, "\"\""},
               {"nobody", MSDK_E_NOT_FOUND, "nobody"},
               {"Bob", MSDK_E_NOT_FOUND, "Bob"},
               {"alice", MSDK_E_NOT_FOUND, "alice"}};
  for (size_t i = 0; i < MSDK_COUNT(wrong); i++) {
    users[1] = wrong[i].user;
    CHECK_ERROR(send_to(it.alice, users, 2, "x"), wrong[i].result, wrong[i].text);
  }
  users[1] = user;
  CHECK_ERROR(send_to(it.alice, users, 2, "x"), MSDK_E_INVALID, "options.recipients[1]");
  pass_on(&it);
  CHECK(is_empty(it.bob) && is_empty(it.carol)); /* nothing of that */
  users[1] = "bob";
  CHECK_OK(send_to(it.alice, users, MSDK_DATA_RECIPIENTS_MAX, "x"));
  options = good;
  options.topic = "\xff";
  options.struct_size = 8; /* of a program that was compiled before there were topics */
  CHECK_OK(msdk_session_send_data(it.alice, &options, (const uint8_t *)"y", 1));
  pass_on(&it);
  CHECK(has_come(it.bob, "alice", "", "x") && has_come(it.bob, "alice", "", "y"));
  msdk_engine_destroy(it.engine);
}

static void what_cannot_be_read(void) {
  trio it = trio_join();
  CHECK_OK(send_number(it.alice, 1));
  pass_on(&it);
  CHECK_ERROR(msdk_session_read_data(it.bob, NULL, buffer, sizeof buffer), MSDK_E_INVALID, "out is NULL");
  for (uint32_t size = 0; size < 4; size++) {
    taken.struct_size = size;
    CHECK_ERROR(msdk_session_read_data(it.bob, &taken, buffer, sizeof buffer), MSDK_E_INVALID, "struct_size");
  }
  CHECK_EQ(number_of(it.bob), 1); /* it was not lost by that */
  CHECK_OK(send_number(it.alice, 2));
  pass_on(&it);
  struct {
    msdk_data_message known;
    uint8_t later[16];
  } newer;
  memset(&newer, 0xA5, sizeof newer);
  newer.known.struct_size = sizeof newer;
  CHECK_OK(msdk_session_read_data(it.bob, &newer.known, buffer, sizeof buffer));
  CHECK_EQ(newer.known.struct_size, sizeof newer.known);
  CHECK_EQ(newer.later[0] | newer.later[15], 0); /* members that this version does not know */
  msdk_engine_destroy(it.engine);
}

static void urls_without_data(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  static const char *const urls[][2] = {
    {"rtp://127.0.0.1:5004", "rtp:"},
    {"webrtc:", "webrtc:"},
    {"janus+http://127.0.0.1:8088/janus?room=1", "janus+http:"}};
  for (size_t i = 0; i < MSDK_COUNT(urls); i++) {
    msdk_session *session = session_new(engine, urls[i][0], "alice");
    CHECK_ERROR(send_number(session, 1), MSDK_E_UNSUPPORTED, urls[i][1]);
    CHECK_ERROR(send_lossy(session, 1), MSDK_E_UNSUPPORTED, "loopback:"); /* it says which have */
    CHECK_ERROR(take(session), MSDK_E_UNSUPPORTED, urls[i][1]);
    msdk_session_destroy(session);
  }
  msdk_engine_destroy(engine);
}

static void bad_handles(void) {
  trio it = trio_join();
  msdk_session *gone = join(it.engine, it.url, "gone");
  CHECK_OK(send_number(it.alice, 1));
  pass_on(&it);
  msdk_session_destroy(gone); /* with data that was not read */
  void *garbage[] = {NULL, (void *)(uintptr_t)1, (void *)(uintptr_t)UINTPTR_MAX, large, gone, it.engine};
  for (size_t i = 0; i < MSDK_COUNT(garbage); i++) {
    CHECK_ERROR(send_number(garbage[i], 1), MSDK_E_HANDLE, "session");
    CHECK_ERROR(take(garbage[i]), MSDK_E_HANDLE, "session");
  }
  CHECK_EQ(number_of(it.bob), 1);
  msdk_engine_destroy(it.engine);
  CHECK_RESULT(send_number(it.alice, 1), MSDK_E_HANDLE);
  CHECK_RESULT(take(it.bob), MSDK_E_HANDLE);
}

/* --------------------------------------------------------------------------------------------------------------- threads */

enum { EACH = 1500 };

/* Sends so many, and waits for room where there is none. */
static void *keep_sending(void *session) {
  for (uint32_t i = 0; i < EACH;) {
    msdk_result result = send_number(session, i);
    msdk_event event = MSDK_INIT(msdk_event);
    if (result == MSDK_E_AGAIN) {
      do result = msdk_session_next_event(session, 30000, &event);
      while (result >= 0 && event.type != MSDK_EVENT_DATA_WRITABLE);
    } else {
      i++;
    }
    if (!CHECK_OK(result)) break;
  }
  return NULL;
}

static void two_threads_send_and_one_reads(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  const char *url = room_new();
  msdk_session *bob = join(engine, url, "bob"), *senders[] = {join(engine, url, "alice"), join(engine, url, "carol")};
  pthread_t threads[2];
  int32_t descriptor = -1;
  CHECK_OK(msdk_session_get_event_fd(bob, &descriptor));
  for (int i = 0; i < 2; i++) CHECK_EQ(pthread_create(&threads[i], NULL, keep_sending, senders[i]), 0);
  uint32_t next[2] = {0};
  while (next[0] + next[1] < 2 * EACH) {
    if (!CHECK(is_readable(descriptor, 60000))) break;
    events_of(bob, MSDK_EVENT_NONE);
    for (uint32_t number; (number = number_of(bob)) != UINT32_MAX;) {
      int sender = strcmp(taken.user_id, "carol") == 0;
      if (!CHECK_EQ(number, next[sender]++) || !CHECK_EQ(taken.missed, 0)) break;
    }
  }
  for (int i = 0; i < 2; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
  CHECK(is_empty(bob));
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  RUN(everybody_else_gets_it);
  RUN(only_recipients_get_it);
  RUN(all_bytes_arrive);
  RUN(lossy_data_says_so);
  RUN(over_a_bad_network);
  RUN(a_full_session_says_when_there_is_room);
  RUN(a_megabyte_is_too_much);
  RUN(what_is_not_read_is_dropped_and_counted);
  RUN(four_megabytes_are_kept);
  RUN(who_does_not_read_hinders_nobody);
  RUN(a_small_buffer_costs_nothing);
  RUN(it_is_announced_once);
  RUN(states);
  RUN(a_session_that_reconnects);
  RUN(permissions);
  RUN(what_cannot_be_sent);
  RUN(what_cannot_be_read);
  RUN(urls_without_data);
  RUN(bad_handles);
  RUN(two_threads_send_and_one_reads);
  return check_finish();
}
