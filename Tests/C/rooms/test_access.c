/* room.h: how many a room takes, whose user_id is taken, and what its members may do. */
#include "access.h"
#include "sound.h"

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
  msdk_outgoing_video_options offered = outgoing_options(MSDK_CODEC_RAW, &format, 1);
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
  CHECK_OK(msdk_outgoing_video_get_state(stream, &state));
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
  msdk_outgoing_video_options virtual = outgoing_options(MSDK_CODEC_RAW, &format, 1), screen = virtual;
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
    CHECK_EQ(permissions_of(member, "sender"), 47);
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
    CHECK_OK(msdk_session_get_mixed_audio(member, &mix));
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
  CHECK_OK(msdk_session_get_mixed_audio(member, &mix));
  CHECK_OK(msdk_incoming_audio_start(mix, NULL));
  CHECK_OK(msdk_session_connect(member));
  msdk_event event;
  CHECK(event_wait(engine, member, MSDK_EVENT_OUTGOING_AUDIO_STATE, &event));
  CHECK_EQ(event.state, MSDK_OUTGOING_FAILED);
  CHECK_EQ(event.status, MSDK_E_PERMISSION);
  msdk_outgoing_audio_stats stats = MSDK_INIT(msdk_outgoing_audio_stats);
  CHECK_OK(msdk_outgoing_audio_get_stats(spoken, &stats));
  CHECK_EQ(stats.receivers, 0);
  uint32_t state = 99;
  CHECK_OK(msdk_incoming_audio_get_state(mix, &state));
  CHECK_EQ(state, MSDK_INCOMING_STOPPED);
  msdk_outgoing_audio_destroy(attached);
  msdk_outgoing_audio_destroy(spoken);
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  RUN(a_room_is_full);
  RUN(a_user_id_that_is_taken);
  RUN(permissions_hold);
  RUN(permissions_hold_for_what_was_asked_before);
  return check_finish();
}
