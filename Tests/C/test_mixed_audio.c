/* incoming_audio.h, the mix: the sum of all participants but oneself, a buffer every 20 ms whatever they do, never beyond full scale. */
#include "sound.h"

enum { PEOPLE = 6 };

/* A room with several people; each may speak, and each may listen to the mix. */
typedef struct gathering {
  msdk_engine *engine;
  char url[64];
  msdk_session *session[PEOPLE];
  voice voice[PEOPLE];
  heard mix[PEOPLE];
  int talking[PEOPLE];
} gathering;

static gathering *gather(int people) {
  static const char *const names[PEOPLE] = {"alice", "bob", "carol", "dave", "erin", "frank"};
  gathering *it = calloc(1, sizeof *it);
  if (it == NULL) abort();
  snprintf(it->url, sizeof it->url, "%s", room_new());
  it->engine = engine_new(MSDK_CLOCK_VIRTUAL);
  for (int i = 0; i < people; i++) it->session[i] = join(it->engine, it->url, names[i]);
  return it;
}

static void disperse(gathering *it) {
  for (int i = 0; i < PEOPLE; i++) {
    msdk_outgoing_audio_destroy(it->voice[i].stream);
    msdk_session_destroy(it->session[i]);
    free(it->mix[i].samples);
  }
  msdk_engine_destroy(it->engine);
  free(it);
}

static void speak(gathering *it, int who, const msdk_outgoing_audio_options *options, double frequency, double amplitude) {
  if (!voice_make(&it->voice[who], it->engine, options)) return;
  voice_tone(&it->voice[who], frequency, amplitude);
  CHECK_OK(msdk_session_start_audio(it->session[who], it->voice[who].stream));
  it->talking[who] = 1;
}

static void listen(gathering *it, int who, const msdk_incoming_audio_options *options) {
  CHECK_OK(msdk_session_mixed_audio(it->session[who], &it->mix[who].stream));
  CHECK_OK(msdk_incoming_audio_start(it->mix[who].stream, options));
}

static void pass(gathering *it, int64_t duration_ns) {
  voice *voices[PEOPLE];
  heard *listeners[PEOPLE];
  int speaking = 0, listening = 0;
  for (int i = 0; i < PEOPLE; i++) {
    if (it->talking[i]) voices[speaking++] = &it->voice[i];
    if (it->mix[i].stream != NULL) listeners[listening++] = &it->mix[i];
  }
  talk(it->engine, voices, speaking, listeners, listening, duration_ns);
}

/* Each takes up his stream of everybody else once more: what was heard so far is forgotten. */
static void forget(gathering *it) {
  for (int i = 0; i < PEOPLE; i++) heard_forget(&it->mix[i]);
}

/* How large a tone is in what was heard, beside others; what all of them leave over, in dB. */
static double amplitude_of(const heard *it, uint32_t channel, double frequency) {
  tone found = {.frequency = frequency};
  tones_fit(it->samples + channel, it->count, it->channels, it->rate, &found, 1);
  return found.amplitude;
}

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
        if (options.codec != 0) options.bitrate = 192000, options.application = MSDK_OPUS_AUDIO;
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
        CHECK_RANGE(left, -400, kinds[first].codec != 0 || kinds[second].codec != 0 ? -30 : -50);
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

/* ------------------------------------------------------------------------------------------------------------------- pace */

typedef struct ticks {
  msdk_engine *engine;
  int64_t last, worst;
  int count, silent;
} ticks;

static void on_mix(void *user, const msdk_audio_frame *frame) {
  ticks *it = user;
  int64_t now = msdk_engine_now(it->engine);
  if (it->count++ > 0 && llabs(now - it->last - 20 * MS) > it->worst) it->worst = llabs(now - it->last - 20 * MS);
  it->last = now;
  it->silent += frame->level == 127;
  CHECK_EQ(frame->sample_count, 960);
}

