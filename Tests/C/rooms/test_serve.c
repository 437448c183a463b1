/* serve.h: members elsewhere see, hear and are told what members of the process are, and the other way round. */
#include "hosting.h"

enum { GOOD = -20 }; /* dB that what was heard lacks to be the tone */

static void see(msdk_engine *engine, end *from, end *to) {
  show film = show_start(engine, from, to);
  CHECK(show_play(&film, 8));
  CHECK_EQ(to->last[MSDK_EVENT_INCOMING_VIDEO_ADDED].codec, MSDK_CODEC_VP8);
  CHECK_EQ(outgoing_stats(film.stream).receivers, 1);
  check_outcomes_add_up(film.stream);
  uint32_t removed = to->count[MSDK_EVENT_INCOMING_VIDEO_REMOVED];
  show_end(&film);
  CHECK(end_wait(to, MSDK_EVENT_INCOMING_VIDEO_REMOVED, removed + 1));
}

static void hear(msdk_engine *engine, end *from, end *to, double frequency, double other) {
  end_look(to);
  to->count[MSDK_EVENT_INCOMING_AUDIO_ADDED] = 0;
  uint32_t removed = to->count[MSDK_EVENT_INCOMING_AUDIO_REMOVED];
  singing *song = sing_start(engine, from, to, frequency);
  CHECK(sing_on(engine, song, 600));
  CHECK_RANGE(sing_likeness(song, frequency), -300, GOOD);
  CHECK_RANGE(sing_likeness(song, other), GOOD, 0);
  CHECK_EQ(to->last[MSDK_EVENT_INCOMING_AUDIO_ADDED].codec, MSDK_CODEC_OPUS);
  sing_end(song);
  CHECK(end_wait(to, MSDK_EVENT_INCOMING_AUDIO_REMOVED, removed + 1));
}

/* alice is of the process, bob and carol are not. */
static void call_in(house it) {
  end alice = inmate(&it, "alice"), bob = guest(&it, "bob", ""), carol = guest(&it, "carol", "");
  CHECK(end_wait(&alice, MSDK_EVENT_PARTICIPANT_JOINED, 2) && end_wait(&bob, MSDK_EVENT_PARTICIPANT_JOINED, 2));
  CHECK(end_wait(&carol, MSDK_EVENT_PARTICIPANT_JOINED, 2));
  CHECK_EQ(house_members(&it), 2);
  see(it.host, &alice, &bob);
  see(it.away, &bob, &alice);
  see(it.away, &bob, &carol);
  hear(it.host, &alice, &bob, 440, 1000);
  hear(it.away, &carol, &alice, 1000, 440);
  hear(it.away, &carol, &bob, 700, 440);
  msdk_session_destroy(carol.session);
  CHECK(end_wait(&alice, MSDK_EVENT_PARTICIPANT_LEFT, 1) && end_wait(&bob, MSDK_EVENT_PARTICIPANT_LEFT, 1));
  CHECK(strcmp(bob.last[MSDK_EVENT_PARTICIPANT_LEFT].user_id, "carol") == 0);
  PATIENTLY(house_members(&it) == 1);
  CHECK_EQ(house_members(&it), 1);
  CHECK_OK(msdk_session_disconnect(alice.session));
  CHECK(end_wait(&bob, MSDK_EVENT_PARTICIPANT_LEFT, 2));
  CHECK_EQ(end_people(&bob), 1);
  house_close(&it);
}

static void pictures_and_sound(void) {
  house it = house_new("127.0.0.1");
  CHECK(it.info.fingerprint[0] == '\0');
  call_in(it);
}

static void over_tls(void) {
  house it = house_sealed();
  CHECK_EQ(strlen(it.info.fingerprint), 95);
  call_in(it);
}

static void over_ipv6(void) {
  if (has_ipv6()) call_in(house_new("[::1]"));
  else printf("over_ipv6: this machine has no [::1]\n");
}

