/* room.h: verifiers, which decide by the token who enters; and options of rooms and tokens that are refused. */
#include "access.h"

typedef struct verifier {
  msdk_engine *engine;
  const char *url;
  msdk_session *session; /* to be destroyed in the middle */
  atomic_int calls, inside, proceed;
  msdk_result result;
  uint32_t permissions; /* 0: left as they are */
  int destroys_engine, configures;
  char last_user[256], last_room[256];
} verifier;

static msdk_result verify(void *user, const msdk_access_request *request, msdk_access_grant *grant) {
  verifier *it = user;
  atomic_store(&it->inside, 1);
  CHECK(request->struct_size >= sizeof *request);
  CHECK_EQ(grant->permissions, request->permissions);
  CHECK(grant->struct_size >= sizeof *grant && grant->lifetime_ns == 0 && grant->reason == NULL);
  snprintf(it->last_user, sizeof it->last_user, "%s", request->user_id);
  snprintf(it->last_room, sizeof it->last_room, "%s", request->room);
  if (it->session != NULL) msdk_session_destroy(it->session);
  it->session = NULL;
  if (it->configures) CHECK_OK(msdk_room_configure(it->engine, it->url, NULL));
  if (it->destroys_engine) msdk_engine_destroy(it->engine);
  WAIT_UNTIL(atomic_load(&it->proceed) != 0);
  msdk_result result = it->result;
  if (result != 1) {
    if (it->permissions != 0) grant->permissions = it->permissions;
  } else {
    result = strcmp(request->access_token, TOKEN) == 0 ? MSDK_OK : MSDK_E_PERMISSION;
    grant->permissions |= MSDK_MAY_MODERATE;
  }
  atomic_store(&it->inside, 0);
  atomic_fetch_add(&it->calls, 1); /* `it` is not touched after this */
  return result;
}

/* Decides by the token, unless it is told what to say. */
static void guard(verifier *it, msdk_engine *engine, const char *url) {
  memset(it, 0, sizeof *it);
  it->engine = engine;
  it->url = url;
  it->result = 1;
  atomic_store(&it->proceed, 1);
  msdk_room_options options = MSDK_INIT(msdk_room_options);
  options.permissions = MSDK_MAY_RECEIVE;
  options.verify = verify;
  options.user = it;
  CHECK_OK(msdk_room_configure(engine, url, &options));
}

static char logged[65536];

static void on_log(void *user, const msdk_log_record *record) {
  (void)user;
  strncat(logged, record->text, sizeof logged - strlen(logged) - 1);
}

static void tokens_are_verified(void) {
  for (uint32_t clock = MSDK_CLOCK_SYSTEM; clock <= MSDK_CLOCK_VIRTUAL; clock++) {
    const char *url = room_new();
    msdk_engine *engine = engine_new(clock);
    verifier door;
    logged[0] = 0;
    CHECK_OK(msdk_engine_set_log_callback(engine, MSDK_LOG_DEBUG, on_log, NULL));
    guard(&door, engine, url);
    msdk_session *alice = session_with(engine, url, "alice", TOKEN);
    CHECK(state_wait(engine, alice, MSDK_SESSION_CONNECTED));
    CHECK_EQ(permissions_of(alice, "alice"), MSDK_MAY_RECEIVE | MSDK_MAY_MODERATE);
    CHECK(strcmp(door.last_user, "alice") == 0 && strcmp(door.last_room, url + strlen("loopback:")) == 0);
    static const char *const wrong[] = {NULL, "", TOKEN "X", "S3cret-of-alice", "s3cret", "%n%s\x01"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
      msdk_session *mallory = session_with(engine, url, "mallory", wrong[i]);
      msdk_event event = refusal(engine, mallory);
      CHECK_EQ(event.status, MSDK_E_PERMISSION);
      CHECK_STR_CONTAINS(event.text, "mallory");
      CHECK(wrong[i] == NULL || wrong[i][0] == 0 || strstr(event.text, wrong[i]) == NULL);
      CHECK(msdk_session_start_video(mallory, NULL) < 0);
      msdk_session_destroy(mallory);
    }
    CHECK_EQ(atomic_load(&door.calls), 7);
    CHECK_EQ(session_stats(alice).participants, 1);
    msdk_event event = MSDK_INIT(msdk_event);
    CHECK(!event_take(alice, MSDK_EVENT_PARTICIPANT_JOINED, &event));
    CHECK_OK(msdk_engine_set_log_callback(engine, MSDK_LOG_NONE, NULL, NULL));
    CHECK_STR_CONTAINS(logged, "mallory"); /* a refusal is logged, a token is not */
    CHECK(strstr(logged, "s3cret") == NULL);
    msdk_engine_destroy(engine);
  }
}

