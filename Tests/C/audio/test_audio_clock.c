/* Clocks that are not the same: drift for ten minutes, a network that was away, streams that start again, senders that send in bursts. What
 * is said carries the time in it (a ramp of one second), so that what is heard tells how old it is. */
#include "sound.h"

enum { RATE = 48000 };

/* A sender whose samples are a slow ramp: sample n of each second is (n / RATE - 1/2) / 2, but for the first and the last 100 ms, which are
 * silent, as speech has its pauses. */
typedef struct ramp {
  msdk_outgoing_audio *stream;
  uint64_t position;
  int64_t begin_ns;
  int32_t clock_ppm;
  uint32_t samples, burst; /* in a buffer; buffers sent at once */
  int silent;
} ramp;

static int64_t ramp_time(const ramp *it, double position) {
  return it->begin_ns + (int64_t)(position * 1e9 / (RATE * (1 + it->clock_ppm * 1e-6)));
}

static msdk_result ramp_send(ramp *it) {
  static float samples[RATE / 10];
  for (uint32_t i = 0; i < it->samples; i++) {
    double value = (double)((it->position + i) % RATE) / RATE - 0.5;
    samples[i] = fabs(value) < 0.4 ? (float)(value * 0.5) : 0;
  }
  it->position += it->samples;
  if (it->silent) return MSDK_OK;
  return msdk_outgoing_audio_send(it->stream, samples, it->samples * sizeof(float), 0, 0, NULL, NULL);
}

/* What was measured of the delay from the ramp's making to the mix's delivery, in milliseconds. */
typedef struct delays {
  msdk_engine *engine;
  const ramp *from;
  double least, most, last, sum;
  int count, buffers, silent; /* measured; all; silent in the middle of a ramp */
  int run; /* silent buffers in a row */
  int64_t last_ns, worst_step_ns;
} delays;

static void delays_reset(delays *it) {
  *it = (delays){.engine = it->engine, .from = it->from, .least = 1e9, .most = -1e9, .last_ns = it->last_ns, .run = it->run};
}

static void on_mix(void *user, const msdk_audio_frame *frame) {
  delays *it = user;
  const float *samples = (const float *)(const void *)frame->planes[0];
  uint32_t channels = frame->format->channels;
  int64_t now = msdk_engine_now(it->engine);
  if (it->last_ns != 0 && llabs(now - it->last_ns - 20 * MS) > it->worst_step_ns) it->worst_step_ns = llabs(now - it->last_ns - 20 * MS);
  it->last_ns = now;
  it->buffers++;
  it->run = frame->level == 127 ? it->run + 1 : 0;
  it->silent += it->run > 12; /* a pause has ten or eleven */
  double first = samples[0], last = samples[(frame->sample_count - 1) * channels];
  if (fabs(last - first - 0.5 * 959 / RATE) > 0.0005 || fabs(first) > 0.18 || first == 0) return; /* not on the slope, or near its ends */
  /* Which second it is of is what fits a delay between -200 and 800 ms. */
  double fraction = first * 2 + 0.5, made = 0;
  double now_position = (double)(now - it->from->begin_ns) / 1e9 * (1 + it->from->clock_ppm * 1e-6);
  for (double second = floor(now_position) - 1; second <= floor(now_position) + 1; second++) {
    made = (double)(now - ramp_time(it->from, (second + fraction) * RATE)) / 1e6;
    if (made > -200 && made <= 800) break;
  }
  it->least = fmin(it->least, made);
  it->most = fmax(it->most, made);
  it->last = made;
  it->sum += made;
  it->count++;
}

typedef struct setting {
  msdk_engine *engine;
  char url[64];
  msdk_session *alice, *bob;
  msdk_incoming_audio *mix, *incoming; /* incoming: alice's own stream, of whose part in the mix its stats tell */
  ramp ramp;
  delays delays;
} setting;