static void participants(void) {
  house it = house_new("127.0.0.1");
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = it.url;
  options.user_id = "b\xC3\xB6" "b";
  options.display_name = "Bob \"the guest\"";
  end alice = inmate(&it, "alice"), bob = {0};
  CHECK_OK(msdk_session_create(it.away, &options, &bob.session));
  NEED(end_connect(&bob));
  CHECK(end_wait(&alice, MSDK_EVENT_PARTICIPANT_JOINED, 1));
  CHECK(strcmp(alice.last[MSDK_EVENT_PARTICIPANT_JOINED].user_id, options.user_id) == 0);
  CHECK(strcmp(end_sees(&alice, options.user_id).display_name, options.display_name) == 0);
  CHECK_EQ(end_sees(&alice, options.user_id).permissions, 47);
  CHECK(end_wait(&bob, MSDK_EVENT_PARTICIPANT_JOINED, 1));
  CHECK_EQ(end_sees(&bob, "alice").is_local, 0);
  CHECK_EQ(end_sees(&bob, options.user_id).is_local, 1);
  end again = guest_at(it.away, it.url, "alice", NULL);
  CHECK_EQ(end_reason(&again), MSDK_E_EXISTS);
  CHECK_OK(msdk_session_disconnect(bob.session));
  CHECK(end_wait(&alice, MSDK_EVENT_PARTICIPANT_LEFT, 1));
  CHECK(end_connect(&bob)); /* and comes back */
  CHECK(end_wait(&alice, MSDK_EVENT_PARTICIPANT_JOINED, 2));
  house_close(&it);
}

/* bob shares from elsewhere, then alice from here: each is told of the other's, with the stream. */
static void screens_are_shared(void) {
  house it = house_new("127.0.0.1");
  end alice = inmate(&it, "alice"), bob = guest(&it, "bob", "");
  for (int turn = 0; turn < 2; turn++) {
    end *sharer = turn == 0 ? &bob : &alice, *viewer = turn == 0 ? &alice : &bob;
    const char *name = turn == 0 ? "bob" : "alice";
    end_look(viewer);
    uint32_t before = viewer->count[MSDK_EVENT_SCREEN_SHARE_STATE];
    show film = show_start_of(turn == 0 ? it.away : it.host, MSDK_CODEC_VP8, MSDK_VIDEO_SCREEN_SHARE, sharer, viewer);
    NEED(end_wait(viewer, MSDK_EVENT_SCREEN_SHARE_STATE, before + 1));
    msdk_event *event = &viewer->last[MSDK_EVENT_SCREEN_SHARE_STATE];
    CHECK_EQ(event->state, MSDK_SCREEN_SHARE_ENABLED);
    CHECK(strcmp(event->user_id, name) == 0 && event->incoming_video != NULL);
    CHECK_EQ(viewer->last[MSDK_EVENT_INCOMING_VIDEO_ADDED].kind, MSDK_VIDEO_SCREEN_SHARE);
    CHECK_EQ(end_sees(viewer, name).is_sharing_screen, 1);
    show_end(&film);
    CHECK(end_wait(viewer, MSDK_EVENT_SCREEN_SHARE_STATE, before + 2));
    CHECK_EQ(viewer->last[MSDK_EVENT_SCREEN_SHARE_STATE].state, MSDK_SCREEN_SHARE_DISABLED);
    CHECK_EQ(end_sees(viewer, name).is_sharing_screen, 0);
  }
  house_close(&it);
}

/* What is heard at first, on a slow machine, may be made up: nobody is told of a speaker by that. */
static void sing_until_told(msdk_engine *engine, singing *song, end *told) {
  for (int i = 0; i < 60 && told->count[MSDK_EVENT_ACTIVE_SPEAKER] == 0 && sing_on(engine, song, 100); i++) end_look(told);
}

static void speakers_are_told(void) {
  house it = house_new("127.0.0.1");
  end alice = inmate(&it, "alice"), bob = guest(&it, "bob", "");
  singing *song = sing_start(it.away, &bob, &alice, 440);
  voice_tone(&song->voice, 440, 0.1); /* 23 dB below full scale */
  sing_until_told(it.away, song, &alice);
  CHECK(end_wait(&alice, MSDK_EVENT_ACTIVE_SPEAKER, 1));
  CHECK(strcmp(alice.last[MSDK_EVENT_ACTIVE_SPEAKER].user_id, "bob") == 0);
  CHECK_EQ(alice.last[MSDK_EVENT_ACTIVE_SPEAKER].state, MSDK_SPEAKER_ACTIVE);
  CHECK_RANGE(alice.last[MSDK_EVENT_ACTIVE_SPEAKER].value, 20, 26);
  CHECK_EQ(end_sees(&alice, "bob").is_speaking, 1);
  CHECK_OK(msdk_outgoing_audio_set_muted(song->voice.stream, 1));
  CHECK(end_wait(&alice, MSDK_EVENT_INCOMING_AUDIO_MUTED, 1));
  CHECK(end_wait(&alice, MSDK_EVENT_ACTIVE_SPEAKER, 2));
  CHECK_EQ(alice.last[MSDK_EVENT_ACTIVE_SPEAKER].state, MSDK_SPEAKER_SILENT);
  sing_end(song);
  song = sing_start(it.host, &alice, &bob, 440);
  bob.count[MSDK_EVENT_ACTIVE_SPEAKER] = 0;
  sing_until_told(it.host, song, &bob);
  PATIENTLY((end_look(&bob), end_sees(&bob, "alice").is_speaking));
  CHECK_EQ(end_sees(&bob, "alice").is_speaking, 1);
  CHECK(bob.count[MSDK_EVENT_ACTIVE_SPEAKER] >= 1);
  sing_end(song);
  house_close(&it);
}