static void what_a_verifier_may_say(void) {
  static const struct {
    msdk_result result;
    uint32_t permissions;
    msdk_result expected;
  } said[] = {
      {MSDK_OK, 0, MSDK_OK},
      {MSDK_OK, UINT32_MAX, MSDK_E_PERMISSION},
      {MSDK_OK, 64, MSDK_E_PERMISSION},
      {MSDK_E_TIMEOUT, 31, MSDK_E_PERMISSION}, /* whatever went wrong, nobody is let in for it */
      {-9999, 0, MSDK_E_PERMISSION},
      {77, 31, MSDK_E_PERMISSION}, /* as strcmp may give, or a boolean */
      {INT32_MAX, 31, MSDK_E_PERMISSION},
      {INT32_MIN, 0, MSDK_E_PERMISSION},
  };
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  verifier door;
  guard(&door, engine, url);
  msdk_session *session = session_new(engine, url, "alice");
  for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
    door.result = said[i].result;
    door.permissions = said[i].permissions;
    CHECK_OK(msdk_session_connect(session));
    run_for(engine, MS);
    if (said[i].expected == MSDK_OK) {
      CHECK(is_state(session, MSDK_SESSION_CONNECTED));
      CHECK_EQ(permissions_of(session, "alice"), said[i].permissions != 0 ? said[i].permissions : MSDK_MAY_RECEIVE);
      CHECK_OK(msdk_session_disconnect(session));
      CHECK_EQ(refusal(engine, session).status, MSDK_OK); /* as it was asked for */
    } else {
      CHECK_EQ(refusal(engine, session).status, said[i].expected);
    }
  }
  msdk_engine_destroy(engine);
}

/* While the verifier thinks, sessions leave, are destroyed, or are asked about again: whoever left is not let in. */
static void a_slow_verifier(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  verifier door;
  guard(&door, engine, url);
  msdk_session *alice = session_with(engine, url, "alice", TOKEN);
  CHECK(state_wait(engine, alice, MSDK_SESSION_CONNECTED));
  atomic_store(&door.proceed, 0);
  msdk_session *bob = session_with(engine, url, "bob", TOKEN);
  WAIT_UNTIL(atomic_load(&door.inside) == 1);
  CHECK(is_state(bob, MSDK_SESSION_CONNECTING));
  CHECK_OK(msdk_session_disconnect(bob)); /* neither of these waits for it */
  CHECK(is_state(bob, MSDK_SESSION_DISCONNECTED));
  msdk_session *carol = session_with(engine, url, "carol", TOKEN);
  msdk_session_destroy(carol);
  for (int i = 0; i < 1000; i++) { /* comes and goes at a closed door */
    CHECK_OK(msdk_session_connect(bob));
    CHECK_OK(msdk_session_disconnect(bob));
  }
  msdk_session *dave = session_with(engine, url, "dave", TOKEN);
  atomic_store(&door.proceed, 1);
  CHECK(state_wait(engine, dave, MSDK_SESSION_CONNECTED));
  CHECK_RANGE(atomic_load(&door.calls), 3, 100); /* alice, bob, dave, and bob again where they were met at the door */
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK(event_wait(engine, alice, MSDK_EVENT_PARTICIPANT_JOINED, &event)); /* alice may learn it after dave */
  CHECK(strcmp(event.user_id, "dave") == 0);
  CHECK_EQ(session_stats(alice).participants, 2);
  CHECK(!event_take(alice, MSDK_EVENT_PARTICIPANT_LEFT, &event));
  msdk_engine_destroy(engine);
}

