/* session.h, active speakers: who speaks, told as events and in the list of participants; who does not. */
#include "sound.h"

/* By the newest event about this user, 1: speaks, 0: not any more; -1 when there is none. */
static int spoke(msdk_session *session, const char *user, uint64_t *level) {
  int state = -1;
  for (;;) {
    msdk_event event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(session, 0, &event) < 0) return state;
    if (event.type != MSDK_EVENT_ACTIVE_SPEAKER || strcmp(event.user_id, user) != 0) continue;
    CHECK(event.state == MSDK_SPEAKER_ACTIVE || event.state == MSDK_SPEAKER_SILENT);
    int speaks = event.state == MSDK_SPEAKER_ACTIVE;
    CHECK(speaks != state); /* not the same twice */
    state = speaks;
    if (level != NULL) *level = event.value;
  }
}

static msdk_participant participant(msdk_session *session, const char *user) {
  msdk_participant people[8], none = MSDK_INIT(msdk_participant);
  uint32_t count = people_of(session, people, 8);
  for (uint32_t i = 0; i < count && i < 8; i++) {
    if (strcmp(people[i].user_id, user) == 0) return people[i];
  }
  CHECK(0);
  return none;
}

static sound_call *open_with(msdk_outgoing_audio_options options, double amplitude) {
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  voice_tone(&it->voice, 440, amplitude);
  spoke(it->alice, "alice", NULL);
  spoke(it->bob, "alice", NULL);
  return it;
}

static void whoever_is_loud_speaks(void) {
  static const uint32_t codecs[] = {MSDK_CODEC_RAW, MSDK_CODEC_OPUS};
  for (int i = 0; i < 2; i++) {
    msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
    options.codec = codecs[i];
    sound_call *it = open_with(options, 0.1); /* 23 dB below full scale */
    uint64_t level = 0;
    CHECK_EQ(participant(it->bob, "alice").is_speaking, 0);
    sound_talk(it, 300 * MS);
    CHECK_EQ(spoke(it->bob, "alice", &level), 1);
    CHECK_RANGE(level, 21, 25);
    CHECK_EQ(spoke(it->alice, "alice", &level), 1); /* of oneself too */
    CHECK_EQ(participant(it->bob, "alice").is_speaking, 1);
    CHECK_EQ(participant(it->alice, "alice").is_speaking, 1);
    CHECK_RANGE(participant(it->bob, "alice").audio_level, 21, 25);
    CHECK_EQ(participant(it->bob, "bob").is_speaking, 0);
    CHECK_EQ(participant(it->bob, "bob").audio_level, 127);
    CHECK_EQ(participant(it->bob, "alice").audio_stream_count, 1);
    sound_talk(it, 2 * SECOND);
    CHECK_EQ(spoke(it->bob, "alice", NULL), -1); /* goes on: nothing new */
    voice_tone(&it->voice, 440, 0);              /* silent, and sends on */
    sound_talk(it, 1500 * MS);
    CHECK_EQ(spoke(it->bob, "alice", NULL), 0);
    CHECK_EQ(spoke(it->alice, "alice", NULL), 0);
    CHECK_EQ(participant(it->bob, "alice").is_speaking, 0);
    voice_tone(&it->voice, 440, 0.1);
    sound_talk(it, 300 * MS);
    CHECK_EQ(spoke(it->bob, "alice", NULL), 1);
    run_for(it->engine, 1500 * MS); /* sends nothing at all any more */
    CHECK_EQ(spoke(it->bob, "alice", NULL), 0);
    CHECK_EQ(spoke(it->alice, "alice", NULL), 0);
    sound_close(it);
  }
}

static void a_pause_between_words_is_no_end(void) {
  sound_call *it = open_with(sound_options(48000, 1, MSDK_SAMPLE_S16, 20), 0.2);
  sound_talk(it, 500 * MS);
  CHECK_EQ(spoke(it->bob, "alice", NULL), 1);
  for (int i = 0; i < 8; i++) {
    voice_tone(&it->voice, 440, 0);
    sound_talk(it, 400 * MS);
    voice_tone(&it->voice, 440, 0.2);
    sound_talk(it, 200 * MS);
    CHECK_EQ(spoke(it->bob, "alice", NULL), -1);
  }
  sound_close(it);
}