/* A moderator of the process takes out a guest, and one elsewhere a member of the process. */
static void moderators_moderate(void) {
  house it = house_new("127.0.0.1");
  configure(it.host, it.room, 0, 0, 31);
  end alice = inmate(&it, "alice"), carol = guest(&it, "carol", "");
  configure(it.host, it.room, 0, 0, 0);
  end bob = guest(&it, "bob", "");
  CHECK(end_wait(&carol, MSDK_EVENT_PARTICIPANT_JOINED, 2) && end_wait(&alice, MSDK_EVENT_PARTICIPANT_JOINED, 2));
  PATIENTLY(end_people(&bob) == 3);
  CHECK_ERROR(msdk_session_remove_participant(bob.session, "alice", NULL), MSDK_E_PERMISSION, "moderate");
  CHECK_ERROR(msdk_session_remove_participant(carol.session, "nobody", NULL), MSDK_E_NOT_FOUND, "nobody");
  CHECK_OK(msdk_session_mute_participant(carol.session, "bob", 1));
  CHECK(end_wait(&bob, MSDK_EVENT_MODERATED, 1));
  CHECK_EQ(bob.last[MSDK_EVENT_MODERATED].value, MSDK_MODERATION_MUTED);
  CHECK_OK(msdk_session_remove_participant(alice.session, "bob", "no \"shouting\""));
  CHECK_EQ(end_reason(&bob), MSDK_E_REMOVED);
  CHECK_STR_CONTAINS(end_words(&bob), "shouting");
  CHECK_EQ(bob.last[MSDK_EVENT_MODERATED].value, MSDK_MODERATION_REMOVED);
  CHECK(strcmp(bob.last[MSDK_EVENT_MODERATED].user_id, "alice") == 0);
  CHECK(strcmp(bob.last[MSDK_EVENT_MODERATED].text, "no \"shouting\"") == 0);
  CHECK(end_wait(&carol, MSDK_EVENT_PARTICIPANT_LEFT, 1));
  PATIENTLY(house_members(&it) == 1);
  CHECK_EQ(house_members(&it), 1);
  CHECK_OK(msdk_session_remove_participant(carol.session, "alice", NULL));
  CHECK_EQ(end_reason(&alice), MSDK_E_REMOVED);
  CHECK(end_connect(&bob)); /* nobody verifies */
  house_close(&it);
}

static int says(msdk_session *session, const char *words) {
  static char text[1 << 18];
  return msdk_session_get_stats_json(session, text, sizeof text, NULL) >= 0 && strstr(text, words) != NULL;
}

static void stats_are_those_of_rtp(void) {
  house it = house_new("127.0.0.1");
  end alice = inmate(&it, "alice"), bob = guest(&it, "bob", "");
  show there = show_start(it.host, &alice, &bob), back = show_start(it.away, &bob, &alice);
  CHECK(show_play(&there, 10));
  CHECK(show_play(&back, 10));
  msdk_session_stats stats = session_stats(bob.session);
  CHECK_EQ(stats.participants, 2);
  CHECK(stats.packets_sent >= 10 && stats.bytes_sent > 500);
  CHECK(stats.packets_received >= 10 && stats.bytes_received > 500);
  CHECK_EQ(stats.packets_refused, 0);
  CHECK(says(bob.session, "\"transport\"") && says(bob.session, "AEAD_AES_128_GCM") && says(bob.session, "remoteAddress"));
  CHECK(says(bob.session, "\"inbound-rtp\"") && says(bob.session, "\"outbound-rtp\"") && says(bob.session, "keyFramesReceived"));
  CHECK(!says(alice.session, "\"transport\"")); /* who is in the room itself */
  PATIENTLY((session_stats(bob.session).round_trip_time_ns > 0)); /* with the reports of RTCP */
  CHECK_RANGE(session_stats(bob.session).round_trip_time_ns, 1, 5 * SECOND);
  show_end(&there);
  show_end(&back);
  CHECK_OK(msdk_session_disconnect(bob.session));
  CHECK(!says(bob.session, "\"transport\""));
  house_close(&it);
}