static void a_verifier_that_destroys(void) {
  for (uint32_t clock = MSDK_CLOCK_SYSTEM; clock <= MSDK_CLOCK_VIRTUAL; clock++) {
    const char *url = room_new();
    msdk_engine *engine = engine_new(clock);
    verifier door;
    guard(&door, engine, url);
    door.session = session_new(engine, url, "alice"); /* the one that it is asked about */
    CHECK_OK(msdk_session_connect(door.session));
    for (int tries = 0; tries < 12000 && atomic_load(&door.calls) == 0; tries++) run_for(engine, 5 * MS);
    CHECK_EQ(atomic_load(&door.calls), 1);
    CHECK_EQ(engine_stats(engine).sessions, 0);
    door.configures = 1; /* opens the room from inside; then there is nobody to answer to */
    msdk_session *bob = session_with(engine, url, "bob", NULL);
    CHECK(state_wait(engine, bob, MSDK_SESSION_CONNECTED));
    CHECK_EQ(permissions_of(bob, "bob"), 47);
    msdk_engine_destroy(engine);

    engine = engine_new(clock);
    guard(&door, engine, url);
    door.destroys_engine = 1;
    session_with(engine, url, "carol", TOKEN);
    for (int tries = 0; tries < 12000 && atomic_load(&door.calls) == 0; tries++) {
      if (clock == MSDK_CLOCK_VIRTUAL) {
        msdk_engine_advance_clock(engine, 5 * MS);
      } else {
        sleep_ms(5);
      }
    }
    CHECK_EQ(atomic_load(&door.calls), 1);
  }
}

/* Those who wait for a verifier that is replaced are shown to its successor. */
static void a_verifier_that_is_replaced(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  verifier slow, quick;
  guard(&slow, engine, url);
  atomic_store(&slow.proceed, 0);
  msdk_session *alice = session_with(engine, url, "alice", TOKEN), *bob = session_with(engine, url, "bob", "wrong");
  WAIT_UNTIL(atomic_load(&slow.inside) == 1);
  slow.result = MSDK_OK; /* what it says has no weight any more */
  atomic_store(&slow.proceed, 1);
  guard(&quick, engine, url); /* when it returns, slow is not running */
  CHECK_EQ(atomic_load(&slow.inside), 0);
  int answered = atomic_load(&slow.calls);
  CHECK(state_wait(engine, alice, MSDK_SESSION_CONNECTED));
  if (answered == 1) CHECK_EQ(refusal(engine, bob).status, MSDK_E_PERMISSION);
  CHECK_EQ(atomic_load(&slow.calls), answered);
  /* Each is shown to either of them once at most: slow may have gone on to bob while it was being replaced, and quick is shown both then. */
  CHECK_RANGE(answered, 1, 2);
  CHECK_RANGE(atomic_load(&quick.calls), 2 - answered, 2);
  msdk_engine_destroy(engine);
}

static void a_verifier_whose_engine_goes(void) {
  const char *url = room_new();
  msdk_engine *owner = engine_new(MSDK_CLOCK_SYSTEM), *other = engine_new(MSDK_CLOCK_SYSTEM);
  verifier door;
  guard(&door, owner, url);
  msdk_session *alice = session_with(other, url, "alice", TOKEN);
  CHECK(state_wait(other, alice, MSDK_SESSION_CONNECTED));
  atomic_store(&door.proceed, 0);
  msdk_session *bob = session_with(other, url, "bob", TOKEN), *carol = session_with(other, url, "carol", TOKEN);
  WAIT_UNTIL(atomic_load(&door.inside) == 1);
  atomic_store(&door.proceed, 1);
  msdk_engine_destroy(owner);
  int calls = atomic_load(&door.calls);
  CHECK(state_wait(other, carol, MSDK_SESSION_DISCONNECTED) || calls > 2);
  msdk_session *dave = session_with(other, url, "dave", TOKEN); /* the room does not open for that */
  msdk_event event = refusal(other, dave);
  CHECK_EQ(event.status, MSDK_E_PERMISSION);
  CHECK_STR_CONTAINS(event.text, "is destroyed");
  CHECK_EQ(atomic_load(&door.calls), calls);
  msdk_session_destroy(alice);
  msdk_session_destroy(bob);
  msdk_session_destroy(carol);
  CHECK_OK(msdk_session_connect(dave)); /* empty: forgotten */
  CHECK(state_wait(other, dave, MSDK_SESSION_CONNECTED));
  msdk_engine_destroy(other);
}