static void what_is_no_speech(void) {
  sound_call *it = open_with(sound_options(48000, 1, MSDK_SAMPLE_S16, 20), 0.001); /* 63 dB below: a quiet room */
  sound_talk(it, 2 * SECOND);
  CHECK_EQ(spoke(it->bob, "alice", NULL), -1);
  for (int i = 0; i < 5; i++) { /* a click, no longer than a buffer */
    voice_tone(&it->voice, 440, 0.5);
    sound_talk(it, 20 * MS);
    voice_tone(&it->voice, 440, 0);
    sound_talk(it, 480 * MS);
  }
  CHECK_EQ(spoke(it->bob, "alice", NULL), -1);
  CHECK_OK(msdk_outgoing_audio_set_muted(it->voice.stream, 1)); /* loud, but muted */
  voice_tone(&it->voice, 440, 0.5);
  sound_talk(it, SECOND);
  CHECK_EQ(spoke(it->bob, "alice", NULL), -1);
  CHECK_EQ(spoke(it->alice, "alice", NULL), -1);
  CHECK_EQ(participant(it->alice, "alice").is_speaking, 0);
  sound_close(it);
  msdk_outgoing_audio_options options = sound_options(48000, 2, MSDK_SAMPLE_S16, 20);
  options.kind = MSDK_AUDIO_SCREEN_SHARE; /* the sound of what is shown is nobody's voice */
  it = open_with(options, 0.5);
  sound_talk(it, 2 * SECOND);
  CHECK_EQ(spoke(it->bob, "alice", NULL), -1);
  CHECK_EQ(participant(it->bob, "alice").is_speaking, 0);
  sound_close(it);
}

static void the_end_of_the_stream_ends_it(void) {
  for (int how = 0; how < 4; how++) {
    sound_call *it = open_with(sound_options(48000, 1, MSDK_SAMPLE_S16, 10), 0.3);
    sound_talk(it, 500 * MS);
    CHECK_EQ(spoke(it->bob, "alice", NULL), 1);
    if (how == 0) CHECK_OK(msdk_session_stop_audio(it->alice, it->voice.stream));
    if (how == 1) msdk_outgoing_audio_destroy(it->voice.stream);
    if (how == 2) CHECK_OK(msdk_outgoing_audio_set_muted(it->voice.stream, 1));
    if (how == 3) CHECK_OK(msdk_session_disconnect(it->alice));
    if (how == 2) sound_talk(it, 1500 * MS);
    else run_for(it->engine, 1500 * MS);
    CHECK_EQ(spoke(it->bob, "alice", NULL), 0);
    sound_close(it);
  }
}

static void several_at_once(void) {
  sound_call *it = open_with(sound_options(48000, 1, MSDK_SAMPLE_S16, 20), 0.1);
  static voice bob;
  msdk_outgoing_audio_options options = sound_options(16000, 1, MSDK_SAMPLE_F32, 10);
  NEED(voice_make(&bob, it->engine, &options));
  CHECK_OK(msdk_session_start_audio(it->bob, bob.stream));
  msdk_event event = MSDK_INIT(msdk_event);
  NEED(event_wait(it->engine, it->alice, MSDK_EVENT_INCOMING_AUDIO_ADDED, &event));
  CHECK_OK(msdk_incoming_audio_start(event.incoming_audio, NULL));
  run_for(it->engine, MS);
  talk(it->engine, (voice *[]){&it->voice, &bob}, 2, NULL, 0, 500 * MS);
  CHECK_EQ(participant(it->alice, "alice").is_speaking, 1);
  CHECK_EQ(participant(it->alice, "bob").is_speaking, 1);
  CHECK_EQ(participant(it->bob, "alice").is_speaking, 1);
  CHECK_EQ(participant(it->bob, "bob").is_speaking, 1);
  CHECK(participant(it->bob, "bob").audio_level < participant(it->bob, "alice").audio_level); /* the smaller the louder */
  CHECK_EQ(spoke(it->alice, "bob", NULL), 1);
  sound_talk(it, 1500 * MS); /* bob is silent now */
  CHECK_EQ(participant(it->alice, "bob").is_speaking, 0);
  CHECK_EQ(participant(it->alice, "alice").is_speaking, 1);
  msdk_outgoing_audio_destroy(bob.stream);
  sound_close(it);
}

/* Somebody who only watches is told too, and so is everybody when nobody receives the sound. */
static void who_speaks_is_told_to_all(void) {
  sound_call *it = sound_join(MSDK_CLOCK_VIRTUAL);
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  NEED(sound_offer(it, &options)); /* is not started */
  sound_talk(it, 500 * MS);
  CHECK_EQ(spoke(it->alice, "alice", NULL), 1);
  CHECK_EQ(spoke(it->bob, "alice", NULL), 1);
  sound_close(it);
}

int main(int argc, char **argv) {
  RUN(whoever_is_loud_speaks);
  RUN(a_pause_between_words_is_no_end);
  RUN(what_is_no_speech);
  RUN(the_end_of_the_stream_ends_it);
  RUN(several_at_once);
  RUN(who_speaks_is_told_to_all);
  return check_finish();
}
