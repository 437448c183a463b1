/* outgoing_audio.h: sound that is sent ahead, backpressure, waiting and flushing, and what became of each buffer. */
#include "sound.h"
#include "waiting.h"

#include <pthread.h>

/* ----------------------------------------------------------------------------------------------------------- backpressure */

static int64_t queued(msdk_outgoing_audio *stream) {
  int64_t now = -1;
  CHECK_OK(msdk_outgoing_audio_get_queued(stream, &now));
  CHECK_EQ(sound_stats(stream).queued_ns, now);
  return now;
}

static void what_is_sent_ahead_waits(void) {
  static const uint32_t queues[] = {20, 100, 500, 5000};
  for (int i = 0; i < 4; i++) {
    sound_outcomes counted = {0};
    msdk_outgoing_audio_options options = sound_options(48000, 2, MSDK_SAMPLE_S16, 20);
    options.queue_ms = queues[i];
    msdk_incoming_audio_options receive = MSDK_INIT(msdk_incoming_audio_options);
    receive.queue_ms = 60000;
    sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, &receive);
    it->voice.counted = &counted;
    int64_t begin = msdk_engine_now(it->engine);
    uint32_t accepted = 0, frames = 0, most = 0;
    while (accepted < 1000) {
      msdk_result result = voice_send(&it->voice);
      if (result < 0) {
        CHECK_RESULT(result, MSDK_E_AGAIN);
        CHECK_STR_CONTAINS(msdk_last_error(), "wait");
        break;
      }
      accepted++;
      CHECK(queued(it->voice.stream) <= (int64_t)queues[i] * MS); /* never more than that in memory */
    }
    CHECK_RANGE(accepted, queues[i] / 20, queues[i] / 20 + 3); /* a buffer or two may leave at once */
    CHECK(queued(it->voice.stream) > (int64_t)queues[i] * MS - 20 * MS);
    frames = engine_stats(it->engine).audio_frames;
    CHECK_RANGE(frames, queues[i] / 20, queues[i] / 20 + 5);
    /* A source that always has more: it leaves in real time. */
    while (msdk_engine_now(it->engine) - begin < 10 * SECOND) {
      CHECK_OK(msdk_engine_advance_clock(it->engine, 10 * MS));
      while (voice_send(&it->voice) >= 0) accepted++;
      CHECK(queued(it->voice.stream) <= (int64_t)queues[i] * MS);
      heard_drain(&it->heard, it->engine);
      uint32_t now = engine_stats(it->engine).audio_frames;
      if (now > most) most = now;
    }
    CHECK_RANGE(most, queues[i] / 20, queues[i] / 20 + 5);
    CHECK_RANGE((double)it->heard.count / 48000, 9.95, 10.1); /* a thousandth faster, and the first buffers */
    /* With a queue of one buffer, who sends ahead cannot be told from a clock that is fast: a thousandth is taken off. */
    CHECK_RANGE(it->heard.worst_gap_ns, 0, queues[i] == 20 ? 20000 : 2);
    run_for(it->engine, (int64_t)queues[i] * MS + SECOND); /* and the rest */
    heard_drain(&it->heard, it->engine);
    CHECK_EQ(it->heard.count, (uint64_t)accepted * 960);
    CHECK(heard_tone(&it->heard, 0, 440, NULL, NULL) < -60); /* nothing is missing, nothing twice */
    CHECK_EQ(queued(it->voice.stream), 0);
    CHECK_EQ(atomic_load(&counted.by_outcome[MSDK_OUTCOME_SENT]), accepted);
    check_sound_adds_up(it->voice.stream);
    sound_close(it);
  }
}

