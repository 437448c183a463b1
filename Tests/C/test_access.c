/* room.h, session.h: who may enter a room, who decides it, what members may do, and what moderators do to them. */
#include "sound.h"
#include "sending.h"

#define TOKEN "s3cret-of-alice"

static msdk_session *session_with(msdk_engine *engine, const char *url, const char *user, const char *token) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = url;
  options.user_id = user;
  options.access_token = token;
  msdk_session *session = NULL;
  CHECK_OK(msdk_session_create(engine, &options, &session));
  CHECK_OK(msdk_session_connect(session));
  return session;
}

/* Waits until the session is disconnected; the event that says why. */
static msdk_event refusal(msdk_engine *engine, msdk_session *session) {
  msdk_event event = MSDK_INIT(msdk_event);
  do {
    if (!CHECK(event_wait(engine, session, MSDK_EVENT_SESSION_STATE, &event))) break;
  } while (event.state != MSDK_SESSION_DISCONNECTED);
  return event;
}

static void configure(msdk_engine *engine, const char *url, uint32_t capacity, uint32_t duplicates, uint32_t permissions) {
  msdk_room_options options = MSDK_INIT(msdk_room_options);
  options.capacity = capacity;
  options.duplicates = duplicates;
  options.permissions = permissions;
  CHECK_OK(msdk_room_configure(engine, url, &options));
}

static uint32_t permissions_of(msdk_session *session, const char *user) {
  msdk_participant people[8] = {MSDK_INIT(msdk_participant)};
  uint32_t count = 0;
  CHECK_OK(msdk_session_participants(session, people, 8, &count));
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(people[i].user_id, user) == 0) return people[i].permissions;
  }
  return UINT32_MAX;
}

static int is_state(msdk_session *session, uint32_t expected) {
  uint32_t state = UINT32_MAX;
  return CHECK_OK(msdk_session_state(session, &state)) && state == expected;
}

/* ---------------------------------------------------------------------------------------------------------------- without a verifier */

static void a_room_is_full(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  configure(engine, url, 2, MSDK_DUPLICATE_REFUSE, 0);
  msdk_session *alice = join(engine, url, "alice"), *bob = join(engine, url, "bob"), *carol = session_with(engine, url, "carol", NULL);
  msdk_event event = refusal(engine, carol);
  CHECK_EQ(event.status, MSDK_E_FULL);
  CHECK_STR_CONTAINS(event.text, "2 members");
  CHECK_EQ(session_stats(alice).participants, 2);
  CHECK(!event_take(alice, MSDK_EVENT_PARTICIPANT_LEFT, &event)); /* nobody noticed */
  msdk_session_destroy(bob);
  CHECK_OK(msdk_session_connect(carol));
  CHECK(state_wait(engine, carol, MSDK_SESSION_CONNECTED));
  configure(engine, url, 1, MSDK_DUPLICATE_REFUSE, 0); /* those who are in stay */
  run_for(engine, SECOND);
  CHECK_EQ(session_stats(alice).participants, 2);
  msdk_session_destroy(carol);
  msdk_session *dave = session_with(engine, url, "dave", NULL);
  CHECK_EQ(refusal(engine, dave).status, MSDK_E_FULL);
  CHECK_OK(msdk_room_configure(engine, url, NULL)); /* open again */
  CHECK_OK(msdk_session_connect(dave));
  CHECK(state_wait(engine, dave, MSDK_SESSION_CONNECTED));
  msdk_engine_destroy(engine);
}

