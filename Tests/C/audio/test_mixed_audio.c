/* incoming_audio.h, what is in the mix: the sum of all participants but oneself, in the format that is wanted, never beyond full scale,
 * with the times of the loudest. */
#include "gathering.h"

static void the_sum_of_two_tones(void) {
  static const struct { uint32_t rate, channels, format, ms, codec; } kinds[] = {
    {48000, 1, MSDK_SAMPLE_S16, 20, 0}, {44100, 2, MSDK_SAMPLE_F32, 10, 0}, {16000, 1, MSDK_SAMPLE_S16, 50, 0},
    {22050, 2, MSDK_SAMPLE_S16, 10, 0}, {48000, 2, MSDK_SAMPLE_F32, 20, MSDK_CODEC_OPUS}};
  for (int first = 0; first < 5; first++) {
    for (int second = 0; second < 5; second++) {
      if (under_tools() && (first + second) % 3 != 0) continue;
      gathering *it = gather(3);
      const int kind[2] = {first, second};
      for (int i = 0; i < 2; i++) {
        msdk_outgoing_audio_options options = sound_options(kinds[kind[i]].rate, kinds[kind[i]].channels, kinds[kind[i]].format,
                                                            kinds[kind[i]].ms);
        options.codec = kinds[kind[i]].codec;
        if (options.codec == MSDK_CODEC_OPUS) options.bitrate = 192000, options.application = MSDK_OPUS_AUDIO;
        speak(it, 1 + i, &options, i == 0 ? 440 : 1000, 0.3);
      }
      listen(it, 0, NULL);
      pass(it, 1500 * MS);
      forget(it);
      pass(it, SECOND);
      const heard *mix = &it->mix[0];
      int failed = atomic_load(&check_failed);
      CHECK_EQ(mix->rate, 48000);
      CHECK_EQ(mix->channels, 2);
      CHECK_EQ(mix->sample_format, MSDK_SAMPLE_F32);
      CHECK_EQ(mix->shortest, 960);
      CHECK_EQ(mix->longest, 960);
      CHECK_EQ(mix->frames, 50);
      for (uint32_t channel = 0; channel < 2; channel++) {
        tone tones[2] = {{.frequency = 440}, {.frequency = 1000}};
        double left = tones_fit(mix->samples + channel, mix->count, 2, 48000, tones, 2);
        CHECK_RANGE(left, -400, kinds[first].codec == MSDK_CODEC_OPUS || kinds[second].codec == MSDK_CODEC_OPUS ? -30 : -50);
        for (int i = 0; i < 2; i++) CHECK_RANGE(tones[i].amplitude, 0.29, 0.31);
      }
      CHECK_EQ(heard_stats(mix->stream).sources, 2);
      CHECK_EQ(heard_stats(mix->stream).underruns, 0);
      CHECK_EQ(heard_stats(mix->stream).late_samples, 0);
      if (atomic_load(&check_failed) != failed) fprintf(stderr, "  of kinds %d and %d\n", first, second);
      disperse(it);
    }
  }
}

static void everybody_hears_the_others(void) {
  static const double frequencies[] = {300, 500, 800, 1300};
  gathering *it = gather(4);
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  for (int i = 0; i < 4; i++) {
    speak(it, i, &options, frequencies[i], 0.2);
    listen(it, i, NULL);
  }
  pass(it, SECOND);
  forget(it);
  pass(it, SECOND);
  for (int listener = 0; listener < 4; listener++) {
    for (int speaker = 0; speaker < 4; speaker++) {
      double amplitude = amplitude_of(&it->mix[listener], 0, frequencies[speaker]);
      if (speaker == listener) CHECK_RANGE(amplitude, 0, 0.0005); /* but not himself */
      else CHECK_RANGE(amplitude, 0.195, 0.205);
    }
    CHECK_EQ(heard_stats(it->mix[listener].stream).sources, 3);
  }
  disperse(it);
}

