/* session.h: what moderators do to members. */
#include "access.h"
#include "sound.h"

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
  CHECK_OK(msdk_outgoing_audio_get_state(it.voice, &state));
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
  CHECK_ERROR(msdk_session_remove_participant(it.alice, "alice", NULL), MSDK_E_INVALID, "the session's own");
  CHECK_ERROR(msdk_session_mute_participant(it.alice, "alice", 1), MSDK_E_INVALID, "the session's own");
  CHECK_ERROR(msdk_session_remove_participant(it.alice, "dave", NULL), MSDK_E_NOT_FOUND, "dave");
  CHECK_ERROR(msdk_session_mute_participant(it.alice, "", 1), MSDK_E_NOT_FOUND, "user_id");
  CHECK_ERROR(msdk_session_remove_participant(it.alice, NULL, NULL), MSDK_E_INVALID, "user_id");
  CHECK_ERROR(msdk_session_remove_participant(it.alice, longest, NULL), MSDK_E_INVALID, "user_id");
  CHECK_ERROR(msdk_session_remove_participant(it.alice, "bob", longest), MSDK_E_INVALID, "reason");
  CHECK_ERROR(msdk_session_remove_participant(it.alice, "bob", "\xff"), MSDK_E_INVALID, "reason");
  CHECK_ERROR(msdk_session_mute_participant(it.alice, "bob", 2), MSDK_E_UNSUPPORTED, "is_muted");
  CHECK_RESULT(msdk_session_remove_participant(NULL, "bob", NULL), MSDK_E_HANDLE);
  msdk_session *idle = session_new(it.engine, it.url, "idle");
  CHECK_RESULT(msdk_session_remove_participant(idle, "bob", NULL), MSDK_E_STATE);
  CHECK_RESULT(msdk_session_mute_participant(idle, "bob", 1), MSDK_E_STATE);
  CHECK_EQ(session_stats(it.carol).participants, 3);
  moderated_close(&it);
}

int main(int argc, char **argv) {
  RUN(a_member_is_removed);
  RUN(a_member_who_is_away_is_removed);
  RUN(a_member_is_muted);
  RUN(moderators_are_told_what_is_wrong);
  return check_finish();
}