/* Nobody, somebody, somebody who stops in the middle, mutes, is cut off, leaves: every 20 ms one buffer. */
static void nobody_holds_it_up(void) {
  gathering *it = gather(3);
  ticks seen = {.engine = it->engine};
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  listen(it, 0, NULL);
  CHECK_OK(msdk_incoming_audio_set_frame_callback(it->mix[0].stream, on_mix, &seen));
  pass(it, 10 * SECOND);
  CHECK_RANGE(seen.count, 499, 501);
  CHECK_EQ(seen.silent, seen.count);
  speak(it, 1, &options, 440, 0.3);
  speak(it, 2, &options, 1000, 0.3);
  pass(it, SECOND);
  CHECK_RANGE(seen.count, 549, 551);
  CHECK_RANGE(seen.count - seen.silent, 40, 51);
  it->talking[1] = 0; /* alive, but sends no more */
  pass(it, 2 * SECOND);
  msdk_network_step step = network_step(0, 0);
  step.loss_ppm = 1000000;
  CHECK_OK(network_set(it->engine, it->url, &step, 1, 1)); /* the other's sound is lost */
  pass(it, 2 * SECOND);
  CHECK_OK(network_set(it->engine, it->url, NULL, 0, 1));
  step.loss_ppm = 0;
  step.delay_ns = 5 * SECOND; /* late, and then the more at once */
  CHECK_OK(network_set(it->engine, it->url, &step, 1, 1));
  pass(it, 2 * SECOND);
  CHECK_OK(network_set(it->engine, it->url, NULL, 0, 1));
  pass(it, 5 * SECOND);
  msdk_session_destroy(it->session[2]); /* gone */
  it->talking[2] = 0;
  pass(it, 2 * SECOND);
  CHECK_OK(msdk_session_stop_audio(it->session[1], it->voice[1].stream));
  pass(it, SECOND);
  int total = (int)((10 + 1 + 2 + 2 + 2 + 5 + 2 + 1) * 50);
  CHECK_RANGE(seen.count, total - 1, total + 1);
  CHECK_RANGE(seen.worst, 0, MS);
  msdk_session_disconnect(it->session[0]); /* and while one's own session is not connected */
  pass(it, SECOND);
  CHECK_RANGE(seen.count, total + 49, total + 51);
  CHECK_RANGE(seen.worst, 0, MS);
  disperse(it);
}

/* The other durations and formats of buffers. */
static void in_the_format_that_is_wanted(void) {
  static const uint32_t rates[] = {16000, 22050, 24000, 32000, 44100, 48000};
  for (int i = 0; i < 6; i++) {
    for (uint32_t ms = 10; ms <= 100; ms += under_tools() ? 90 : 30) {
      gathering *it = gather(2);
      msdk_outgoing_audio_options options = sound_options(44100, 1, MSDK_SAMPLE_S16, 20);
      msdk_incoming_audio_options wanted = MSDK_INIT(msdk_incoming_audio_options);
      wanted.sample_rate = rates[i];
      wanted.buffer_ms = ms;
      wanted.channels = 1 + ms / 10 % 2;
      wanted.sample_format = 1 + (uint32_t)i % 2;
      speak(it, 1, &options, 440, 0.5);
      listen(it, 0, &wanted);
      pass(it, SECOND);
      forget(it);
      int64_t begin = msdk_engine_now(it->engine);
      pass(it, 2 * SECOND);
      CHECK_EQ(it->mix[0].rate, rates[i]);
      CHECK_EQ(it->mix[0].channels, wanted.channels);
      CHECK_EQ(it->mix[0].sample_format, wanted.sample_format);
      CHECK_EQ(it->mix[0].shortest, rates[i] * ms / 1000);
      CHECK_EQ(it->mix[0].longest, rates[i] * ms / 1000);
      double seconds = (double)(msdk_engine_now(it->engine) - begin) / 1e9; /* counted in samples, 22,050 Hz too */
      CHECK_RANGE((double)it->mix[0].count / rates[i], seconds - ms / 1000.0 - 0.001, seconds + ms / 1000.0 + 0.001);
      double amplitude = 0;
      CHECK_RANGE(heard_tone(&it->mix[0], 0, 440, &amplitude, NULL), -400, -50);
      CHECK_RANGE(amplitude, 0.49, 0.51);
      disperse(it);
    }
  }
}

/* ------------------------------------------------------------------------------------------------------------------- scale */

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

/* --------------------------------------------------------------------------------------------------------- coming and going */

static void late_joiners_and_leavers(void) {
  gathering *it = gather(3);
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  speak(it, 1, &options, 440, 0.3);
  listen(it, 0, NULL);
  pass(it, SECOND);
  forget(it);
  speak(it, 2, &options, 1000, 0.3); /* joins in */
  pass(it, 400 * MS);
  forget(it);
  pass(it, 400 * MS);
  tone tones[2] = {{.frequency = 440}, {.frequency = 1000}};
  CHECK_RANGE(tones_fit(it->mix[0].samples, it->mix[0].count, 2, 48000, tones, 2), -400, -50);
  CHECK_RANGE(tones[1].amplitude, 0.29, 0.31);
  CHECK_EQ(heard_stats(it->mix[0].stream).sources, 2);
  msdk_session_destroy(it->session[2]); /* leaves */
  it->talking[2] = 0;
  pass(it, 400 * MS);
  forget(it);
  pass(it, 500 * MS);
  CHECK_RANGE(heard_tone(&it->mix[0], 0, 440, NULL, NULL), -400, -50); /* he is gone, and the other one goes on as before */
  CHECK_EQ(heard_stats(it->mix[0].stream).sources, 1);
  it->session[2] = join(it->engine, it->url, "carol"); /* and comes again */
  msdk_outgoing_audio_destroy(it->voice[2].stream);
  speak(it, 2, &options, 700, 0.3);
  pass(it, 600 * MS);
  forget(it);
  pass(it, 400 * MS);
  CHECK_RANGE(amplitude_of(&it->mix[0], 0, 700), 0.29, 0.31);
  CHECK_EQ(heard_stats(it->mix[0].stream).underruns, 0);
  disperse(it);
}

