/* How long calls wait that are given a time. */
#include "sending.h"
#include "sound.h"

static void waiting_for_events(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  msdk_session *session = session_new(engine, room_new(), "alice");
  msdk_event event = MSDK_INIT(msdk_event);
  int64_t before = msdk_time_monotonic();
  CHECK_RESULT(msdk_session_next_event(session, 150, &event), MSDK_E_TIMEOUT);
  CHECK_RANGE((msdk_time_monotonic() - before) / MS, 145, 1500);
  before = msdk_time_monotonic();
  CHECK_RESULT(msdk_session_next_event(session, 0, &event), MSDK_E_AGAIN);
  CHECK_RANGE((msdk_time_monotonic() - before) / MS, 0, 100);
  CHECK_ERROR(msdk_session_next_event(session, 0, NULL), MSDK_E_INVALID, "out");
  msdk_session_destroy(session);
  msdk_engine_destroy(engine);
}

static void reading_video(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_I420, 320, 240, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  call it = call_open(MSDK_CLOCK_SYSTEM, &options, NULL);
  msdk_video_frame *frame = NULL;
  int64_t before = msdk_time_monotonic();
  CHECK_RESULT(msdk_incoming_video_read(it.incoming, 150, &frame), MSDK_E_TIMEOUT);
  CHECK_RANGE((msdk_time_monotonic() - before) / MS, 145, 1500);
  call_close(&it);
}

static void reading_audio(void) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  sound_call *it = sound_open(MSDK_CLOCK_SYSTEM, &options, NULL);
  msdk_audio_frame *frame = NULL;
  int64_t before = msdk_time_monotonic();
  CHECK_RESULT(msdk_incoming_audio_read(it->heard.stream, 120, &frame), MSDK_E_TIMEOUT);
  CHECK_RANGE((msdk_time_monotonic() - before) / MS, 115, 3000);
  sound_close(it);
}

static void waiting_for_room(void) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  options.queue_ms = 60;
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  while (voice_send(&it->voice) >= 0) {}
  int64_t before = msdk_time_monotonic(); /* nobody moves the clock: the wait is of real time, and ends */
  CHECK_RESULT(msdk_outgoing_audio_send(it->voice.stream, it->voice.buffer, it->voice.size, 0, 120, NULL, NULL), MSDK_E_TIMEOUT);
  CHECK_RANGE((msdk_time_monotonic() - before) / MS, 115, 5000);
  sound_close(it);
  it = sound_open(MSDK_CLOCK_SYSTEM, &options, NULL);
  before = msdk_time_monotonic();
  for (int i = 0; i < 25; i++) { /* half a second of sound */
    voice_fill(&it->voice);
    CHECK_OK(msdk_outgoing_audio_send(it->voice.stream, it->voice.buffer, it->voice.size, 0, 5000, NULL, NULL));
  }
  CHECK_OK(msdk_outgoing_audio_wait_played(it->voice.stream, 5000));
  CHECK_RANGE((msdk_time_monotonic() - before) / MS, 440, 5000);
  CHECK_EQ(sound_stats(it->voice.stream).queued_ns, 0);
  CHECK_EQ(sound_stats(it->voice.stream).buffers_sent, 25);
  sound_close(it);
}

int main(int argc, char **argv) {
  RUN(waiting_for_events);
  RUN(reading_video);
  RUN(reading_audio);
  RUN(waiting_for_room);
  return check_finish();
}
