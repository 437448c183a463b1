/* rpc.h: calls between the members of a loopback room, on the virtual clock. */
#include "access.h"
#include "waiting.h"

enum { MOST_CALLS = 256, MOST_METHODS = 256, MOST_OF_ONE = 64 };

static msdk_rpc_message taken;
static char buffer[MSDK_RPC_PAYLOAD_MAX + 1], large[MSDK_RPC_PAYLOAD_MAX + 2];

typedef struct pair {
  msdk_engine *engine;
  msdk_session *alice, *bob;
} pair;

static pair pair_join(void) {
  pair it = {.engine = engine_new(MSDK_CLOCK_VIRTUAL)};
  const char *url = room_new();
  it.alice = join(it.engine, url, "alice");
  it.bob = join(it.engine, url, "bob");
  CHECK_OK(msdk_session_rpc_register(it.bob, "add"));
  run_for(it.engine, MS);
  return it;
}

static void pass_on(const pair *it) { run_for(it->engine, MS); }

static uint64_t call_of(msdk_session *session, const char *user, const char *method, const char *payload, uint32_t timeout) {
  uint64_t number = 0;
  CHECK_OK(msdk_session_rpc_call(session, user, method, payload, timeout, &number));
  return number;
}

static msdk_result take(msdk_session *session) {
  taken = MSDK_INIT(msdk_rpc_message);
  memset(buffer, 0xA5, sizeof buffer);
  return msdk_session_rpc_read(session, &taken, buffer, sizeof buffer);
}

static int is_empty(msdk_session *session) { return take(session) == MSDK_E_AGAIN; }

static int has_come(msdk_session *session, uint32_t kind, const char *user, const char *payload) {
  return CHECK_OK(take(session)) && CHECK_EQ(taken.kind, kind) & CHECK(strcmp(taken.user_id, user) == 0) & CHECK(strcmp(buffer, payload) == 0) &
                                        CHECK_EQ(taken.size, strlen(payload));
}

static int has_failed(msdk_session *session, uint64_t number, uint32_t code) {
  return CHECK_OK(take(session)) && CHECK_EQ(taken.kind, MSDK_RPC_FAILURE) & CHECK_EQ(taken.call, number) & CHECK_EQ(taken.code, code) &
                                        CHECK(taken.text[0] != 0);
}

static int events_of(msdk_session *session, uint32_t type) {
  msdk_event event = MSDK_INIT(msdk_event);
  int count = 0;
  while (msdk_session_next_event(session, 0, &event) >= 0) count += event.type == type;
  return count;
}

static void a_method_is_called_and_responds(void) {
  pair it = pair_join();
  events_of(it.alice, 0), events_of(it.bob, 0);
  uint64_t number = call_of(it.alice, "bob", "add", "[1, 2]", 0);
  pass_on(&it);
  CHECK_EQ(events_of(it.bob, MSDK_EVENT_RPC_AVAILABLE), 1);
  CHECK(has_come(it.bob, MSDK_RPC_REQUEST, "alice", "[1, 2]") && is_empty(it.bob));
  uint64_t second = call_of(it.alice, "bob", "add", NULL, 2500);
  pass_on(&it);
  CHECK(has_come(it.bob, MSDK_RPC_REQUEST, "alice", ""));
  CHECK(strcmp(taken.method, "add") == 0 && taken.timeout_ms == 2500 && taken.code == 0 && taken.text[0] == 0);
  uint64_t request = taken.call;
  CHECK_OK(msdk_session_rpc_respond(it.bob, request, "gr\xc3\xbc\xc3\x9f"));
  CHECK_EQ(msdk_session_rpc_respond(it.bob, request, ""), MSDK_E_NOT_FOUND); /* once */
  CHECK_OK(msdk_session_rpc_fail(it.bob, request - 1, 77, "not today", "{}"));
  pass_on(&it);
  CHECK_EQ(events_of(it.alice, MSDK_EVENT_RPC_AVAILABLE), 1);
  CHECK(has_come(it.alice, MSDK_RPC_RESPONSE, "bob", "gr\xc3\xbc\xc3\x9f") && taken.call == second && taken.method[0] == 0);
  CHECK(has_come(it.alice, MSDK_RPC_FAILURE, "bob", "{}") && taken.call == number && taken.code == 77 && strcmp(taken.text, "not today") == 0);
  CHECK(is_empty(it.alice));
  msdk_engine_destroy(it.engine);
}

