/* outgoing_audio.h: muting and gain, and what cannot be steered. */
#include "sound.h"

/* The steepest a tone of 440 Hz gets, and how much a fade over one buffer adds to it. */
static double steepest(double amplitude) { return amplitude * (2 * PI * 440 / 48000 + 1.0 / 480); }

static void gain_and_muting_are_smooth(void) {
  static const uint32_t codecs[] = {MSDK_CODEC_RAW, MSDK_CODEC_OPUS};
  for (int i = 0; i < 2; i++) {
    msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_F32, 10);
    options.codec = codecs[i];
    options.bitrate = codecs[i] != 0 ? 128000 : 0;
    sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
    voice_tone(&it->voice, 440, 0.3);
    double leeway = codecs[i] == MSDK_CODEC_RAW ? 1.001 : 1.3;
    sound_talk(it, 200 * MS);
    CHECK_OK(msdk_outgoing_audio_set_gain(it->voice.stream, 3));
    CHECK_EQ(sound_stats(it->voice.stream).gain == 3.0, 1);
    sound_talk(it, 195 * MS); /* which is no whole number of buffers */
    CHECK_OK(msdk_outgoing_audio_set_gain(it->voice.stream, 0));
    sound_talk(it, 205 * MS);
    CHECK_OK(msdk_outgoing_audio_set_gain(it->voice.stream, 0.5));
    sound_talk(it, 200 * MS);
    float *samples = it->heard.samples;
    NEED(it->heard.count >= 48000 * 78 / 100);
    CHECK_RANGE(samples_step(samples, it->heard.count, 1), 0.02, steepest(0.9) * leeway);
    CHECK_RANGE(samples_peak(samples + 2400, 4800, 1), 0.29, 0.31);
    CHECK_RANGE(samples_peak(samples + 12000, 4800, 1), 0.87, 0.93);
    CHECK_RANGE(samples_peak(samples + 48000 * 45 / 100, 4800, 1), 0, 0.01);
    CHECK_RANGE(samples_peak(samples + 48000 * 66 / 100, 4800, 1), 0.145, 0.155);
    sound_close(it);
  }
}

static void muting_ends_and_begins_softly(void) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_F32, 20);
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  msdk_event event = MSDK_INIT(msdk_event);
  sound_talk(it, 195 * MS);
  CHECK_OK(msdk_outgoing_audio_set_muted(it->voice.stream, 1));
  CHECK_EQ(sound_stats(it->voice.stream).is_muted, 1);
  sound_talk(it, 105 * MS);
  CHECK(event_take(it->bob, MSDK_EVENT_INCOMING_AUDIO_MUTED, &event));
  CHECK_EQ(event.value, 1);
  CHECK(event.incoming_audio == it->heard.stream && strcmp(event.user_id, "alice") == 0);
  NEED(it->heard.count >= 48000 * 18 / 100);
  CHECK_RANGE(it->heard.count, 48000 * 18 / 100, 48000 * 22 / 100); /* a buffer more at the most */
  CHECK_RANGE(fabs((double)it->heard.samples[it->heard.count - 1]), 0, 0.02); /* faded out, or it would click */
  CHECK_RANGE(samples_step(it->heard.samples, it->heard.count, 1), 0, steepest(0.5));
  uint64_t before = it->heard.count;
  sound_talk(it, 300 * MS);
  CHECK_EQ(it->heard.count, before); /* nothing is sent while a stream is muted */
  heard_forget(&it->heard);
  CHECK_OK(msdk_outgoing_audio_set_muted(it->voice.stream, 0));
  sound_talk(it, 100 * MS);
  CHECK(event_take(it->bob, MSDK_EVENT_INCOMING_AUDIO_MUTED, &event));
  CHECK_EQ(event.value, 0);
  NEED(it->heard.count > 0);
  CHECK_RANGE(fabs((double)it->heard.samples[0]), 0, 0.02);
  CHECK_RANGE(samples_step(it->heard.samples, it->heard.count, 1), 0, steepest(0.5));
  CHECK_OK(msdk_outgoing_audio_set_muted(it->voice.stream, 0));
  CHECK_ERROR(msdk_outgoing_audio_set_muted(it->voice.stream, 2), MSDK_E_UNSUPPORTED, "muted");
  check_sound_adds_up(it->voice.stream);
  sound_close(it);
}