static void flushing(void) {
  sound_outcomes counted = {0};
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &(msdk_outgoing_audio_options){.struct_size = sizeof(msdk_outgoing_audio_options)}, NULL);
  it->voice.counted = &counted;
  CHECK_OK(msdk_outgoing_audio_flush(it->voice.stream)); /* nothing to throw away */
  for (int i = 0; i < 20; i++) CHECK_OK(voice_send(&it->voice));
  CHECK(queued(it->voice.stream) >= 340 * MS);
  CHECK_OK(msdk_outgoing_audio_flush(it->voice.stream));
  CHECK_EQ(queued(it->voice.stream), 0);
  run_for(it->engine, SECOND);
  heard_drain(&it->heard, it->engine);
  int sent = atomic_load(&counted.by_outcome[MSDK_OUTCOME_SENT]);
  CHECK_RANGE(sent, 1, 3);
  CHECK_EQ(it->heard.frames, sent);
  CHECK_EQ(atomic_load(&counted.by_reason[MSDK_DROP_FLUSHED]), 20 - sent);
  CHECK_EQ(atomic_load(&counted.calls), 20);
  int64_t now = msdk_engine_now(it->engine);
  heard_forget(&it->heard);
  CHECK_OK(voice_send(&it->voice)); /* goes on at once, captured just now */
  run_for(it->engine, 5 * MS);
  heard_drain(&it->heard, it->engine);
  CHECK_EQ(it->heard.first_ns, now - 20 * MS);
  check_sound_adds_up(it->voice.stream);
  sound_close(it);
}

static void waiting_until_all_was_played(void) {
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &(msdk_outgoing_audio_options){.struct_size = sizeof(msdk_outgoing_audio_options)}, NULL);
  CHECK_OK(msdk_outgoing_audio_wait_played(it->voice.stream, 0)); /* nothing was sent */
  int64_t begin = msdk_engine_now(it->engine);
  for (int i = 0; i < 10; i++) CHECK_OK(voice_send(&it->voice));
  CHECK_RESULT(msdk_outgoing_audio_wait_played(it->voice.stream, 0), MSDK_E_AGAIN);
  CHECK_RESULT(msdk_outgoing_audio_wait_played(it->voice.stream, 30), MSDK_E_TIMEOUT);
  while (msdk_engine_now(it->engine) - begin < 190 * MS) {
    run_for(it->engine, 10 * MS);
    CHECK_RESULT(msdk_outgoing_audio_wait_played(it->voice.stream, 0), MSDK_E_AGAIN); /* the last sample has not been due */
  }
  run_for(it->engine, 15 * MS);
  CHECK_OK(msdk_outgoing_audio_wait_played(it->voice.stream, 0));
  for (int i = 0; i < 10; i++) CHECK_OK(voice_send(&it->voice));
  CHECK_OK(msdk_session_stop_audio(it->alice, it->voice.stream));
  msdk_result result = msdk_outgoing_audio_wait_played(it->voice.stream, 0);
  CHECK(result == MSDK_E_CLOSED || result == MSDK_E_STATE || result == MSDK_OK); /* stopped: nothing is played any more */
  sound_close(it);
}

static pid_t waiter;

static void *stop_the_stream(void *call) {
  sound_call *it = call;
  wait_asleep(waiter);
  CHECK_OK(msdk_session_stop_audio(it->alice, it->voice.stream));
  return NULL;
}

static void a_stop_wakes_those_who_wait(void) {
  for (int what = 0; what < 2; what++) {
    msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
    options.queue_ms = 10000;
    sound_call *it = sound_open(MSDK_CLOCK_SYSTEM, &options, NULL);
    while (voice_send(&it->voice) >= 0) {}
    pthread_t thread;
    waiter = gettid();
    CHECK_EQ(pthread_create(&thread, NULL, stop_the_stream, it), 0);
    if (what == 0) {
      CHECK_RESULT(msdk_outgoing_audio_wait_played(it->voice.stream, MSDK_WAIT_FOREVER), MSDK_E_CLOSED);
    } else {
      msdk_result result = MSDK_OK; /* room comes every 20 ms */
      while (result >= 0) {
        result = msdk_outgoing_audio_send(it->voice.stream, it->voice.buffer, it->voice.size, 0, MSDK_WAIT_FOREVER, NULL, NULL);
      }
      CHECK(result == MSDK_E_CLOSED || result == MSDK_E_STATE); /* waiting, or between two waits */
    }
    pthread_join(thread, NULL);
    msdk_frame_report report = MSDK_INIT(msdk_frame_report);
    while (msdk_outgoing_audio_read_report(it->voice.stream, 0, &report) >= 0) {}
    msdk_outgoing_audio_destroy(it->voice.stream);
    CHECK(msdk_outgoing_audio_read_report(it->voice.stream, 0, &report) < 0);
    sound_close(it);
  }
}