/* Microphones and shared sound alike; several streams of one participant. */
static void all_streams_of_a_participant(void) {
  gathering *it = gather(2);
  msdk_outgoing_audio_options options = sound_options(48000, 2, MSDK_SAMPLE_F32, 10);
  speak(it, 0, &options, 440, 0.3);
  options.kind = MSDK_AUDIO_SCREEN_SHARE;
  voice *shared = &it->voice[PEOPLE - 1];
  NEED(voice_make(shared, it->engine, &options));
  shared->frequency[0] = 600, shared->frequency[1] = 900, shared->amplitude[0] = shared->amplitude[1] = 0.2;
  CHECK_OK(msdk_session_start_audio(it->session[0], shared->stream));
  it->talking[PEOPLE - 1] = 1;
  listen(it, 1, NULL);
  pass(it, SECOND);
  forget(it);
  pass(it, SECOND);
  CHECK_RANGE(amplitude_of(&it->mix[1], 0, 440), 0.29, 0.31);
  CHECK_RANGE(amplitude_of(&it->mix[1], 1, 440), 0.29, 0.31);
  CHECK_RANGE(amplitude_of(&it->mix[1], 0, 600), 0.19, 0.21);
  CHECK_RANGE(amplitude_of(&it->mix[1], 0, 900), 0, 0.002); /* left stays left */
  CHECK_RANGE(amplitude_of(&it->mix[1], 1, 900), 0.19, 0.21);
  CHECK_EQ(heard_stats(it->mix[1].stream).sources, 2);
  disperse(it);
}

/* The other durations and formats of buffers. */
static void in_the_format_that_is_wanted(void) {
  for (int i = 0; i < 6; i++) {
    for (uint32_t ms = 10; ms <= 100; ms += under_tools() ? 90 : 30) {
      gathering *it = gather(2);
      msdk_outgoing_audio_options options = sound_options(44100, 1, MSDK_SAMPLE_S16, 20);
      msdk_incoming_audio_options wanted = MSDK_INIT(msdk_incoming_audio_options);
      wanted.sample_rate = sound_rates[i];
      wanted.buffer_ms = ms;
      wanted.channels = 1 + ms / 10 % 2;
      wanted.sample_format = 1 + (uint32_t)i % 2;
      speak(it, 1, &options, 440, 0.5);
      listen(it, 0, &wanted);
      pass(it, SECOND);
      forget(it);
      int64_t begin = msdk_engine_now(it->engine);
      pass(it, 2 * SECOND);
      CHECK_EQ(it->mix[0].rate, sound_rates[i]);
      CHECK_EQ(it->mix[0].channels, wanted.channels);
      CHECK_EQ(it->mix[0].sample_format, wanted.sample_format);
      CHECK_EQ(it->mix[0].shortest, sound_rates[i] * ms / 1000);
      CHECK_EQ(it->mix[0].longest, sound_rates[i] * ms / 1000);
      double seconds = (double)(msdk_engine_now(it->engine) - begin) / 1e9; /* counted in samples, 22,050 Hz too */
      CHECK_RANGE((double)it->mix[0].count / sound_rates[i], seconds - ms / 1000.0 - 0.001, seconds + ms / 1000.0 + 0.001);
      double amplitude = 0;
      CHECK_RANGE(heard_tone(&it->mix[0], 0, 440, &amplitude, NULL), -400, -50);
      CHECK_RANGE(amplitude, 0.49, 0.51);
      disperse(it);
    }
  }
}

static void never_beyond_full_scale(void) {
  static const double amplitudes[] = {0.1, 0.17, 0.3, 0.9, 1.0, 30};
  for (int i = 0; i < 6; i++) {
    for (uint32_t sample = MSDK_SAMPLE_S16; sample <= MSDK_SAMPLE_F32; sample++) {
      gathering *it = gather(5);
      msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_F32, 20);
      msdk_incoming_audio_options wanted = MSDK_INIT(msdk_incoming_audio_options);
      wanted.sample_format = sample;
      for (int who = 1; who < 5; who++) speak(it, who, &options, 300, amplitudes[i]); /* all four in step */
      listen(it, 0, &wanted);
      pass(it, SECOND);
      forget(it);
      pass(it, 500 * MS);
      const heard *mix = &it->mix[0];
      double peak = samples_peak(mix->samples, mix->count, 2);
      CHECK_RANGE(peak, 0.05, 1.0);
      if (4 * amplitudes[i] <= 0.7) { /* exact below 0.7 of full scale */
        CHECK_RANGE(amplitude_of(mix, 0, 300), 4 * amplitudes[i] * 0.99, 4 * amplitudes[i] * 1.01);
        CHECK_RANGE(heard_tone(mix, 0, 300, NULL, NULL), -400, -50);
      } else {
        CHECK(peak > 0.7);
        /* It bends, and does not break: a sample that wrapped would be a step of nearly two. */
        CHECK_RANGE(samples_step(mix->samples, mix->count, 2), 0, amplitudes[i] > 2 ? 1.99 : 0.35);
      }
      disperse(it);
    }
  }
}