static void a_user_id_that_is_taken(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  configure(engine, url, 2, MSDK_DUPLICATE_REFUSE, 0);
  msdk_session *alice = join(engine, url, "alice"), *bob = join(engine, url, "bob"), *again = session_with(engine, url, "alice", NULL);
  CHECK_EQ(refusal(engine, again).status, MSDK_E_EXISTS); /* though it is full, too */
  CHECK(is_state(alice, MSDK_SESSION_CONNECTED));
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options offered = outgoing_options(MSDK_CODEC_NONE, &format, 1);
  msdk_outgoing_video *stream = NULL;
  CHECK_OK(msdk_outgoing_video_create(engine, &offered, &stream));
  CHECK_OK(msdk_session_start_video(alice, stream));
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK(event_take(bob, MSDK_EVENT_PARTICIPANT_JOINED, &event)); /* alice, who was here */
  configure(engine, url, 2, MSDK_DUPLICATE_REPLACE, 0);
  CHECK_OK(msdk_session_connect(again));
  CHECK(state_wait(engine, again, MSDK_SESSION_CONNECTED)); /* takes her place in the full room */
  event = refusal(engine, alice);
  CHECK_EQ(event.status, MSDK_E_REMOVED);
  CHECK_STR_CONTAINS(event.text, "replaced");
  uint32_t state = 0;
  CHECK_OK(msdk_outgoing_video_state(stream, &state));
  CHECK_EQ(state, MSDK_OUTGOING_STOPPED);
  char story[64] = "";
  for (;;) { /* bob: alice left with her stream, and came again */
    event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(bob, 0, &event) < 0) break;
    if (event.type == MSDK_EVENT_INCOMING_VIDEO_ADDED) strcat(story, "+");
    if (event.type == MSDK_EVENT_INCOMING_VIDEO_REMOVED) strcat(story, "-");
    if (event.type == MSDK_EVENT_PARTICIPANT_LEFT) strcat(story, "L");
    if (event.type == MSDK_EVENT_PARTICIPANT_JOINED) strcat(story, "J");
  }
  CHECK(strcmp(story, "+-LJ") == 0);
  CHECK_OK(msdk_session_connect(alice)); /* and back */
  CHECK(state_wait(engine, alice, MSDK_SESSION_CONNECTED));
  CHECK_EQ(refusal(engine, again).status, MSDK_E_REMOVED);
  CHECK_EQ(session_stats(bob).participants, 2);
  msdk_outgoing_video_destroy(stream);
  msdk_engine_destroy(engine);
}