/* A tone that comes or goes does so without a click, whoever it is that listens. */
static void muted_and_silent_participants(void) {
  gathering *it = gather(2);
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  speak(it, 1, &options, 440, 0.5);
  listen(it, 0, NULL);
  pass(it, SECOND);
  forget(it);
  for (int i = 0; i < 6; i++) {
    CHECK_OK(msdk_outgoing_audio_set_muted(it->voice[1].stream, i % 2 == 0));
    pass(it, 500 * MS);
  }
  CHECK_RANGE(samples_step(it->mix[0].samples, it->mix[0].count, 2), 0, 0.5 * 2 * PI * 440 / 48000 * 1.1 + 0.5 / 480);
  CHECK_EQ(heard_stats(it->mix[0].stream).underruns, 0); /* he had stopped */
  CHECK_EQ(heard_stats(it->mix[0].stream).late_samples, 0);
  disperse(it);
}

/* Opus over a network that loses every tenth packet and is uneven: what is lost is made good, and the mix has no hole. */
static void losses_and_jitter(void) {
  gathering *it = gather(2);
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  options.codec = MSDK_CODEC_OPUS;
  options.bitrate = 24000;
  options.fec = 1;
  options.expected_loss = 20;
  speak(it, 1, &options, 440, 0.3);
  it->voice[1].syllables = 1;
  msdk_event event = MSDK_INIT(msdk_event);
  NEED(event_wait(it->engine, it->session[0], MSDK_EVENT_INCOMING_AUDIO_ADDED, &event)); /* whose stats tell of his part in the mix */
  msdk_network_step step = network_step(0, 0);
  step.loss_ppm = 100000;
  step.delay_ns = 20 * MS;
  step.jitter_ns = 20 * MS;
  CHECK_OK(network_set(it->engine, it->url, &step, 1, 3));
  listen(it, 0, NULL);
  pass(it, 5 * SECOND);
  uint64_t underruns = heard_stats(event.incoming_audio).underruns;
  forget(it);
  pass(it, 20 * SECOND);
  msdk_incoming_audio_stats stats = heard_stats(event.incoming_audio);
  CHECK_RANGE(stats.packets_lost, 70, 180);
  CHECK(stats.fec_packets_recovered > stats.packets_lost / 3);
  CHECK_RANGE(stats.underruns - underruns, 0, 20);
  CHECK_EQ(it->mix[0].frames, 1000);
  printf("the mix under losses: %" PRIu64 " packets lost, %" PRIu64 " given back by FEC, %" PRIu64 " underruns, %.1f ms kept back\n",
         stats.packets_lost, stats.fec_packets_recovered, stats.underruns - underruns, (double)stats.jitter_buffer_ns / 1e6);
  disperse(it);
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

/* -------------------------------------------------------------------------------------------------------------- timestamps */

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
  CHECK_RANGE(mix->oldest_ns, 0, 80 * MS); /* a little more than his jitter, which is none: one buffer, and one of ours */
  printf("the mix of a perfect network is %.1f ms old at the most\n", (double)mix->oldest_ns / 1e6);
  double amplitude = 0, phase = 0;
  CHECK_RANGE(heard_tone(mix, 0, 100, &amplitude, &phase), -400, -25);
  double seconds = (double)(mix->first_ns - it->voice[1].begin_ns) / 1e9;
  double late = tones_wrap(phase - 2 * PI * 100 * seconds) / (2 * PI * 100);
  CHECK_RANGE(late, -0.0015, 0.0015);
  it->talking[1] = it->talking[2] = 0;
  pass(it, SECOND);
  CHECK_RANGE(mix->worst_gap_ns, 0, MS); /* they go on in silence, without a jump */
  msdk_audio_frame *frame = sound_wait(it->engine, mix->stream);
  NEED(frame != NULL);
  CHECK_EQ(frame->level, 127);
  CHECK_RANGE(msdk_engine_now(it->engine) - frame->timestamp_ns, -20 * MS, 80 * MS);
  CHECK_EQ(heard_stats(mix->stream).sources, 0);
  msdk_audio_frame_unref(frame);
  disperse(it);
}

/* ------------------------------------------------------------------------------------------------------------------ states */

