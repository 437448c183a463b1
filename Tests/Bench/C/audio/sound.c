#include "sound.h"

#include "measure.h"

enum { TURN_NS = 5000000, TURNS = 1000 };

msdk_engine *sound_engine(uint32_t clock) {
  msdk_engine_options options = MSDK_INIT(msdk_engine_options);
  options.clock = clock;
  msdk_engine *engine = NULL;
  must(msdk_engine_create(&options, &engine), "msdk_engine_create");
  return engine;
}

void sound_run(msdk_engine *engine, int64_t nanoseconds) {
  msdk_result result = msdk_engine_advance_clock(engine, nanoseconds);
  if (result == MSDK_E_STATE) sleep_until(now_ns() + nanoseconds);
  else must(result, "msdk_engine_advance_clock");
}

msdk_event sound_event(msdk_engine *engine, msdk_session *session, uint32_t type) {
  for (int turn = 0; turn < TURNS; turn++, sound_run(engine, TURN_NS)) {
    msdk_event event = MSDK_INIT(msdk_event);
    while (msdk_session_next_event(session, 0, &event) >= 0) {
      if (event.type == type) return event;
    }
  }
  die("no event of type %u came within 5 s", type);
}

msdk_session *sound_join(msdk_engine *engine, const char *user_id) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = "loopback:bench";
  options.user_id = user_id;
  msdk_session *session = NULL;
  must(msdk_session_create(engine, &options, &session), "msdk_session_create");
  must(msdk_session_connect(session), "msdk_session_connect");
  for (;;) {
    msdk_event event = sound_event(engine, session, MSDK_EVENT_SESSION_STATE);
    if (event.state == MSDK_SESSION_CONNECTED) return session;
    if (event.state == MSDK_SESSION_DISCONNECTED) die("the session was not connected: %s", event.text);
  }
}

msdk_outgoing_audio_options sound_options(uint32_t channels) {
  msdk_outgoing_audio_options options = MSDK_INIT(msdk_outgoing_audio_options);
  options.sample_rate = 48000;
  options.channels = channels;
  options.sample_format = MSDK_SAMPLE_F32;
  options.buffer_ms = 20;
  return options;
}

msdk_outgoing_audio *sound_start(msdk_engine *engine, msdk_session *session, const msdk_outgoing_audio_options *options) {
  msdk_outgoing_audio *stream = NULL;
  must(msdk_outgoing_audio_create(engine, options, &stream), "msdk_outgoing_audio_create");
  must(msdk_session_start_audio(session, stream), "msdk_session_start_audio");
  for (;;) {
    msdk_event event = sound_event(engine, session, MSDK_EVENT_OUTGOING_AUDIO_STATE);
    if (event.outgoing_audio == stream && event.state == MSDK_OUTGOING_STARTED) return stream;
    must(event.status, "starting the outgoing stream");
  }
}

void sound_open(struct sound *sound, uint32_t clock, const msdk_outgoing_audio_options *options) {
  *sound = (struct sound){.engine = sound_engine(clock)};
  sound->here = sound_join(sound->engine, "here");
  sound->there = sound_join(sound->engine, "there");
  sound->outgoing = sound_start(sound->engine, sound->here, options);
  sound->incoming = sound_event(sound->engine, sound->there, MSDK_EVENT_INCOMING_AUDIO_ADDED).incoming_audio;
}

void sound_receive(struct sound *sound, const msdk_incoming_audio_options *options) {
  must(msdk_incoming_audio_start(sound->incoming, options), "msdk_incoming_audio_start");
  for (int turn = 0; turn < TURNS; turn++, sound_run(sound->engine, TURN_NS)) {
    msdk_outgoing_audio_stats stats = MSDK_INIT(msdk_outgoing_audio_stats);
    must(msdk_outgoing_audio_get_stats(sound->outgoing, &stats), "msdk_outgoing_audio_get_stats");
    if (stats.receivers > 0) return;
  }
  die("the incoming stream was started, but the sender has no receiver after 5 s");
}

void sound_close(struct sound *sound) {
  msdk_outgoing_audio_destroy(sound->outgoing);
  msdk_session_destroy(sound->there);
  msdk_session_destroy(sound->here);
  msdk_engine_destroy(sound->engine);
}