static void permissions_hold(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 15);
  msdk_outgoing_video_options virtual = outgoing_options(MSDK_CODEC_NONE, &format, 1), screen = virtual;
  screen.kind = MSDK_VIDEO_SCREEN_SHARE;
  msdk_outgoing_audio_options voice = sound_options(48000, 1, MSDK_SAMPLE_S16, 20), played = voice;
  played.kind = MSDK_AUDIO_SCREEN_SHARE;
  for (uint32_t may = 1; may <= MSDK_MAY_RECEIVE; may *= 2) { /* one permission at a time */
    configure(engine, url, 0, 0, 0);
    msdk_session *sender = join(engine, url, "sender");
    configure(engine, url, 0, 0, may);
    msdk_session *member = join(engine, url, "member");
    CHECK_EQ(permissions_of(sender, "member"), may);
    CHECK_EQ(permissions_of(member, "member"), may);
    CHECK_EQ(permissions_of(member, "sender"), 15);
    msdk_outgoing_video *video[3];
    msdk_outgoing_audio *audio[3];
    for (int i = 0; i < 3; i++) CHECK_OK(msdk_outgoing_video_create(engine, i == 1 ? &screen : &virtual, &video[i]));
    for (int i = 0; i < 3; i++) CHECK_OK(msdk_outgoing_audio_create(engine, i == 1 ? &played : &voice, &audio[i]));
    const msdk_result refused = MSDK_E_PERMISSION;
    CHECK_RESULT(msdk_session_start_video(member, video[0]), may == MSDK_MAY_PUBLISH_VIDEO ? MSDK_OK : refused);
    CHECK_RESULT(msdk_session_start_video(member, video[1]), may == MSDK_MAY_SHARE_SCREEN ? MSDK_OK : refused);
    if (may != MSDK_MAY_SHARE_SCREEN) CHECK_STR_CONTAINS(msdk_last_error(), "share a screen");
    CHECK_RESULT(msdk_session_start_audio(member, audio[0]), may == MSDK_MAY_PUBLISH_AUDIO ? MSDK_OK : refused);
    CHECK_RESULT(msdk_session_start_audio(member, audio[1]), may == MSDK_MAY_SHARE_SCREEN ? MSDK_OK : refused);
    CHECK_RESULT(msdk_session_remove_participant(member, "sender", NULL), refused);
    CHECK_RESULT(msdk_session_mute_participant(member, "sender", 1), refused);
    CHECK_OK(msdk_session_start_video(sender, video[2]));
    CHECK_OK(msdk_session_start_audio(sender, audio[2]));
    msdk_event seen, heard; /* what is there is told to everybody */
    NEED(event_wait(engine, member, MSDK_EVENT_INCOMING_VIDEO_ADDED, &seen));
    NEED(event_wait(engine, member, MSDK_EVENT_INCOMING_AUDIO_ADDED, &heard));
    msdk_incoming_audio *mix = NULL;
    CHECK_OK(msdk_session_mixed_audio(member, &mix));
    CHECK_RESULT(msdk_incoming_video_start(seen.incoming_video, NULL), may == MSDK_MAY_RECEIVE ? MSDK_OK : refused);
    CHECK_RESULT(msdk_incoming_audio_start(heard.incoming_audio, NULL), may == MSDK_MAY_RECEIVE ? MSDK_OK : refused);
    CHECK_RESULT(msdk_incoming_audio_start(mix, NULL), may == MSDK_MAY_RECEIVE ? MSDK_OK : refused);
    run_for(engine, MS);
    CHECK_EQ(outgoing_stats(video[2]).receivers, may == MSDK_MAY_RECEIVE);
    msdk_session_destroy(member);
    msdk_session_destroy(sender);
    for (int i = 0; i < 3; i++) msdk_outgoing_video_destroy(video[i]);
    for (int i = 0; i < 3; i++) msdk_outgoing_audio_destroy(audio[i]);
  }
  msdk_engine_destroy(engine);
}

/* What was asked for before it was known that it is not permitted: it fails when the session connects. */
static void permissions_hold_for_what_was_asked_before(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_session *sender = join(engine, url, "sender"), *member = session_new(engine, url, "member");
  configure(engine, url, 0, 0, MSDK_MAY_PUBLISH_VIDEO);
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  msdk_outgoing_audio *attached = NULL, *spoken = NULL;
  CHECK_OK(msdk_outgoing_audio_create(engine, &options, &attached));
  CHECK_OK(msdk_outgoing_audio_create(engine, &options, &spoken));
  CHECK_OK(msdk_session_start_audio(sender, spoken));
  CHECK_OK(msdk_session_start_audio(member, attached));
  msdk_incoming_audio *mix = NULL;
  CHECK_OK(msdk_session_mixed_audio(member, &mix));
  CHECK_OK(msdk_incoming_audio_start(mix, NULL));
  CHECK_OK(msdk_session_connect(member));
  msdk_event event;
  CHECK(event_wait(engine, member, MSDK_EVENT_OUTGOING_AUDIO_STATE, &event));
  CHECK_EQ(event.state, MSDK_OUTGOING_FAILED);
  CHECK_EQ(event.status, MSDK_E_PERMISSION);
  msdk_outgoing_audio_stats stats = MSDK_INIT(msdk_outgoing_audio_stats);
  CHECK_OK(msdk_outgoing_audio_stats_get(spoken, &stats));
  CHECK_EQ(stats.receivers, 0);
  msdk_outgoing_audio_destroy(attached);
  msdk_outgoing_audio_destroy(spoken);
  msdk_engine_destroy(engine);
}

/* ------------------------------------------------------------------------------------------------------------------- with a verifier */

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

