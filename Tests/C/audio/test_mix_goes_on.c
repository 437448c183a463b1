/* incoming_audio.h, the mix goes on: a buffer every 20 ms, whoever comes, leaves, is silent or muted or lost on the way; its states. */
#include "gathering.h"

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

/* ------------------------------------------------------------------------------------------------------------------ states */

static void a_stream_of_the_session_s(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_session *session = session_new(engine, room_new(), "alice");
  msdk_incoming_audio *mix = NULL, *again = NULL;
  msdk_audio_frame *frame = NULL;
  msdk_encoded_frame *packet = NULL;
  uint32_t state = 0;
  CHECK_EQ(engine_stats(engine).incoming_audios, 0); /* counted when it was asked for */
  CHECK_OK(msdk_session_get_mixed_audio(session, &mix)); /* before connecting */
  CHECK_OK(msdk_session_get_mixed_audio(session, &again));
  CHECK(mix == again && mix != NULL);
  CHECK_EQ(engine_stats(engine).incoming_audios, 1);
  CHECK_ERROR(msdk_session_get_mixed_audio(session, NULL), MSDK_E_INVALID, "out");
  CHECK_OK(msdk_incoming_audio_get_state(mix, &state));
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
  msdk_result result = msdk_incoming_audio_get_state(mix, &state);
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
  RUN(nobody_holds_it_up);
  RUN(late_joiners_and_leavers);
  RUN(muted_and_silent_participants);
  RUN(losses_and_jitter);
  RUN(a_stream_of_the_session_s);
  RUN(beside_the_streams_of_participants);
  return check_finish();
}