/* What is raw stays within the process. */
static void raw_streams_stay(void) {
  house it = house_new("127.0.0.1");
  end alice = inmate(&it, "alice"), bob = guest(&it, "bob", "");
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 15);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  msdk_outgoing_audio_options sound = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  sound.codec = MSDK_CODEC_RAW;
  msdk_outgoing_video *theirs = NULL, *ours = NULL;
  msdk_outgoing_audio *voice = NULL, *attached = NULL;
  CHECK_OK(msdk_outgoing_video_create(it.away, &options, &theirs));
  CHECK_OK(msdk_outgoing_audio_create(it.away, &sound, &voice));
  CHECK_OK(msdk_outgoing_audio_create(it.away, &sound, &attached));
  CHECK_ERROR(msdk_session_start_video(bob.session, theirs), MSDK_E_UNSUPPORTED, "MSDK_CODEC_VP8");
  CHECK_ERROR(msdk_session_start_audio(bob.session, voice), MSDK_E_UNSUPPORTED, "MSDK_CODEC_OPUS");
  CHECK_OK(msdk_session_disconnect(bob.session));
  CHECK_OK(msdk_session_start_audio(bob.session, attached)); /* when it connects */
  NEED(end_connect(&bob));
  CHECK(end_wait(&bob, MSDK_EVENT_OUTGOING_AUDIO_STATE, 1));
  CHECK_EQ(bob.last[MSDK_EVENT_OUTGOING_AUDIO_STATE].state, MSDK_OUTGOING_FAILED);
  CHECK_EQ(bob.last[MSDK_EVENT_OUTGOING_AUDIO_STATE].status, MSDK_E_UNSUPPORTED);
  CHECK_OK(msdk_outgoing_video_create(it.host, &options, &ours));
  CHECK_OK(msdk_session_start_video(alice.session, ours));
  hear(it.host, &alice, &bob, 440, 1000); /* told after it */
  CHECK_EQ(bob.count[MSDK_EVENT_INCOMING_VIDEO_ADDED], 0);
  /* alice is notified of whom it does not reach: of who is here, and of who comes. */
  CHECK(end_wait(&alice, MSDK_EVENT_STREAM_UNREACHABLE, 1));
  msdk_event *missed = &alice.last[MSDK_EVENT_STREAM_UNREACHABLE];
  CHECK(missed->outgoing_video == ours && missed->outgoing_audio == NULL);
  CHECK_EQ(missed->kind, MSDK_VIDEO_VIRTUAL);
  CHECK_EQ(missed->status, MSDK_E_UNSUPPORTED);
  CHECK_STR_CONTAINS(missed->user_id, "bob");
  CHECK_STR_CONTAINS(missed->text, "raw");
  msdk_outgoing_audio *spoken = NULL;
  CHECK_OK(msdk_outgoing_audio_create(it.host, &sound, &spoken));
  CHECK_OK(msdk_session_start_audio(alice.session, spoken));
  CHECK(end_wait(&alice, MSDK_EVENT_STREAM_UNREACHABLE, 2));
  CHECK(missed->outgoing_audio == spoken && missed->outgoing_video == NULL);
  end carol = guest(&it, "carol", "");
  CHECK(end_wait(&alice, MSDK_EVENT_STREAM_UNREACHABLE, 4));
  CHECK_STR_CONTAINS(missed->user_id, "carol");
  msdk_session_destroy(carol.session);
  msdk_outgoing_audio_destroy(spoken);
  CHECK_ERROR(msdk_session_set_srtp_keys(bob.session, (const uint8_t *)"", 0, (const uint8_t *)"", 0), MSDK_E_STATE, "rtp:");
  msdk_outgoing_video_destroy(theirs);
  msdk_outgoing_video_destroy(ours);
  msdk_outgoing_audio_destroy(voice);
  msdk_outgoing_audio_destroy(attached);
  house_close(&it);
}

int main(int argc, char **argv) {
  RUN(pictures_and_sound);
  RUN(over_tls);
  RUN(over_ipv6);
  RUN(participants);
  RUN(screens_are_shared);
  RUN(speakers_are_told);
  RUN(moderators_moderate);
  RUN(stats_are_those_of_rtp);
  RUN(raw_streams_stay);
  return check_finish();
}