static void a_stream_of_the_session_s(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_session *session = session_new(engine, room_new(), "alice");
  msdk_incoming_audio *mix = NULL, *again = NULL;
  msdk_audio_frame *frame = NULL;
  msdk_encoded_frame *packet = NULL;
  uint32_t state = 0;
  CHECK_EQ(engine_stats(engine).incoming_audios, 0); /* counted when it was asked for */
  CHECK_OK(msdk_session_mixed_audio(session, &mix)); /* before connecting */
  CHECK_OK(msdk_session_mixed_audio(session, &again));
  CHECK(mix == again && mix != NULL);
  CHECK_EQ(engine_stats(engine).incoming_audios, 1);
  CHECK_ERROR(msdk_session_mixed_audio(session, NULL), MSDK_E_INVALID, "out");
  CHECK_OK(msdk_incoming_audio_state(mix, &state));
  CHECK_EQ(state, MSDK_INCOMING_AVAILABLE);
  CHECK_RESULT(msdk_incoming_audio_read(mix, 0, &frame), MSDK_E_STATE);
  msdk_incoming_audio_options options = MSDK_INIT(msdk_incoming_audio_options);
  options.output = MSDK_OUTPUT_ENCODED; /* there are no packets of a mix */
  CHECK(msdk_incoming_audio_start(mix, &options) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "output");
  CHECK_OK(msdk_incoming_audio_start(mix, NULL));
  CHECK_RESULT(msdk_incoming_audio_start(mix, NULL), MSDK_E_STATE);
  run_for(engine, 100 * MS);
  CHECK_OK(msdk_incoming_audio_read(mix, 0, &frame));
  CHECK_OK(msdk_audio_frame_unref(frame));
  CHECK(msdk_incoming_audio_read_encoded(mix, 0, &packet) < 0);
  CHECK_OK(msdk_incoming_audio_stop(mix));
  run_for(engine, 100 * MS);
  CHECK(msdk_incoming_audio_read(mix, 0, &frame) < 0);
  CHECK_OK(msdk_incoming_audio_start(mix, NULL));
  run_for(engine, 100 * MS);
  CHECK_OK(msdk_incoming_audio_read(mix, 0, &frame));
  CHECK_OK(msdk_audio_frame_unref(frame));
  msdk_session_destroy(session);
  msdk_result result = msdk_incoming_audio_state(mix, &state);
  CHECK(result == MSDK_E_HANDLE || result == MSDK_E_CLOSED);
  CHECK_EQ(engine_stats(engine).incoming_audios, 0);
  CHECK_EQ(engine_stats(engine).audio_frames, 0);
  msdk_engine_destroy(engine);
}

/* The mix and a participant's own stream, side by side. */
static void beside_the_streams_of_participants(void) {
  gathering *it = gather(2);
  msdk_event event = MSDK_INIT(msdk_event);
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  speak(it, 1, &options, 440, 0.5);
  NEED(event_wait(it->engine, it->session[0], MSDK_EVENT_INCOMING_AUDIO_ADDED, &event));
  listen(it, 0, NULL);
  it->mix[PEOPLE - 1].stream = event.incoming_audio;
  CHECK_OK(msdk_incoming_audio_start(event.incoming_audio, NULL));
  pass(it, SECOND);
  CHECK_EQ(sound_stats(it->voice[1].stream).receivers, 1); /* one session receives, once */
  CHECK_OK(msdk_incoming_audio_stop(event.incoming_audio));
  forget(it);
  pass(it, SECOND);
  CHECK_EQ(it->mix[PEOPLE - 1].count, 0);
  CHECK_RANGE(amplitude_of(&it->mix[0], 0, 440), 0.49, 0.51); /* goes on */
  CHECK_OK(msdk_incoming_audio_start(event.incoming_audio, NULL));
  CHECK_OK(msdk_incoming_audio_stop(it->mix[0].stream));
  forget(it);
  pass(it, SECOND);
  CHECK_EQ(it->mix[0].count, 0);
  CHECK_RANGE(it->mix[PEOPLE - 1].frames, 49, 51);
  CHECK_OK(msdk_incoming_audio_stop(event.incoming_audio));
  run_for(it->engine, 10 * MS);
  CHECK_EQ(sound_stats(it->voice[1].stream).receivers, 0);
  disperse(it);
}

int main(int argc, char **argv) {
  RUN(the_sum_of_two_tones);
  RUN(everybody_hears_the_others);
  RUN(all_streams_of_a_participant);
  RUN(nobody_holds_it_up);
  RUN(in_the_format_that_is_wanted);
  RUN(never_beyond_full_scale);
  RUN(late_joiners_and_leavers);
  RUN(muted_and_silent_participants);
  RUN(losses_and_jitter);
  RUN(gains);
  RUN(timestamps_are_those_of_the_loudest);
  RUN(a_stream_of_the_session_s);
  RUN(beside_the_streams_of_participants);
  return check_finish();
}