static void setting_open(setting *it, uint32_t buffer_ms, int32_t clock_ppm) {
  memset(it, 0, sizeof *it);
  snprintf(it->url, sizeof it->url, "%s", room_new());
  it->engine = engine_new(MSDK_CLOCK_VIRTUAL);
  it->alice = join(it->engine, it->url, "alice");
  it->bob = join(it->engine, it->url, "bob");
  msdk_outgoing_audio_options options = sound_options(RATE, 1, MSDK_SAMPLE_F32, buffer_ms);
  CHECK_OK(msdk_outgoing_audio_create(it->engine, &options, &it->ramp.stream));
  CHECK_OK(msdk_session_start_audio(it->alice, it->ramp.stream));
  msdk_event event = MSDK_INIT(msdk_event);
  if (CHECK(event_wait(it->engine, it->bob, MSDK_EVENT_INCOMING_AUDIO_ADDED, &event))) it->incoming = event.incoming_audio;
  it->ramp.samples = RATE * buffer_ms / 1000;
  it->ramp.clock_ppm = clock_ppm;
  it->ramp.burst = 1;
  it->delays.engine = it->engine;
  it->delays.from = &it->ramp;
  CHECK_OK(msdk_session_get_mixed_audio(it->bob, &it->mix));
  CHECK_OK(msdk_incoming_audio_set_frame_callback(it->mix, on_mix, &it->delays));
  CHECK_OK(msdk_incoming_audio_start(it->mix, NULL));
  run_for(it->engine, 7 * MS);
  it->ramp.begin_ns = msdk_engine_now(it->engine);
  delays_reset(&it->delays);
}

static void setting_close(setting *it) {
  msdk_outgoing_audio_destroy(it->ramp.stream);
  msdk_session_destroy(it->alice);
  msdk_session_destroy(it->bob);
  msdk_engine_destroy(it->engine);
}

static void setting_run(setting *it, int64_t duration_ns) {
  int64_t end = msdk_engine_now(it->engine) + duration_ns;
  for (;;) {
    /* A buffer is ready when its last sample was made. */
    int64_t due = ramp_time(&it->ramp, (double)(it->ramp.position + (uint64_t)it->ramp.samples * it->ramp.burst));
    int64_t now = msdk_engine_now(it->engine), next = due < end ? due : end;
    if (next > now) CHECK_OK(msdk_engine_advance_clock(it->engine, next - now));
    if (due >= end) return;
    for (uint32_t i = 0; i < it->ramp.burst; i++) {
      msdk_result result = ramp_send(&it->ramp);
      if (result < 0 && !CHECK_OK(result)) return;
    }
  }
}

static void tell(const char *what, const setting *it) {
  msdk_incoming_audio_stats stats = heard_stats(it->incoming);
  int64_t queued = 0;
  CHECK_OK(msdk_outgoing_audio_get_queued(it->ramp.stream, &queued));
  printf("%s: delay %.1f..%.1f ms, mean %.1f, of %d buffers; jitter buffer %.1f ms, drift %d ppm, underruns %" PRIu64 ", late %" PRIu64
         " samples; waits to be sent %.1f ms\n",
         what, it->delays.least, it->delays.most, it->delays.count > 0 ? it->delays.sum / it->delays.count : 0, it->delays.count,
         (double)stats.jitter_buffer_ns / 1e6, stats.drift_ppm, stats.underruns, stats.late_samples, (double)queued / 1e6);
}

/* ------------------------------------------------------------------------------------------------------------------- drift */

static void drift_builds_up_no_delay(void) {
  static const int32_t drifts[] = {0, 200, -200};
  for (int i = 0; i < 3; i++) {
    setting it;
    char what[64];
    setting_open(&it, 20, drifts[i]);
    setting_run(&it, 10 * SECOND);
    delays_reset(&it.delays);
    setting_run(&it, 10 * SECOND);
    double begin = it.delays.sum / it.delays.count;
    msdk_incoming_audio_stats before = heard_stats(it.incoming);
    setting_run(&it, (int64_t)(under_tools() ? 100 : 560) * SECOND);
    delays_reset(&it.delays);
    double followed = 0; /* the mean, as it is steered */
    for (int second = 0; second < 20; second++) {
      setting_run(&it, SECOND);
      followed += heard_stats(it.incoming).drift_ppm / 20.0;
    }
    snprintf(what, sizeof what, "a clock of %+d ppm, ten minutes", drifts[i]);
    tell(what, &it);
    double end = it.delays.sum / it.delays.count;
    /* Ten minutes at 200 ppm are 120 ms. */
    CHECK_RANGE(end - begin, -10, 10);
    CHECK_RANGE(it.delays.most, 0, 100);
    CHECK(it.delays.count > 300); /* of a thousand buffers those on the slope could be measured */
    CHECK_RANGE(it.delays.worst_step_ns, 0, MS);
    msdk_incoming_audio_stats after = heard_stats(it.incoming);
    CHECK_EQ(after.underruns, before.underruns);
    CHECK_EQ(after.late_samples, before.late_samples);
    CHECK_RANGE(followed, drifts[i] - 100, drifts[i] + 100);
    int64_t queued = 0;
    CHECK_OK(msdk_outgoing_audio_get_queued(it.ramp.stream, &queued));
    CHECK_RANGE(queued, 0, 20 * MS);
    check_sound_adds_up(it.ramp.stream);
    setting_close(&it);
  }
}