static void what_does_not_succeed_says_why(void) {
  pair it = pair_join();
  uint64_t number = call_of(it.alice, "bob", "subtract", "", 0);
  pass_on(&it);
  CHECK(has_failed(it.alice, number, MSDK_RPC_ERROR_METHOD_NOT_REGISTERED));
  number = call_of(it.alice, "bob", "add", "", 1000);
  pass_on(&it);
  CHECK(has_come(it.bob, MSDK_RPC_REQUEST, "alice", ""));
  uint64_t request = taken.call;
  run_for(it.engine, 990 * MS);
  CHECK(is_empty(it.alice));
  run_for(it.engine, 20 * MS);
  CHECK(has_failed(it.alice, number, MSDK_RPC_ERROR_NO_RESPONSE));
  CHECK_EQ(msdk_session_rpc_respond(it.bob, request, ""), MSDK_E_NOT_FOUND); /* whose time is over */
  call_of(it.alice, "bob", "add", "late", 1000);
  run_for(it.engine, 1100 * MS);
  CHECK(is_empty(it.bob)); /* nobody waits for it any more */
  CHECK_OK(take(it.alice));
  CHECK_OK(msdk_session_rpc_unregister(it.bob, "add"));
  number = call_of(it.alice, "bob", "add", "", 0);
  pass_on(&it);
  CHECK(has_failed(it.alice, number, MSDK_RPC_ERROR_METHOD_NOT_REGISTERED));
  CHECK_OK(msdk_session_rpc_register(it.bob, "add"));
  number = call_of(it.alice, "bob", "add", "", 0);
  pass_on(&it);
  CHECK_OK(msdk_session_disconnect(it.bob));
  pass_on(&it);
  CHECK(has_failed(it.alice, number, MSDK_RPC_ERROR_PARTICIPANT_LEFT));
  CHECK(is_empty(it.bob));
  msdk_engine_destroy(it.engine);
}

static void who_leaves_has_the_results(void) {
  pair it = pair_join();
  uint64_t number = call_of(it.alice, "bob", "add", "", 0);
  CHECK_OK(msdk_session_disconnect(it.alice));
  CHECK(has_failed(it.alice, number, MSDK_RPC_ERROR_PARTICIPANT_LEFT));
  msdk_engine_destroy(it.engine);
}

static void bounds_are_held(void) {
  pair it = pair_join();
  for (int i = 0; i < MOST_OF_ONE; i++) call_of(it.alice, "bob", "add", "", 0);
  uint64_t refused = call_of(it.alice, "bob", "add", "", 0);
  pass_on(&it);
  CHECK(has_failed(it.alice, refused, MSDK_RPC_ERROR_NOT_ACCEPTED));
  for (int i = MOST_OF_ONE; i < MOST_CALLS; i++) call_of(it.alice, "bob", "nothing", "", 0);
  uint64_t number;
  CHECK_EQ(msdk_session_rpc_call(it.alice, "bob", "add", "", 0, &number), MSDK_E_AGAIN);
  pass_on(&it);
  CHECK_EQ(msdk_session_rpc_call(it.alice, "bob", "add", "", 0, &number), MSDK_E_AGAIN); /* results that were not read */
  CHECK_OK(take(it.alice));
  call_of(it.alice, "bob", "nothing", "", 0);
  for (int i = 1; i < MOST_METHODS; i++) {
    snprintf(buffer, sizeof buffer, "method %d", i);
    CHECK_OK(msdk_session_rpc_register(it.bob, buffer));
  }
  CHECK_EQ(msdk_session_rpc_register(it.bob, "one more"), MSDK_E_LIMIT);
  msdk_engine_destroy(it.engine);
}

