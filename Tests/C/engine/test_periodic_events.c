/* session.h: levels and stats as events, at an interval. */
#include "sound.h"

/* How many events of a type wait; the last of them. */
static int events_of(msdk_session *session, uint32_t type, msdk_event *last) {
  int count = 0;
  for (;;) {
    msdk_event event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(session, 0, &event) < 0) return count;
    if (event.type != type) continue;
    *last = event;
    count++;
  }
}

static void levels_are_those_of_the_interval(void) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  msdk_event event = MSDK_INIT(msdk_event);
  voice_tone(&it->voice, 440, 0.1);
  sound_talk(it, 500 * MS);
  events_of(it->alice, 0, &event);
  events_of(it->bob, 0, &event);
  CHECK_OK(msdk_session_set_audio_level_interval(it->alice, 200));
  CHECK_OK(msdk_session_set_audio_level_interval(it->bob, 200));
  voice_tone(&it->voice, 440, 0.5);
  sound_talk(it, 1010 * MS);
  CHECK_EQ(events_of(it->alice, MSDK_EVENT_AUDIO_LEVEL, &event), 5);
  CHECK(event.outgoing_audio == it->voice.stream && event.incoming_audio == NULL);
  CHECK(strcmp(event.user_id, "alice") == 0);
  CHECK_EQ(event.kind, MSDK_AUDIO_MICROPHONE);
  CHECK_RANGE(event.value, 8, 10); /* a sine of half the scale: -9 dBov */
  CHECK_EQ(events_of(it->bob, MSDK_EVENT_AUDIO_LEVEL, &event), 5);
  CHECK(event.incoming_audio == it->heard.stream && event.outgoing_audio == NULL);
  CHECK(strcmp(event.user_id, "alice") == 0);
  CHECK_RANGE(event.value, 8, 10);

  /* The loudest buffer of the interval, not the last one. */
  run_for(it->engine, 200 * MS);
  events_of(it->bob, 0, &event);
  sound_talk(it, 40 * MS);
  voice_tone(&it->voice, 440, 0.01);
  sound_talk(it, 150 * MS);
  run_for(it->engine, 30 * MS);
  CHECK_EQ(events_of(it->bob, MSDK_EVENT_AUDIO_LEVEL, &event), 1);
  CHECK_RANGE(event.value, 8, 10);
  run_for(it->engine, 400 * MS); /* nobody speaks */
  CHECK_EQ(events_of(it->bob, MSDK_EVENT_AUDIO_LEVEL, &event), 2);
  CHECK_EQ(event.value, 127);

  /* Another interval takes the place of the former; 0 ends it. */
  CHECK_OK(msdk_session_set_audio_level_interval(it->bob, 50));
  run_for(it->engine, 1010 * MS);
  CHECK_EQ(events_of(it->bob, MSDK_EVENT_AUDIO_LEVEL, &event), 20);
  CHECK_OK(msdk_session_set_audio_level_interval(it->bob, 0));
  run_for(it->engine, 1010 * MS);
  CHECK_EQ(events_of(it->bob, MSDK_EVENT_AUDIO_LEVEL, &event), 0);
  sound_close(it);
}

static void stats_are_due(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  const char *url = room_new();
  msdk_session *session = session_new(engine, url, "alice");
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK_OK(msdk_session_set_stats_interval(session, 1000));
  run_for(engine, 5 * SECOND);
  CHECK_EQ(events_of(session, MSDK_EVENT_STATS, &event), 0); /* it is not connected */
  CHECK_OK(msdk_session_connect(session));
  CHECK(state_wait(engine, session, MSDK_SESSION_CONNECTED));
  events_of(session, 0, &event);
  run_for(engine, 5 * SECOND);
  CHECK_EQ(events_of(session, MSDK_EVENT_STATS, &event), 5);
  CHECK_OK(msdk_session_disconnect(session));
  run_for(engine, 5 * SECOND);
  CHECK_EQ(events_of(session, MSDK_EVENT_STATS, &event), 0);
  static const uint32_t wrong[] = {1, 49, 60001, UINT32_MAX};
  for (size_t i = 0; i < MSDK_COUNT(wrong); i++) {
    CHECK_ERROR(msdk_session_set_stats_interval(session, wrong[i]), MSDK_E_RANGE, "interval_ms");
    CHECK_ERROR(msdk_session_set_audio_level_interval(session, wrong[i]), MSDK_E_RANGE, "50..60000");
  }
  CHECK_OK(msdk_session_set_stats_interval(session, 60000));
  msdk_session_destroy(session); /* while one is due */
  run_for(engine, 120 * SECOND);
  msdk_engine_destroy(engine);
}

/* A program that does not read loses none of the other events. */
static void others_are_not_lost_to_them(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = room_new();
  options.user_id = "alice";
  options.event_capacity = 16;
  msdk_session *session = NULL;
  CHECK_OK(msdk_session_create(engine, &options, &session));
  CHECK_OK(msdk_session_connect(session));
  CHECK_OK(msdk_session_set_stats_interval(session, 50));
  run_for(engine, 60 * SECOND);
  msdk_session *other = join(engine, options.url, "bob");
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK_OK(msdk_session_next_event(session, 0, &event));
  CHECK_EQ(event.type, MSDK_EVENT_SESSION_STATE); /* connecting: the first */
  CHECK_EQ(event.flags, 0);
  CHECK_EQ(events_of(session, MSDK_EVENT_PARTICIPANT_JOINED, &event), 1);
  CHECK_EQ(session_stats(session).events_dropped, 0);
  msdk_session_destroy(other);
  msdk_session_destroy(session);
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  RUN(levels_are_those_of_the_interval);
  RUN(stats_are_due);
  RUN(others_are_not_lost_to_them);
  return check_finish();
}