/* ------------------------------------------------------------------------------------------------------------- what became */

static void every_outcome(void) {
  sound_outcomes counted = {0};
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  sound_call *it = sound_join(MSDK_CLOCK_VIRTUAL);
  NEED(sound_offer(it, &options));
  it->voice.counted = &counted;
  sound_talk(it, 100 * MS); /* nobody takes it */
  CHECK_EQ(atomic_load(&counted.by_reason[MSDK_DROP_NO_RECEIVER]), 5);
  CHECK_EQ(sound_stats(it->voice.stream).receivers, 0);
  CHECK_OK(msdk_incoming_audio_start(it->heard.stream, NULL));
  run_for(it->engine, MS);
  CHECK_EQ(sound_stats(it->voice.stream).receivers, 1);
  it->voice.begin_ns = 0, it->voice.position = 0;
  sound_talk(it, 100 * MS);
  CHECK_EQ(atomic_load(&counted.by_outcome[MSDK_OUTCOME_SENT]), 5);
  CHECK_EQ(sound_stats(it->voice.stream).bytes_sent, 5 * 1920);
  CHECK_EQ(atomic_load(&counted.bytes), 5 * 1920);
  CHECK_OK(msdk_outgoing_audio_set_muted(it->voice.stream, 1));
  sound_talk(it, 200 * MS);
  CHECK(atomic_load(&counted.by_reason[MSDK_DROP_MUTED]) >= 9);
  CHECK_OK(msdk_outgoing_audio_set_muted(it->voice.stream, 0));
  msdk_network_step steps[2] = {network_step(0, 0), network_step(SECOND, 0)};
  steps[0].flags = MSDK_NETWORK_DISCONNECTED;
  CHECK_OK(network_set(it->engine, it->url, steps, 2, 1));
  run_for(it->engine, 20 * MS);
  sound_talk(it, 200 * MS);
  CHECK(atomic_load(&counted.by_reason[MSDK_DROP_NOT_CONNECTED]) >= 9);
  run_for(it->engine, SECOND);
  int sent = atomic_load(&counted.by_outcome[MSDK_OUTCOME_SENT]);
  it->voice.begin_ns = 0, it->voice.position = 0;
  sound_talk(it, 200 * MS); /* it goes on */
  CHECK(atomic_load(&counted.by_outcome[MSDK_OUTCOME_SENT]) >= sent + 9);
  for (int i = 0; i < 10; i++) CHECK_OK(voice_send(&it->voice));
  CHECK_OK(msdk_session_stop_audio(it->alice, it->voice.stream));
  CHECK(atomic_load(&counted.by_reason[MSDK_DROP_STOPPED]) >= 7);
  CHECK_EQ(atomic_load(&counted.calls), sound_stats(it->voice.stream).buffers_offered);
  check_sound_adds_up(it->voice.stream);
  sound_close(it);
}

static void the_network_s_queue_may_be_full(void) {
  sound_outcomes counted = {0};
  msdk_outgoing_audio_options options = sound_options(48000, 2, MSDK_SAMPLE_S16, 20); /* 1.5 Mbit/s */
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  it->voice.counted = &counted;
  msdk_network_step step = network_step(0, 400000);
  CHECK_OK(network_set(it->engine, it->url, &step, 1, 1));
  run_for(it->engine, 100 * MS);
  sound_talk(it, 5 * SECOND);
  CHECK(atomic_load(&counted.by_reason[MSDK_DROP_NETWORK]) > 100);
  CHECK(atomic_load(&counted.by_outcome[MSDK_OUTCOME_SENT]) > 30);
  CHECK(it->heard.broken > 0); /* raw sound that was lost leaves a gap */
  run_for(it->engine, SECOND);
  CHECK_EQ(atomic_load(&counted.calls), sound_stats(it->voice.stream).buffers_offered);
  check_sound_adds_up(it->voice.stream);
  sound_close(it);
}