static msdk_result verify(void *user, const msdk_access_request *request, uint32_t *permissions) {
  verifier *it = user;
  atomic_store(&it->inside, 1);
  CHECK(request->struct_size >= sizeof *request);
  CHECK_EQ(*permissions, request->permissions);
  snprintf(it->last_user, sizeof it->last_user, "%s", request->user_id);
  snprintf(it->last_room, sizeof it->last_room, "%s", request->room);
  if (it->session != NULL) msdk_session_destroy(it->session);
  it->session = NULL;
  if (it->configures) CHECK_OK(msdk_room_configure(it->engine, it->url, NULL));
  if (it->destroys_engine) msdk_engine_destroy(it->engine);
  WAIT_UNTIL(atomic_load(&it->proceed) != 0);
  msdk_result result = it->result;
  if (result != 1) {
    if (it->permissions != 0) *permissions = it->permissions;
  } else {
    result = strcmp(request->access_token, TOKEN) == 0 ? MSDK_OK : MSDK_E_PERMISSION;
    *permissions |= MSDK_MAY_MODERATE;
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

static void on_log(void *user, int32_t level, const char *text) {
  (void)user, (void)level;
  strncat(logged, text, sizeof logged - strlen(logged) - 1);
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
      {77, 31, MSDK_OK}, /* any success */
      {MSDK_OK, UINT32_MAX, MSDK_E_PERMISSION},
      {MSDK_OK, 32, MSDK_E_PERMISSION},
      {MSDK_E_TIMEOUT, 31, MSDK_E_PERMISSION}, /* whatever went wrong, nobody is let in for it */
      {-9999, 0, MSDK_E_PERMISSION},
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
  CHECK_EQ(session_stats(alice).participants, 2);
  CHECK_RANGE(atomic_load(&door.calls), 3, 100); /* alice, bob, dave, and bob again where he was met at the door */
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK(event_wait(engine, alice, MSDK_EVENT_PARTICIPANT_JOINED, &event));
  CHECK(strcmp(event.user_id, "dave") == 0);
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
    for (int tries = 0; tries < 1000 && atomic_load(&door.calls) == 0; tries++) run_for(engine, 5 * MS);
    CHECK_EQ(atomic_load(&door.calls), 1);
    CHECK_EQ(engine_stats(engine).sessions, 0);
    door.configures = 1; /* opens the room from inside; then there is nobody to answer to */
    msdk_session *bob = session_with(engine, url, "bob", NULL);
    CHECK(state_wait(engine, bob, MSDK_SESSION_CONNECTED));
    CHECK_EQ(permissions_of(bob, "bob"), 15);
    msdk_engine_destroy(engine);

    engine = engine_new(clock);
    guard(&door, engine, url);
    door.destroys_engine = 1;
    session_with(engine, url, "carol", TOKEN);
    for (int tries = 0; tries < 1000 && atomic_load(&door.calls) == 0; tries++) {
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
  CHECK_RANGE(answered + atomic_load(&quick.calls), 2, 3);
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
  CHECK_STR_CONTAINS(event.text, "gone");
  CHECK_EQ(atomic_load(&door.calls), calls);
  msdk_session_destroy(alice);
  msdk_session_destroy(bob);
  msdk_session_destroy(carol);
  CHECK_OK(msdk_session_connect(dave)); /* empty: forgotten */
  CHECK(state_wait(other, dave, MSDK_SESSION_CONNECTED));
  msdk_engine_destroy(other);
}

/* ---------------------------------------------------------------------------------------------------------------------------- pulled */

static void requests_are_pulled(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM), *other = engine_new(MSDK_CLOCK_SYSTEM);
  msdk_room_options options = MSDK_INIT(msdk_room_options);
  msdk_access_request request = MSDK_INIT(msdk_access_request), second = MSDK_INIT(msdk_access_request);
  CHECK_RESULT(msdk_room_next_request(engine, url, 0, &request), MSDK_E_STATE);
  options.pulled = 1;
  CHECK_OK(msdk_room_configure(engine, url, &options));
  CHECK_RESULT(msdk_room_next_request(engine, url, 0, &request), MSDK_E_TIMEOUT);
  CHECK_RESULT(msdk_room_next_request(other, url, 0, &request), MSDK_E_STATE);
  msdk_session *alice = session_with(engine, url, "alice", TOKEN), *bob = session_with(other, url, "bob", NULL);
  CHECK_OK(msdk_room_next_request(engine, url, 5000, &request));
  CHECK_OK(msdk_room_next_request(engine, url, 5000, &second));
  if (strcmp(request.user_id, "alice") != 0) { /* engines are not in step */
    msdk_access_request swap = request;
    request = second;
    second = swap;
  }
  CHECK(strcmp(request.user_id, "alice") == 0 && strcmp(request.display_name, "alice") == 0);
  CHECK(strcmp(request.access_token, TOKEN) == 0 && strcmp(second.access_token, "") == 0);
  CHECK_EQ(request.permissions, 15);
  CHECK_RESULT(msdk_room_answer(engine, url, request.id + second.id, MSDK_OK, 0), MSDK_E_NOT_FOUND);
  CHECK_ERROR(msdk_room_answer(engine, url, request.id, MSDK_OK, 32), MSDK_E_INVALID, "permissions");
  CHECK_ERROR(msdk_room_answer(engine, url, request.id, MSDK_E_AGAIN, 0), MSDK_E_INVALID, "MSDK_E_AGAIN");
  CHECK_RESULT(msdk_room_answer(other, url, request.id, MSDK_OK, 0), MSDK_E_NOT_FOUND);
  CHECK(is_state(alice, MSDK_SESSION_CONNECTING));
  CHECK_OK(msdk_room_answer(engine, url, second.id, MSDK_E_PERMISSION, 0)); /* in any order */
  CHECK_EQ(refusal(other, bob).status, MSDK_E_PERMISSION);
  CHECK_OK(msdk_room_answer(engine, url, request.id, MSDK_OK, MSDK_MAY_RECEIVE));
  CHECK_RESULT(msdk_room_answer(engine, url, request.id, MSDK_OK, MSDK_MAY_RECEIVE), MSDK_E_NOT_FOUND); /* once */
  CHECK(state_wait(engine, alice, MSDK_SESSION_CONNECTED));
  CHECK_EQ(permissions_of(alice, "alice"), MSDK_MAY_RECEIVE);
  CHECK_OK(msdk_session_connect(bob));
  CHECK_OK(msdk_room_next_request(engine, url, 5000, &request));
  CHECK_OK(msdk_session_disconnect(bob)); /* does not wait for it */
  CHECK_RESULT(msdk_room_answer(engine, url, request.id, MSDK_OK, 15), MSDK_E_NOT_FOUND);
  CHECK_OK(msdk_session_connect(bob));
  CHECK_OK(msdk_room_next_request(engine, url, 5000, &request));
  CHECK_OK(msdk_room_configure(engine, url, &options)); /* set anew: asked anew */
  CHECK_RESULT(msdk_room_answer(engine, url, request.id, MSDK_OK, 15), MSDK_E_NOT_FOUND);
  CHECK_OK(msdk_room_next_request(engine, url, 5000, &second));
  CHECK(second.id != request.id && strcmp(second.user_id, "bob") == 0);
  CHECK_OK(msdk_room_configure(engine, url, NULL)); /* open: bob is in without an answer */
  CHECK(state_wait(other, bob, MSDK_SESSION_CONNECTED));
  msdk_engine_destroy(engine);
  msdk_engine_destroy(other);
}

static atomic_int waiter_result;

static void *wait_for_request(void *argument) {
  verifier *it = argument;
  msdk_access_request request = MSDK_INIT(msdk_access_request);
  atomic_store(&it->inside, 1);
  atomic_store(&waiter_result, msdk_room_next_request(it->engine, it->url, MSDK_WAIT_FOREVER, &request));
  return NULL;
}

static void whoever_waits_for_requests_is_told_of_the_end(void) {
  for (int destroys = 0; destroys < 2; destroys++) {
    verifier it = {.url = room_new(), .engine = engine_new(MSDK_CLOCK_SYSTEM)};
    msdk_room_options options = MSDK_INIT(msdk_room_options);
    options.pulled = 1;
    CHECK_OK(msdk_room_configure(it.engine, it.url, &options));
    pthread_t thread;
    atomic_store(&waiter_result, 1);
    pthread_create(&thread, NULL, wait_for_request, &it);
    WAIT_UNTIL(atomic_load(&it.inside) == 1);
    sleep_ms(20);
    if (destroys) {
      msdk_engine_destroy(it.engine);
    } else {
      CHECK_OK(msdk_room_configure(it.engine, it.url, NULL));
    }
    pthread_join(thread, NULL);
    int result = atomic_load(&waiter_result); /* a thread that was late finds no engine, or no such room */
    CHECK(result == MSDK_E_CLOSED || result == MSDK_E_HANDLE || result == MSDK_E_STATE);
    if (!destroys) msdk_engine_destroy(it.engine);
  }
}

static msdk_result verify_later(void *user, const msdk_access_request *request, uint32_t *permissions) {
  (void)permissions;
  atomic_store((atomic_ullong *)user, request->id);
  return MSDK_E_AGAIN;
}

static void a_verifier_that_answers_later(void) {
  const char *url = room_new();
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  atomic_ullong id = 0;
  msdk_room_options options = MSDK_INIT(msdk_room_options);
  options.verify = verify_later;
  options.user = &id;
  CHECK_OK(msdk_room_configure(engine, url, &options));
  msdk_session *alice = session_with(engine, url, "alice", TOKEN);
  run_for(engine, SECOND);
  CHECK(is_state(alice, MSDK_SESSION_CONNECTING));
  msdk_access_request request = MSDK_INIT(msdk_access_request);
  CHECK_RESULT(msdk_room_next_request(engine, url, 0, &request), MSDK_E_STATE); /* not pulled */
  CHECK_OK(msdk_room_answer(engine, url, atomic_load(&id), MSDK_OK, 31));
  run_for(engine, MS);
  CHECK_EQ(permissions_of(alice, "alice"), 31);
  msdk_engine_destroy(engine);
}

/* ------------------------------------------------------------------------------------------------------------------------- moderation */

/* alice may moderate; bob sends sound that carol hears of. */
typedef struct moderated {
  msdk_engine *engine;
  const char *url;
  msdk_session *alice, *bob, *carol;
  msdk_outgoing_audio *voice, *other;
} moderated;

static moderated moderated_room(void) {
  moderated it = {.engine = engine_new(MSDK_CLOCK_VIRTUAL), .url = room_new()};
  configure(it.engine, it.url, 0, 0, 31);
  it.alice = join(it.engine, it.url, "alice");
  configure(it.engine, it.url, 0, 0, 0);
  it.bob = join(it.engine, it.url, "bob");
  it.carol = join(it.engine, it.url, "carol");
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  CHECK_OK(msdk_outgoing_audio_create(it.engine, &options, &it.voice));
  CHECK_OK(msdk_outgoing_audio_create(it.engine, &options, &it.other));
  CHECK_OK(msdk_session_start_audio(it.bob, it.voice));
  CHECK_OK(msdk_session_start_audio(it.bob, it.other));
  run_for(it.engine, MS);
  return it;
}

static void moderated_close(moderated *it) {
  msdk_outgoing_audio_destroy(it->voice);
  msdk_outgoing_audio_destroy(it->other);
  msdk_engine_destroy(it->engine);
}

static void a_member_is_removed(void) {
  moderated it = moderated_room();
  CHECK_OK(msdk_session_remove_participant(it.alice, "bob", "no \"shouting\""));
  msdk_event event = MSDK_INIT(msdk_event);
  NEED(event_wait(it.engine, it.bob, MSDK_EVENT_MODERATED, &event));
  CHECK_EQ(event.value, MSDK_MODERATION_REMOVED);
  CHECK(strcmp(event.user_id, "alice") == 0 && strcmp(event.text, "no \"shouting\"") == 0);
  event = refusal(it.engine, it.bob);
  CHECK_EQ(event.status, MSDK_E_REMOVED);
  CHECK_STR_CONTAINS(event.text, "alice");
  CHECK_STR_CONTAINS(event.text, "shouting");
  uint32_t state = 0;
  CHECK_OK(msdk_outgoing_audio_state(it.voice, &state));
  CHECK_EQ(state, MSDK_OUTGOING_STOPPED);
  CHECK(event_wait(it.engine, it.carol, MSDK_EVENT_PARTICIPANT_LEFT, &event));
  CHECK(strcmp(event.user_id, "bob") == 0);
  CHECK_EQ(session_stats(it.carol).participants, 2);
  CHECK_ERROR(msdk_session_remove_participant(it.alice, "bob", NULL), MSDK_E_NOT_FOUND, "bob");
  CHECK_OK(msdk_session_connect(it.bob)); /* nobody verifies */
  CHECK(state_wait(it.engine, it.bob, MSDK_SESSION_CONNECTED));
  CHECK_OK(msdk_session_remove_participant(it.alice, "bob", NULL)); /* no reason */
  CHECK_EQ(refusal(it.engine, it.bob).status, MSDK_E_REMOVED);
  moderated_close(&it);
}

/* Taken out while his network is away: he does not come back when it does. */
static void a_member_who_is_away_is_removed(void) {
  moderated it = moderated_room();
  msdk_network_step steps[2] = {network_step(0, 0), network_step(5 * SECOND, 0)};
  steps[0].flags = MSDK_NETWORK_DISCONNECTED;
  msdk_network_script script = MSDK_INIT(msdk_network_script);
  script.step_count = 2;
  script.steps = steps;
  script.user_id = "bob";
  CHECK_OK(msdk_room_script_network(it.engine, it.url, &script));
  run_for(it.engine, SECOND);
  CHECK(is_state(it.bob, MSDK_SESSION_RECONNECTING));
  CHECK_OK(msdk_session_remove_participant(it.alice, "bob", NULL));
  run_for(it.engine, 10 * SECOND);
  CHECK(is_state(it.bob, MSDK_SESSION_DISCONNECTED));
  CHECK_EQ(session_stats(it.carol).participants, 2);
  moderated_close(&it);
}

/* How often carol was told that a stream of bob's was muted (1) or not any more (0). */
static int told(moderated *it, uint64_t muted) {
  int count = 0;
  run_for(it->engine, MS);
  for (;;) {
    msdk_event event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(it->carol, 0, &event) < 0) return count;
    count += event.type == MSDK_EVENT_INCOMING_AUDIO_MUTED && event.value == muted;
  }
}

static void a_member_is_muted(void) {
  moderated it = moderated_room();
  CHECK_OK(msdk_outgoing_audio_set_muted(it.other, 1)); /* by himself */
  CHECK_EQ(told(&it, 1), 1);
  CHECK_OK(msdk_session_mute_participant(it.alice, "bob", 1));
  CHECK_EQ(told(&it, 1), 1);
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK(event_take(it.bob, MSDK_EVENT_MODERATED, &event));
  CHECK_EQ(event.value, MSDK_MODERATION_MUTED);
  CHECK(strcmp(event.user_id, "alice") == 0 && event.text[0] == 0);
  CHECK_OK(msdk_session_mute_participant(it.alice, "bob", 1)); /* again: told, though nothing changes */
  CHECK_EQ(told(&it, 1), 0);
  CHECK_OK(msdk_session_mute_participant(it.alice, "bob", 0)); /* what he muted himself stays muted */
  CHECK_EQ(told(&it, 0), 1);
  CHECK(event_take(it.bob, MSDK_EVENT_MODERATED, &event));
  CHECK_EQ(event.value, MSDK_MODERATION_UNMUTED);
  CHECK_OK(msdk_session_mute_participant(it.alice, "bob", 1));
  CHECK_EQ(told(&it, 1), 1);
  CHECK_OK(msdk_outgoing_audio_set_muted(it.voice, 0)); /* he may */
  CHECK_EQ(told(&it, 0), 1);
  CHECK_OK(msdk_session_mute_participant(it.alice, "bob", 1));
  CHECK_OK(msdk_outgoing_audio_set_muted(it.voice, 1)); /* now it is his own */
  CHECK_OK(msdk_session_mute_participant(it.alice, "bob", 0));
  run_for(it.engine, MS);
  CHECK_EQ(told(&it, 0), 0);
  moderated_close(&it);
}

static void moderators_are_told_what_is_wrong(void) {
  moderated it = moderated_room();
  char longest[257];
  memset(longest, 'x', 256);
  longest[256] = 0;
  CHECK_ERROR(msdk_session_remove_participant(it.bob, "carol", NULL), MSDK_E_PERMISSION, "moderate");
  CHECK_ERROR(msdk_session_mute_participant(it.bob, "carol", 1), MSDK_E_PERMISSION, "moderate");
  CHECK_ERROR(msdk_session_remove_participant(it.alice, "alice", NULL), MSDK_E_INVALID, "oneself");
  CHECK_ERROR(msdk_session_mute_participant(it.alice, "alice", 1), MSDK_E_INVALID, "oneself");
  CHECK_ERROR(msdk_session_remove_participant(it.alice, "dave", NULL), MSDK_E_NOT_FOUND, "dave");
  CHECK_ERROR(msdk_session_mute_participant(it.alice, "", 1), MSDK_E_NOT_FOUND, "user_id");
  CHECK_ERROR(msdk_session_remove_participant(it.alice, NULL, NULL), MSDK_E_INVALID, "user_id");
  CHECK_ERROR(msdk_session_remove_participant(it.alice, longest, NULL), MSDK_E_INVALID, "user_id");
  CHECK_ERROR(msdk_session_remove_participant(it.alice, "bob", longest), MSDK_E_INVALID, "reason");
  CHECK_ERROR(msdk_session_remove_participant(it.alice, "bob", "\xff"), MSDK_E_INVALID, "reason");
  CHECK_ERROR(msdk_session_mute_participant(it.alice, "bob", 2), MSDK_E_INVALID, "is_muted");
  CHECK_RESULT(msdk_session_remove_participant(NULL, "bob", NULL), MSDK_E_HANDLE);
  msdk_session *idle = session_new(it.engine, it.url, "idle");
  CHECK_RESULT(msdk_session_remove_participant(idle, "bob", NULL), MSDK_E_STATE);
  CHECK_RESULT(msdk_session_mute_participant(idle, "bob", 1), MSDK_E_STATE);
  CHECK_EQ(session_stats(it.carol).participants, 3);
  moderated_close(&it);
}

/* -------------------------------------------------------------------------------------------------------------------------- bad input */

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
  REFUSED(duplicates, 2, MSDK_E_INVALID, "duplicates");
  REFUSED(permissions, 32, MSDK_E_INVALID, "permissions");
  REFUSED(pulled, 2, MSDK_E_INVALID, "pulled");
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
  CHECK_RESULT(msdk_room_configure(other, url, &good), MSDK_E_STATE); /* a room of a virtual clock */
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
  RUN(a_room_is_full);
  RUN(a_user_id_that_is_taken);
  RUN(permissions_hold);
  RUN(permissions_hold_for_what_was_asked_before);
  RUN(tokens_are_verified);
  RUN(what_a_verifier_may_say);
  RUN(a_slow_verifier);
  RUN(a_verifier_that_destroys);
  RUN(a_verifier_that_is_replaced);
  RUN(a_verifier_whose_engine_goes);
  RUN(requests_are_pulled);
  RUN(whoever_waits_for_requests_is_told_of_the_end);
  RUN(a_verifier_that_answers_later);
  RUN(a_member_is_removed);
  RUN(a_member_who_is_away_is_removed);
  RUN(a_member_is_muted);
  RUN(moderators_are_told_what_is_wrong);
  RUN(bad_options_are_named);
  return check_finish();
}