static void gains(void) {
  gathering *it = gather(3);
  msdk_event event = MSDK_INIT(msdk_event);
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  speak(it, 1, &options, 440, 0.1);
  NEED(event_wait(it->engine, it->session[0], MSDK_EVENT_INCOMING_AUDIO_ADDED, &event));
  msdk_incoming_audio *bob = event.incoming_audio; /* is not started: the mix needs nobody to be */
  speak(it, 2, &options, 1000, 0.1);
  listen(it, 0, NULL);
  pass(it, SECOND);
  CHECK_OK(msdk_incoming_audio_set_gain(bob, 3));
  pass(it, 300 * MS);
  forget(it);
  pass(it, 500 * MS);
  CHECK_RANGE(amplitude_of(&it->mix[0], 0, 440), 0.29, 0.31);
  CHECK_RANGE(amplitude_of(&it->mix[0], 0, 1000), 0.095, 0.105);
  CHECK_OK(msdk_incoming_audio_set_gain(it->mix[0].stream, 0.5)); /* of the mix as a whole */
  pass(it, 300 * MS);
  forget(it);
  pass(it, 500 * MS);
  CHECK_RANGE(amplitude_of(&it->mix[0], 0, 440), 0.145, 0.155);
  CHECK_RANGE(amplitude_of(&it->mix[0], 0, 1000), 0.0475, 0.0525);
  CHECK_OK(msdk_incoming_audio_set_gain(bob, 0));
  pass(it, 300 * MS);
  forget(it);
  pass(it, 300 * MS);
  CHECK_RANGE(amplitude_of(&it->mix[0], 0, 440), 0, 0.0005);
  disperse(it);
}

static void timestamps_are_those_of_the_loudest(void) {
  gathering *it = gather(3);
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_F32, 20);
  speak(it, 1, &options, 100, 0.5);
  speak(it, 2, &options, 1000, 0.01);
  listen(it, 0, NULL);
  pass(it, SECOND);
  forget(it);
  pass(it, SECOND);
  const heard *mix = &it->mix[0];
  CHECK_RANGE(mix->worst_gap_ns, 0, MS);
  CHECK_RANGE(mix->oldest_ns, 0, 100 * MS); /* a little more than his jitter, which is none: two of his buffers, and one of ours */
  printf("the mix of a perfect network is %.1f ms old at the most\n", (double)mix->oldest_ns / 1e6);
  double amplitude = 0, phase = 0;
  CHECK_RANGE(heard_tone(mix, 0, 100, &amplitude, &phase), -400, -25);
  double seconds = (double)(mix->first_ns - voice_captured(&it->voice[1])) / 1e9;
  double late = tones_wrap(phase - 2 * PI * 100 * seconds) / (2 * PI * 100);
  CHECK_RANGE(late, -0.0015, 0.0015);
  it->talking[1] = it->talking[2] = 0;
  pass(it, SECOND);
  CHECK_RANGE(mix->worst_gap_ns, 0, MS); /* they go on in silence, without a jump */
  msdk_audio_frame *frame = sound_wait(it->engine, mix->stream);
  NEED(frame != NULL);
  CHECK_EQ(frame->level, 127);
  CHECK_RANGE(msdk_engine_now(it->engine) - frame->timestamp_ns, -20 * MS, 100 * MS);
  CHECK_EQ(heard_stats(mix->stream).sources, 0);
  msdk_audio_frame_unref(frame);
  disperse(it);
}

int main(int argc, char **argv) {
  RUN(the_sum_of_two_tones);
  RUN(everybody_hears_the_others);
  RUN(all_streams_of_a_participant);
  RUN(in_the_format_that_is_wanted);
  RUN(never_beyond_full_scale);
  RUN(gains);
  RUN(timestamps_are_those_of_the_loudest);
  return check_finish();
}