/* A participant's own stream: no queue on the way grows, and his timestamps stay near the time it is. */
static void drift_in_a_stream_by_itself(void) {
  static const int32_t drifts[] = {200, -200};
  for (int i = 0; i < 2; i++) {
    msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
    sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
    it->voice.clock_ppm = drifts[i];
    int64_t first = 0, last = 0;
    for (int second = 0; second < (under_tools() ? 60 : 600); second++) {
      sound_talk(it, SECOND);
      last = msdk_engine_now(it->engine) - it->heard.next_ns;
      if (second == 1) first = last;
      heard_forget(&it->heard);
    }
    printf("a clock of %+d ppm: its sound's end is %.1f ms old at first, %.1f ms after ten minutes\n", drifts[i], (double)first / 1e6,
           (double)last / 1e6);
    CHECK_RANGE((last - first) / MS, -105, 105);
    int64_t queued = 0;
    CHECK_OK(msdk_outgoing_audio_get_queued(it->voice.stream, &queued));
    CHECK_RANGE(queued, 0, 20 * MS);
    CHECK_EQ(heard_stats(it->heard.stream).buffers_dropped, 0);
    sound_close(it);
  }
}

/* -------------------------------------------------------------------------------------------------------------- adversities */

static void the_network_goes_and_comes(void) {
  static const uint32_t kinds = 3; /* everything lost; disconnected; five seconds of delay that end */
  for (uint32_t kind = 0; kind < kinds; kind++) {
    setting it;
    setting_open(&it, 20, 0);
    setting_run(&it, 5 * SECOND);
    delays_reset(&it.delays);
    setting_run(&it, 5 * SECOND);
    double before = it.delays.sum / it.delays.count;
    msdk_network_step step = network_step(0, 0);
    if (kind == 0) step.loss_ppm = 1000000;
    if (kind == 1) step.flags = MSDK_NETWORK_DISCONNECTED;
    if (kind == 2) step.delay_ns = 5 * SECOND;
    CHECK_OK(network_set(it.engine, it.url, &step, 1, 3));
    setting_run(&it, 5 * SECOND);
    CHECK_OK(network_set(it.engine, it.url, NULL, 0, 3));
    delays_reset(&it.delays);
    setting_run(&it, 3 * SECOND);
    CHECK(it.delays.count > 10); /* it is heard again within three seconds */
    setting_run(&it, (kind == 2 ? 75 : 3) * SECOND); /* what was learnt of the delay is forgotten in a minute */
    delays_reset(&it.delays);
    setting_run(&it, 10 * SECOND);
    static const char *const names[] = {"after 5 s of loss", "after 5 s without a connection", "after 5 s of delay"};
    tell(names[kind], &it);
    CHECK_RANGE(it.delays.sum / it.delays.count - before, -15, 40);
    CHECK(it.delays.count > 150);
    CHECK_RANGE(it.delays.worst_step_ns, 0, MS);
    CHECK_EQ(it.delays.silent, 0);
    setting_close(&it);
  }
}