static void reports_can_be_read(void) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 10);
  int tags[70];
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  msdk_outgoing_audio *stream = it->voice.stream;
  for (uint32_t i = 0; i < 70; i++) {
    CHECK_OK(msdk_outgoing_audio_send(stream, it->voice.buffer, it->voice.size, 1000 + i, 0, NULL, &tags[i]));
    run_for(it->engine, 10 * MS);
  }
  CHECK_EQ(sound_stats(stream).reports_dropped, 6); /* 64 may wait, the oldest go */
  msdk_frame_report report = MSDK_INIT(msdk_frame_report);
  int32_t descriptor = -1;
  CHECK_OK(msdk_outgoing_audio_get_report_fd(stream, &descriptor));
  for (uint32_t i = 0; i < 64; i++) {
    CHECK(is_readable(descriptor, 0));
    CHECK_OK(msdk_outgoing_audio_read_report(stream, 0, &report));
    CHECK_EQ(report.sequence, 7 + i);
    CHECK_EQ(report.timestamp_ns, 1006 + i);
    CHECK(report.user == &tags[6 + i]);
    CHECK_EQ(report.outcome, MSDK_OUTCOME_SENT);
    CHECK_EQ(report.bytes, 960);
  }
  CHECK(!is_readable(descriptor, 0));
  CHECK_ERROR(msdk_outgoing_audio_get_report_fd(stream, NULL), MSDK_E_INVALID, "out");
  CHECK_RESULT(msdk_outgoing_audio_read_report(stream, 0, &report), MSDK_E_AGAIN);
  CHECK_RESULT(msdk_outgoing_audio_read_report(stream, 20, &report), MSDK_E_TIMEOUT);
  CHECK_ERROR(msdk_outgoing_audio_read_report(stream, 0, NULL), MSDK_E_INVALID, "out");
  sound_close(it);
}

/* Encoded and thrown away too; what the SDK chose for a timestamp of 0 is what the receiver sees. */
static void reports_are_matched_to_buffers(void) {
  msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  options.codec = MSDK_CODEC_OPUS;
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  msdk_outgoing_audio *stream = it->voice.stream;
  int tags[8], seen[8] = {0};
  for (int i = 0; i < 8; i++) {
    CHECK_OK(msdk_outgoing_audio_send(stream, it->voice.buffer, it->voice.size, 0, 0, NULL, &tags[i]));
    if (i < 4) run_for(it->engine, 20 * MS);
  }
  CHECK_OK(msdk_outgoing_audio_flush(stream));
  run_for(it->engine, SECOND);
  int64_t last = 0;
  for (int n = 0; n < 8; n++) {
    msdk_frame_report report = MSDK_INIT(msdk_frame_report);
    if (!CHECK_OK(msdk_outgoing_audio_read_report(stream, 0, &report))) break;
    int i = (int)((int *)report.user - tags);
    if (!CHECK_RANGE(i, 0, 7)) continue;
    seen[i]++;
    CHECK(report.timestamp_ns > 0 && (last == 0 || i == 0 || report.timestamp_ns != last));
    last = report.timestamp_ns;
  }
  for (int i = 0; i < 8; i++) CHECK_EQ(seen[i], 1);
  sound_close(it);
}

int main(int argc, char **argv) {
  RUN(what_is_sent_ahead_waits);
  RUN(flushing);
  RUN(waiting_until_all_was_played);
  RUN(a_stop_wakes_those_who_wait);
  RUN(every_outcome);
  RUN(the_network_s_queue_may_be_full);
  RUN(reports_can_be_read);
  RUN(reports_are_matched_to_buffers);
  return check_finish();
}