/* The other end's data waits: a response can be tried again, and the request still waits for it. */
static void where_there_is_no_room_it_is_tried_again(void) {
  pair it = pair_join();
  call_of(it.alice, "bob", "add", "", 0);
  pass_on(&it);
  CHECK(has_come(it.bob, MSDK_RPC_REQUEST, "alice", ""));
  uint64_t request = taken.call, number;
  while (msdk_session_send_data(it.bob, NULL, (const uint8_t *)"x", 1) >= 0) continue;
  CHECK_ERROR(msdk_session_rpc_respond(it.bob, request, "3"), MSDK_E_AGAIN, "");
  CHECK_ERROR(msdk_session_rpc_call(it.bob, "alice", "add", "", 0, &number), MSDK_E_AGAIN, "");
  pass_on(&it);
  CHECK_OK(msdk_session_rpc_respond(it.bob, request, "3"));
  pass_on(&it);
  CHECK(has_come(it.alice, MSDK_RPC_RESPONSE, "bob", "3") && is_empty(it.alice));
  CHECK(is_empty(it.bob)); /* a call that failed has no result */
  msdk_engine_destroy(it.engine);
}

static void bad_input(void) {
  pair it = pair_join();
  uint64_t number = 0;
  memset(large, 'x', sizeof large - 1);
  CHECK_ERROR(msdk_session_rpc_call(it.alice, "bob", "add", large, 0, &number), MSDK_E_INVALID, "payload is longer than 15360 bytes");
  large[MSDK_RPC_PAYLOAD_MAX] = 0;
  call_of(it.alice, "bob", "add", large, 0);
  pass_on(&it);
  taken = MSDK_INIT(msdk_rpc_message);
  CHECK_ERROR(msdk_session_rpc_read(it.bob, &taken, buffer, MSDK_RPC_PAYLOAD_MAX), MSDK_E_BUFFER_SMALL, "15360 bytes and a NUL");
  CHECK_EQ(taken.size, MSDK_RPC_PAYLOAD_MAX);
  CHECK(has_come(it.bob, MSDK_RPC_REQUEST, "alice", large));
  large[MSDK_RPC_METHOD_MAX + 1] = 0;
  CHECK_ERROR(msdk_session_rpc_call(it.alice, "bob", large, "", 0, &number), MSDK_E_INVALID, "method is longer than 64 bytes");
  CHECK_ERROR(msdk_session_rpc_call(it.alice, "bob", "", "", 0, &number), MSDK_E_INVALID, "method has 0 bytes");
  CHECK_ERROR(msdk_session_rpc_call(it.alice, "bob", "add", "\xff", 0, &number), MSDK_E_INVALID, "payload is not valid UTF-8");
  CHECK_ERROR(msdk_session_rpc_call(it.alice, "bob", "add", "", 3600001, &number), MSDK_E_RANGE, "timeout_ms is 3600001; accepted: 1..3600000");
  CHECK_ERROR(msdk_session_rpc_call(it.alice, "dora", "add", "", 0, &number), MSDK_E_NOT_FOUND, "dora");
  CHECK_ERROR(msdk_session_rpc_call(it.alice, "bob", "add", "", 0, NULL), MSDK_E_INVALID, "out is NULL");
  CHECK_ERROR(msdk_session_rpc_register(it.bob, "add"), MSDK_E_EXISTS, "registered already");
  CHECK_ERROR(msdk_session_rpc_unregister(it.bob, "subtract"), MSDK_E_NOT_FOUND, "not registered");
  CHECK_ERROR(msdk_session_rpc_respond(it.bob, 999, ""), MSDK_E_NOT_FOUND, "call 999");
  msdk_session *idle = session_new(it.engine, room_new(), "idle");
  CHECK_ERROR(msdk_session_rpc_call(idle, "bob", "add", "", 0, &number), MSDK_E_STATE, "idle");
  CHECK_ERROR(msdk_session_rpc_read(idle, &taken, NULL, 0), MSDK_E_AGAIN, "no call");
  msdk_engine_destroy(it.engine);
  msdk_engine *real = engine_new(MSDK_CLOCK_SYSTEM);
  msdk_session *rtp = session_new(real, "rtp://127.0.0.1:9?local=127.0.0.1:0", "alice");
  CHECK_EQ(msdk_session_rpc_register(rtp, "add"), MSDK_E_UNSUPPORTED);
  msdk_engine_destroy(real);
}

int main(int argc, char **argv) {
  RUN(a_method_is_called_and_responds);
  RUN(what_does_not_succeed_says_why);
  RUN(who_leaves_has_the_results);
  RUN(bounds_are_held);
  RUN(where_there_is_no_room_it_is_tried_again);
  RUN(bad_input);
  return check_finish();
}