static void a_stream_starts_again(void) {
  setting it;
  setting_open(&it, 20, 0);
  setting_run(&it, 5 * SECOND);
  for (int round = 0; round < 5; round++) {
    CHECK_OK(msdk_session_stop_audio(it.alice, it.ramp.stream));
    it.ramp.silent = 1;
    setting_run(&it, (100 + round * 400) * MS);
    it.ramp.silent = 0;
    CHECK_OK(msdk_session_start_audio(it.alice, it.ramp.stream));
    setting_run(&it, SECOND);
    delays_reset(&it.delays);
    setting_run(&it, 2 * SECOND);
    CHECK_RANGE(it.delays.sum / it.delays.count, 0, 80);
    CHECK(it.delays.count > 30);
    CHECK_EQ(it.delays.silent, 0);
  }
  tell("after five starts", &it);
  CHECK_RANGE(it.delays.worst_step_ns, 0, MS);
  CHECK_EQ(heard_stats(it.mix).sources, 1);
  setting_close(&it);
}

/* A sender who pauses without stopping: whoever is silent is no underrun for long, and his return is heard as promptly. */
static void a_sender_who_pauses(void) {
  setting it;
  setting_open(&it, 20, 0);
  setting_run(&it, 5 * SECOND);
  delays_reset(&it.delays);
  setting_run(&it, 2 * SECOND);
  double before = it.delays.sum / it.delays.count;
  for (int round = 0; round < 5; round++) {
    it.ramp.silent = 1;
    setting_run(&it, (300 + round * 700) * MS);
    it.ramp.silent = 0;
    setting_run(&it, 2 * SECOND);
  }
  delays_reset(&it.delays);
  setting_run(&it, 5 * SECOND);
  tell("after five pauses", &it);
  CHECK_RANGE(it.delays.sum / it.delays.count - before, -20, 40);
  CHECK_RANGE(heard_stats(it.mix).underruns, 0, 5);
  setting_close(&it);
}

/* Five buffers at once every 100 ms: paced on the way out, so the mix hears an even stream. */
static void a_sender_in_bursts(void) {
  setting it;
  setting_open(&it, 20, 0);
  it.ramp.burst = 5;
  setting_run(&it, 60 * SECOND); /* the pace takes up to 20 s to run ahead as far as it may, and what that costs is learnt */
  msdk_incoming_audio_stats before = heard_stats(it.mix);
  delays_reset(&it.delays);
  setting_run(&it, 30 * SECOND);
  tell("bursts of 100 ms", &it);
  CHECK_EQ(heard_stats(it.mix).underruns, before.underruns);
  CHECK_EQ(heard_stats(it.mix).late_samples, before.late_samples);
  CHECK_EQ(it.delays.silent, 0);
  CHECK_RANGE(it.delays.most, 0, 260);
  CHECK_RANGE(it.delays.most - it.delays.least, 0, 60);
  check_sound_adds_up(it.ramp.stream);
  setting_close(&it);
}

/* A network with jitter: kept back by a little more than that, and not by much more. */
static void jitter_is_covered(void) {
  static const int64_t jitters[] = {10, 40, 100};
  for (int i = 0; i < 3; i++) {
    setting it;
    char what[64];
    setting_open(&it, 20, 0);
    msdk_network_step step = network_step(0, 0);
    step.delay_ns = 30 * MS;
    step.jitter_ns = jitters[i] * MS;
    CHECK_OK(network_set(it.engine, it.url, &step, 1, 11));
    setting_run(&it, 20 * SECOND);
    msdk_incoming_audio_stats before = heard_stats(it.mix);
    delays_reset(&it.delays);
    setting_run(&it, 60 * SECOND);
    snprintf(what, sizeof what, "jitter of %d ms", (int)jitters[i]);
    tell(what, &it);
    msdk_incoming_audio_stats after = heard_stats(it.mix);
    CHECK_RANGE(after.underruns - before.underruns, 0, 6); /* of three thousand buffers */
    CHECK_RANGE(after.jitter_buffer_ns / MS, 0, 3 * jitters[i] + 60);
    CHECK_RANGE(it.delays.most, 30, 30 + 3 * jitters[i] + 120);
    CHECK_RANGE(it.delays.worst_step_ns, 0, MS);
    setting_close(&it);
  }
}

int main(int argc, char **argv) {
  RUN(drift_builds_up_no_delay);
  RUN(drift_in_a_stream_by_itself);
  RUN(the_network_goes_and_comes);
  RUN(a_stream_starts_again);
  RUN(a_sender_who_pauses);
  RUN(a_sender_in_bursts);
  RUN(jitter_is_covered);
  return check_finish();
}