static void bad_options_are_named(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  const char *url = room_new();
  msdk_room_options good = MSDK_INIT(msdk_room_options), bad;
#define REFUSED(member, value, status, word)                                 \
  do {                                                                       \
    bad = good;                                                              \
    bad.member = value;                                                      \
    CHECK_ERROR(msdk_room_configure(engine, url, &bad), status, word);       \
  } while (0)
  REFUSED(capacity, 100001, MSDK_E_RANGE, "capacity");
  REFUSED(capacity, UINT32_MAX, MSDK_E_RANGE, "100000");
  REFUSED(duplicates, 2, MSDK_E_UNSUPPORTED, "duplicates");
  REFUSED(permissions, 64, MSDK_E_UNSUPPORTED, "permissions");
  REFUSED(pulled, 2, MSDK_E_UNSUPPORTED, "pulled");
  REFUSED(struct_size, 4, MSDK_E_INVALID, "struct_size");
  bad = good;
  bad.pulled = 1;
  bad.verify = verify;
  CHECK_ERROR(msdk_room_configure(engine, url, &bad), MSDK_E_INVALID, "pulled");
  CHECK_RESULT(msdk_room_configure(NULL, url, &good), MSDK_E_HANDLE);
  CHECK_ERROR(msdk_room_configure(engine, NULL, &good), MSDK_E_INVALID, "room_url");
  CHECK_RESULT(msdk_room_configure(engine, "loopback:", &good), MSDK_E_INVALID);
  CHECK_RESULT(msdk_room_configure(engine, "https://x", &good), MSDK_E_UNSUPPORTED);
  msdk_engine *other = engine_new(MSDK_CLOCK_SYSTEM);
  CHECK_OK(msdk_room_configure(engine, url, &good));
  CHECK_RESULT(msdk_room_configure(other, url, &good), MSDK_E_UNSUPPORTED); /* a room of a virtual clock */
  msdk_access_request request = MSDK_INIT(msdk_access_request);
  good.pulled = 1;
  CHECK_OK(msdk_room_configure(engine, url, &good));
  CHECK_ERROR(msdk_room_next_request(engine, url, 0, NULL), MSDK_E_INVALID, "out");
  request.struct_size = 4;
  CHECK_ERROR(msdk_room_next_request(engine, url, 0, &request), MSDK_E_INVALID, "out");

  static char token[4097]; /* the longest passes whole */
  memset(token, 't', 4096);
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = url;
  options.user_id = "alice";
  options.access_token = token;
  msdk_session *session = NULL;
  CHECK_ERROR(msdk_session_create(engine, &options, &session), MSDK_E_INVALID, "options.access_token");
  CHECK(strstr(msdk_last_error(), "ttt") == NULL);
  options.access_token = "token\xff";
  CHECK_ERROR(msdk_session_create(engine, &options, &session), MSDK_E_INVALID, "options.access_token");
  CHECK(strstr(msdk_last_error(), "token\xff") == NULL);
  options.access_token = token;
  token[4095] = 0;
  CHECK_OK(msdk_session_create(engine, &options, &session));
  CHECK_OK(msdk_session_connect(session));
  run_for(engine, MS);
  request = MSDK_INIT(msdk_access_request);
  CHECK_OK(msdk_room_next_request(engine, url, 0, &request));
  CHECK(strcmp(request.access_token, token) == 0);
  msdk_engine_destroy(engine);
  msdk_engine_destroy(other);
}

int main(int argc, char **argv) {
  RUN(tokens_are_verified);
  RUN(what_a_verifier_may_say);
  RUN(a_slow_verifier);
  RUN(a_verifier_that_destroys);
  RUN(a_verifier_that_is_replaced);
  RUN(a_verifier_whose_engine_goes);
  RUN(bad_options_are_named);
  return check_finish();
}