/* Muted in any state; who comes later is told with the stream. */
static void muted_before_the_start(void) {
  sound_call *it = sound_join(MSDK_CLOCK_VIRTUAL);
  msdk_event event = MSDK_INIT(msdk_event);
  NEED(voice_make(&it->voice, it->engine, NULL));
  CHECK_OK(msdk_outgoing_audio_set_muted(it->voice.stream, 1));
  CHECK_OK(msdk_session_start_audio(it->alice, it->voice.stream));
  NEED(event_wait(it->engine, it->bob, MSDK_EVENT_INCOMING_AUDIO_ADDED, &event));
  int told = event.value == 1;
  msdk_incoming_audio *stream = event.incoming_audio;
  if (!told) told = event_wait(it->engine, it->bob, MSDK_EVENT_INCOMING_AUDIO_MUTED, &event) && event.value == 1;
  CHECK(told);
  CHECK_OK(msdk_incoming_audio_start(stream, NULL));
  it->heard.stream = stream;
  sound_talk(it, 200 * MS);
  CHECK_EQ(it->heard.count, 0);
  msdk_session *carol = join(it->engine, it->url, "carol");
  NEED(event_wait(it->engine, carol, MSDK_EVENT_INCOMING_AUDIO_ADDED, &event));
  CHECK_EQ(event.value, 1);
  CHECK_EQ(event.audio_format.sample_rate, 48000);
  CHECK_EQ(event.audio_format.channels, 1);
  CHECK_EQ(event.kind, MSDK_AUDIO_MICROPHONE);
  CHECK_EQ(event.codec, MSDK_CODEC_RAW);
  msdk_session_destroy(carol);
  sound_close(it);
}

static void steering_is_checked(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  static const double wrong[] = {-0.001, 8.001, -1, 1e30, NAN, INFINITY, -INFINITY};
  msdk_outgoing_audio_options options = sound_options(0, 0, 0, 0);
  msdk_outgoing_audio *raw = NULL, *opus = NULL, *packets = NULL;
  options.codec = MSDK_CODEC_RAW;
  CHECK_OK(msdk_outgoing_audio_create(engine, &options, &raw));
  options.codec = MSDK_CODEC_OPUS;
  CHECK_OK(msdk_outgoing_audio_create(engine, &options, &opus));
  options.encoded_input = 1;
  CHECK_OK(msdk_outgoing_audio_create(engine, &options, &packets));
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    CHECK_ERROR(msdk_outgoing_audio_set_gain(raw, wrong[i]), MSDK_E_RANGE, "gain");
  }
  CHECK_OK(msdk_outgoing_audio_set_gain(raw, 0));
  CHECK_OK(msdk_outgoing_audio_set_gain(raw, 8));
  CHECK_RESULT(msdk_outgoing_audio_set_gain(packets, 1), MSDK_E_UNSUPPORTED);
  CHECK_RESULT(msdk_outgoing_audio_set_bitrate(raw, 32000), MSDK_E_UNSUPPORTED);
  CHECK_RESULT(msdk_outgoing_audio_set_bitrate(packets, 32000), MSDK_E_UNSUPPORTED);
  CHECK_RESULT(msdk_outgoing_audio_set_expected_loss(raw, 5), MSDK_E_UNSUPPORTED);
  CHECK_OK(msdk_outgoing_audio_set_bitrate(opus, 0));
  CHECK_OK(msdk_outgoing_audio_set_bitrate(opus, 6000));
  CHECK_OK(msdk_outgoing_audio_set_bitrate(opus, 510000));
  CHECK_ERROR(msdk_outgoing_audio_set_bitrate(opus, 5999), MSDK_E_RANGE, "5999");
  CHECK_ERROR(msdk_outgoing_audio_set_bitrate(opus, UINT32_MAX), MSDK_E_RANGE, "4294967295");
  CHECK_OK(msdk_outgoing_audio_set_expected_loss(opus, 100));
  CHECK_ERROR(msdk_outgoing_audio_set_expected_loss(opus, 101), MSDK_E_RANGE, "101");
  CHECK_RESULT(msdk_outgoing_audio_set_encoded_callback(raw, (msdk_encoded_fn)(void (*)(void))abort, NULL), MSDK_E_UNSUPPORTED);
  CHECK_RESULT(msdk_outgoing_audio_set_encoded_callback(packets, (msdk_encoded_fn)(void (*)(void))abort, NULL), MSDK_E_UNSUPPORTED);
  msdk_outgoing_audio_destroy(raw);
  msdk_outgoing_audio_destroy(opus);
  msdk_outgoing_audio_destroy(packets);
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  RUN(gain_and_muting_are_smooth);
  RUN(muting_ends_and_begins_softly);
  RUN(muted_before_the_start);
  RUN(steering_is_checked);
  return check_finish();
}
