/* The pace of producers that push sound, and of renderers that pull it. */
#include "audio_classes.h"

static void a_pusher_is_told_when_too_far_ahead(void) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  sound_call *it = call_with_module(MSDK_CLOCK_SYSTEM, &options);
  msdk_instance *producer = instance_of(it->engine, "org.mediasdk.test.push_mic");
  int64_t begin = msdk_time_monotonic();
  CHECK_OK(msdk_outgoing_audio_attach_producer(it->voice.stream, producer));
  while (msdk_time_monotonic() - begin < 1500 * MS) {
    sleep_ms(5);
    heard_drain(&it->heard, it->engine);
  }
  double seconds = (double)(msdk_time_monotonic() - begin) / 1e9;
  CHECK(atomic_load(&sight_push_mic.again) > 0);
  CHECK_EQ(atomic_load(&sight_push_mic.closed) + atomic_load(&sight_push_mic.other), 0);
  CHECK_RANGE(atomic_load(&sight_push_mic.pushed) / 100.0, under_tools() ? 0.5 : seconds, seconds + 0.75); /* half a second ahead */
  CHECK_RANGE((double)it->heard.count / 48000, under_tools() ? 0.3 : seconds - 0.2, seconds + 0.2); /* leaves in real time */
  if (!under_tools()) CHECK_RANGE(heard_tone(&it->heard, 0, 440, NULL, NULL), -400, -60); /* without a gap */
  CHECK_OK(msdk_session_stop_audio(it->alice, it->voice.stream)); /* joins the thread, which ends only when it is told MSDK_E_CLOSED */
  WAIT_UNTIL(atomic_load(&sight_push_mic.closed) == 1);
  CHECK_EQ(atomic_load(&sight_push_mic.closed), 1);
  check_sound_adds_up(it->voice.stream);
  msdk_instance_destroy(producer);
  sound_close(it);
}

static void a_renderer_that_pulls(void) {
  msdk_outgoing_audio_options options = sound_options(44100, 2, MSDK_SAMPLE_F32, 20);
  sound_call *it = call_with_module(MSDK_CLOCK_SYSTEM, &options);
  plan.render = audio_format_of(MSDK_SAMPLE_S16, 48000, 2);
  msdk_instance *speaker = instance_of(it->engine, "org.mediasdk.test.speaker");
  CHECK_OK(msdk_incoming_audio_attach_renderer(it->heard.stream, speaker));
  for (int i = 0; i < 50 || (i < 1000 && atomic_load(&sight_speaker.frames) <= 10); i++) {
    CHECK_OK(voice_send(&it->voice));
    sleep_ms(20);
  }
  CHECK(atomic_load(&sight_speaker.frames) > 10);
  CHECK_RANGE(atomic_load(&sight_speaker.samples), under_tools() ? 1000 : 24000, 48000 * 11 / 10);
  CHECK_OK(msdk_incoming_audio_detach_renderer(it->heard.stream, speaker));
  sleep_ms(1000); /* 200 ms at the most waited to be pulled */
  int64_t samples = atomic_load(&sight_speaker.samples);
  CHECK_OK(voice_send(&it->voice));
  sleep_ms(100);
  CHECK_EQ(atomic_load(&sight_speaker.samples), samples);
  msdk_audio_format format = audio_format_of(MSDK_SAMPLE_S16, 48000, 2);
  msdk_audio_frame *frame = NULL;
  CHECK_OK(msdk_audio_frame_create(&format, 480, &frame));
  CHECK_RESULT(msdk_instance_render_audio(speaker, frame), MSDK_E_UNSUPPORTED);
  msdk_audio_frame_unref(frame);
  msdk_instance_destroy(speaker);
  sound_close(it);
}

int main(int argc, char **argv) {
  RUN(a_pusher_is_told_when_too_far_ahead);
  RUN(a_renderer_that_pulls);
  return check_finish();
}
