/* outgoing_video.h, reports: each outcome that a frame can have, by completion and by reading; all add up to what was offered. */
#include "sending.h"
#include "waiting.h"

enum { INTERVAL_MS = 33 };

static call call_with(uint32_t codec, uint32_t width, uint32_t height, uint32_t policy, int receive) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, width, height, 30);
  msdk_outgoing_video_options options = outgoing_options(codec, &format, 1);
  options.queue_policy = policy;
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  if (call_offer(&it, &options) && receive) CHECK_OK(msdk_incoming_video_start(it.incoming, NULL));
  run_for(it.engine, MS);
  return it;
}

/* Ends the call once every frame has been accounted for. */
static void settle(call *it, outcomes *counted) {
  run_for(it->engine, SECOND);
  check_outcomes_add_up(it->outgoing);
  if (counted != NULL) CHECK_EQ(atomic_load(&counted->calls), outgoing_stats(it->outgoing).frames_offered);
  call_close(it);
}

static void sent(void) {
  outcomes counted = {0};
  call it = call_with(MSDK_CODEC_RAW, 64, 48, 0, 1);
  send_film(&it, 0, 5, INTERVAL_MS * MS, &counted);
  CHECK_EQ(atomic_load(&counted.by_outcome[MSDK_OUTCOME_SENT]), 5);
  CHECK_EQ(atomic_load(&counted.bytes), 5 * 64 * 48 * 3 / 2);
  CHECK_EQ(outgoing_stats(it.outgoing).frames_sent, 5);
  CHECK_EQ(outgoing_stats(it.outgoing).bytes_sent, 5 * 64 * 48 * 3 / 2);
  settle(&it, &counted);
}

static void encoded(void) {
  outcomes counted = {0};
  call it = call_with(MSDK_CODEC_VP8, 160, 120, 0, 1);
  send_film(&it, 0, 5, INTERVAL_MS * MS, &counted);
  CHECK_EQ(atomic_load(&counted.by_outcome[MSDK_OUTCOME_ENCODED]), 5);
  CHECK_EQ(atomic_load(&counted.key_frames), 1);
  CHECK(atomic_load(&counted.bytes) > 100);
  msdk_outgoing_video_stats stats = outgoing_stats(it.outgoing);
  CHECK_EQ(stats.frames_encoded, 5);
  CHECK_EQ(stats.key_frames_encoded, 1);
  CHECK_EQ(stats.bytes_sent, atomic_load(&counted.bytes));
  CHECK_EQ(stats.receivers, 1);
  settle(&it, &counted);
}

static void replaced(void) {
  outcomes counted = {0};
  call it = call_with(MSDK_CODEC_VP8, 160, 120, MSDK_POLICY_DROP_OLDEST, 1);
  for (uint32_t i = 0; i < 5; i++) CHECK_OK(send_picture(it.sender, i, 0, &counted)); /* the encoder has no time in between */
  run_for(it.engine, INTERVAL_MS * MS);
  CHECK(atomic_load(&counted.by_outcome[MSDK_OUTCOME_REPLACED]) >= 3);
  CHECK(atomic_load(&counted.by_outcome[MSDK_OUTCOME_ENCODED]) >= 1);
  CHECK_EQ(atomic_load(&counted.by_outcome[MSDK_OUTCOME_DROPPED]), 0);
  msdk_video_frame *frame = NULL, *last = NULL;
  while (msdk_incoming_video_read(it.incoming, 0, &frame) >= 0) {
    msdk_video_frame_unref(last);
    last = frame;
  }
  NEED(last != NULL);
  CHECK_EQ(last->sequence, 5); /* the newest won */
  msdk_video_frame_unref(last);
  settle(&it, &counted);
}

static void queue_full_drops_the_newest(void) {
  outcomes counted = {0};
  call it = call_with(MSDK_CODEC_VP8, 160, 120, MSDK_POLICY_DROP_NEWEST, 1);
  for (uint32_t i = 0; i < 6; i++) CHECK_OK(send_picture(it.sender, i, 0, &counted));
  run_for(it.engine, INTERVAL_MS * MS);
  CHECK(atomic_load(&counted.by_reason[MSDK_DROP_QUEUE]) >= 4);
  CHECK_EQ(atomic_load(&counted.by_outcome[MSDK_OUTCOME_REPLACED]), 0);
  msdk_video_frame *frame = frame_wait(&it);
  NEED(frame != NULL);
  CHECK_EQ(frame->sequence, 1);
  msdk_video_frame_unref(frame);
  settle(&it, &counted);
}

/* For files: every frame is encoded, and send waits for room. */
static void waiting_for_room(void) {
  outcomes counted = {0};
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  options.queue_policy = MSDK_POLICY_WAIT;
  call it = call_open(MSDK_CLOCK_SYSTEM, &options, NULL);
  for (uint32_t i = 0; i < 40; i++) CHECK_OK(send_picture(it.sender, i, 0, &counted)); /* as fast as it goes */
  WAIT_UNTIL(atomic_load(&counted.calls) == 40);
  CHECK_EQ(atomic_load(&counted.by_outcome[MSDK_OUTCOME_ENCODED]), 40);
  settle(&it, &counted);
}

static void no_receiver(void) {
  static const uint32_t codecs[] = {MSDK_CODEC_RAW, MSDK_CODEC_VP8};
  for (int i = 0; i < 2; i++) {
    outcomes counted = {0};
    call it = call_with(codecs[i], 160, 120, 0, 0);
    send_film(&it, 0, 4, INTERVAL_MS * MS, &counted);
    CHECK_EQ(atomic_load(&counted.by_reason[MSDK_DROP_NO_RECEIVER]), 4);
    CHECK_EQ(outgoing_stats(it.outgoing).frames_dropped, 4);
    CHECK_EQ(outgoing_stats(it.outgoing).receivers, 0);
    settle(&it, &counted);
  }
}

static void not_connected(void) {
  static const uint32_t codecs[] = {MSDK_CODEC_RAW, MSDK_CODEC_VP8};
  for (int i = 0; i < 2; i++) {
    outcomes counted = {0};
    call it = call_with(codecs[i], 160, 120, 0, 1);
    msdk_network_step steps[2] = {network_step(0, 0), network_step(SECOND, 0)};
    steps[0].flags = MSDK_NETWORK_DISCONNECTED;
    CHECK_OK(network_set(it.engine, it.url, steps, 2, 1));
    run_for(it.engine, 100 * MS);
    send_film(&it, 0, 4, INTERVAL_MS * MS, &counted);
    CHECK_EQ(atomic_load(&counted.by_reason[MSDK_DROP_NOT_CONNECTED]), 4);
    run_for(it.engine, SECOND);
    msdk_frame_sender *sender = NULL;
    CHECK_OK(msdk_outgoing_video_get_sender(it.outgoing, &sender));
    it.sender = sender;
    send_film(&it, 4, 4, INTERVAL_MS * MS, &counted); /* it goes on */
    CHECK_EQ(atomic_load(&counted.by_outcome[codecs[i] == MSDK_CODEC_RAW ? MSDK_OUTCOME_SENT : MSDK_OUTCOME_ENCODED]), 4);
    settle(&it, &counted);
  }
}

static void stopped(void) {
  outcomes counted = {0};
  call it = call_with(MSDK_CODEC_VP8, 160, 120, MSDK_POLICY_DROP_NEWEST, 1);
  CHECK_OK(send_picture(it.sender, 0, 0, &counted));
  CHECK_OK(msdk_session_stop_video(it.alice, it.outgoing)); /* before the encoder came to it */
  run_for(it.engine, INTERVAL_MS * MS);
  CHECK_EQ(atomic_load(&counted.calls), 1);
  CHECK_EQ(atomic_load(&counted.by_reason[MSDK_DROP_STOPPED]), 1);
  settle(&it, &counted);
}

static void destroyed(void) {
  outcomes counted = {0};
  call it = call_with(MSDK_CODEC_VP8, 160, 120, MSDK_POLICY_DROP_NEWEST, 1);
  CHECK_OK(send_picture(it.sender, 0, 0, &counted));
  msdk_outgoing_video_destroy(it.outgoing);
  CHECK_EQ(atomic_load(&counted.calls), 1);
  CHECK_EQ(atomic_load(&counted.by_reason[MSDK_DROP_STOPPED]), 1);
  call_close(&it);
  CHECK_EQ(atomic_load(&counted.calls), 1);
}

static void paced(void) {
  static const uint32_t codecs[] = {MSDK_CODEC_RAW, MSDK_CODEC_VP8};
  for (int i = 0; i < 2; i++) {
    outcomes counted = {0};
    call it = call_with(codecs[i], 160, 120, 0, 1);
    CHECK_OK(msdk_outgoing_video_set_frame_rate(it.outgoing, 10, 1));
    for (uint32_t n = 0; n < 90; n++) { /* three seconds at 30 a second */
      CHECK_OK(send_picture(it.sender, n, 0, &counted));
      run_for(it.engine, SECOND / 30);
      msdk_video_frame *frame = NULL;
      while (msdk_incoming_video_read(it.incoming, 0, &frame) >= 0) msdk_video_frame_unref(frame);
    }
    int through = atomic_load(&counted.by_outcome[MSDK_OUTCOME_SENT]) + atomic_load(&counted.by_outcome[MSDK_OUTCOME_ENCODED]);
    CHECK_RANGE(through, 29, 32);
    CHECK_RANGE(atomic_load(&counted.by_reason[MSDK_DROP_PACED]), 58, 61);
    settle(&it, &counted);
  }
}

static void network_queue(void) {
  outcomes counted = {0};
  call it = call_with(MSDK_CODEC_RAW, 320, 240, 0, 1); /* 921,600 bits a frame */
  msdk_network_step step = network_step(0, 1000000);
  step.queue_ns = 2 * SECOND;
  CHECK_OK(network_set(it.engine, it.url, &step, 1, 1));
  run_for(it.engine, 100 * MS);
  for (uint32_t n = 0; n < 30; n++) {
    msdk_frame_sender *sender = NULL; /* a change of estimate may have brought a new one */
    CHECK_OK(msdk_outgoing_video_get_sender(it.outgoing, &sender));
    CHECK_OK(send_picture(sender, n, 0, &counted));
    run_for(it.engine, SECOND / 30);
  }
  CHECK_RANGE(atomic_load(&counted.by_outcome[MSDK_OUTCOME_SENT]), 2, 5); /* what fits into two seconds of queue */
  CHECK_RANGE(atomic_load(&counted.by_reason[MSDK_DROP_NETWORK]), 25, 28);
  settle(&it, &counted);
}

static void reports_can_be_read(void) {
  call it = call_with(MSDK_CODEC_RAW, 64, 48, MSDK_POLICY_WAIT, 1);
  for (uint32_t i = 0; i < 70; i++) CHECK_OK(send_picture(it.sender, i, 1000 + i, NULL));
  run_for(it.engine, INTERVAL_MS * MS);
  CHECK_EQ(outgoing_stats(it.outgoing).reports_dropped, 6); /* 64 may wait, the oldest go */
  for (uint32_t i = 0; i < 64; i++) {
    msdk_frame_report report = MSDK_INIT(msdk_frame_report);
    CHECK_OK(msdk_outgoing_video_read_report(it.outgoing, 0, &report));
    CHECK_EQ(report.sequence, 7 + i);
    CHECK_EQ(report.timestamp_ns, 1006 + i);
    CHECK_EQ(report.outcome, MSDK_OUTCOME_SENT);
    CHECK_EQ(report.status, MSDK_OK);
  }
  msdk_frame_report report = MSDK_INIT(msdk_frame_report);
  CHECK_RESULT(msdk_outgoing_video_read_report(it.outgoing, 0, &report), MSDK_E_AGAIN);
  CHECK_RESULT(msdk_outgoing_video_read_report(it.outgoing, 30, &report), MSDK_E_TIMEOUT);
  CHECK_ERROR(msdk_outgoing_video_read_report(it.outgoing, 0, NULL), MSDK_E_INVALID, "out");
  settle(&it, NULL);
}

static void the_descriptor_announces_them(void) {
  call it = call_with(MSDK_CODEC_RAW, 64, 48, 0, 1);
  msdk_frame_report report = MSDK_INIT(msdk_frame_report);
  int32_t descriptor = -1;
  CHECK_OK(msdk_outgoing_video_get_report_fd(it.outgoing, &descriptor));
  CHECK_ERROR(msdk_outgoing_video_get_report_fd(it.outgoing, NULL), MSDK_E_INVALID, "out");
  CHECK(!is_readable(descriptor, 0));
  for (uint32_t i = 0; i < 2; i++) CHECK_OK(send_picture(it.sender, i, 0, NULL));
  for (uint32_t i = 0; i < 2; i++) {
    CHECK(is_readable(descriptor, 0));
    CHECK_OK(msdk_outgoing_video_read_report(it.outgoing, 0, &report));
  }
  CHECK(!is_readable(descriptor, 0));
  settle(&it, NULL);
}

/* Each report has the pointer and the timestamp of its send, whatever became of the frame and whoever gets the report. */
static void reports_are_matched_to_frames(void) {
  static const uint32_t codecs[] = {MSDK_CODEC_RAW, MSDK_CODEC_VP8};
  for (int c = 0; c < 2; c++) {
    call it = call_with(codecs[c], 64, 48, 0, 1);
    int tags[4], seen[4] = {0};
    for (int i = 0; i < 4; i++) {
      msdk_video_frame *frame = NULL;
      CHECK_OK(msdk_frame_sender_acquire(it.sender, 0, &frame));
      picture_draw(frame, (uint32_t)i);
      frame->timestamp_ns = i == 1 ? 4001 : 0; /* the frame's own; the others' are the send's, and of the last it is the time of the call */
      CHECK_OK(msdk_frame_sender_send(it.sender, frame, i == 0 || i == 2 ? 4000 + i : 0, NULL, &tags[i]));
      msdk_video_frame_unref(frame);
      if (i == 0) run_for(it.engine, INTERVAL_MS * MS); /* with a codec the second and third are replaced */
    }
    int64_t now = msdk_engine_now(it.engine);
    run_for(it.engine, INTERVAL_MS * MS);
    msdk_frame_report report = MSDK_INIT(msdk_frame_report);
    for (int n = 0; n < 4; n++) {
      if (!CHECK_OK(msdk_outgoing_video_read_report(it.outgoing, 0, &report))) break;
      int i = (int)((int *)report.user - tags);
      if (!CHECK_RANGE(i, 0, 3)) continue;
      seen[i]++;
      CHECK_EQ(report.timestamp_ns, i == 3 ? now : 4000 + i);
      CHECK_EQ(report.outcome, c == 0 ? MSDK_OUTCOME_SENT : i == 0 || i == 3 ? MSDK_OUTCOME_ENCODED : MSDK_OUTCOME_REPLACED);
    }
    for (int i = 0; i < 4; i++) CHECK_EQ(seen[i], 1);
    settle(&it, NULL);
  }
}

static void on_own_report(void *user, const msdk_frame_report *report) {
  CHECK(report->user == user);
  atomic_fetch_add((atomic_int *)user, 1);
}

static void a_completion_is_given_the_pointer_too(void) {
  call it = call_with(MSDK_CODEC_RAW, 64, 48, 0, 1);
  atomic_int calls = 0;
  msdk_video_frame *frame = NULL;
  CHECK_OK(msdk_frame_sender_acquire(it.sender, 0, &frame));
  CHECK_OK(msdk_frame_sender_send(it.sender, frame, 0, on_own_report, &calls));
  msdk_video_frame_unref(frame);
  run_for(it.engine, INTERVAL_MS * MS);
  CHECK_EQ(atomic_load(&calls), 1);
  settle(&it, NULL);
}

/* Everything at once, random but repeatable. */
static void all_mixed(void) {
  outcomes counted = {0};
  uint64_t seed = 11;
  call it = call_with(MSDK_CODEC_VP8, 160, 120, MSDK_POLICY_DROP_OLDEST, 1);
  int accepted = 0;
  for (uint32_t i = 0; i < 400; i++) {
    switch (random_below(&seed, 12)) {
    case 0: msdk_incoming_video_stop(it.incoming); break;
    case 1: msdk_incoming_video_start(it.incoming, NULL); break;
    case 2: msdk_outgoing_video_set_frame_rate(it.outgoing, 1 + random_below(&seed, 30), 1); break;
    case 3: if (random_below(&seed, 3) == 0) msdk_session_stop_video(it.alice, it.outgoing); break;
    case 4: msdk_session_start_video(it.alice, it.outgoing); break;
    default: run_for(it.engine, (int64_t)random_below(&seed, 50) * MS); break;
    }
    msdk_frame_sender *sender = NULL;
    if (msdk_outgoing_video_get_sender(it.outgoing, &sender) >= 0) accepted += send_picture(sender, i, 0, &counted) >= 0;
  }
  CHECK(accepted > 100);
  run_for(it.engine, SECOND);
  CHECK_EQ(atomic_load(&counted.calls), accepted);
  CHECK_EQ(outgoing_stats(it.outgoing).frames_offered, accepted);
  settle(&it, &counted);
}

int main(int argc, char **argv) {
  RUN(sent);
  RUN(encoded);
  RUN(replaced);
  RUN(queue_full_drops_the_newest);
  RUN(waiting_for_room);
  RUN(no_receiver);
  RUN(not_connected);
  RUN(stopped);
  RUN(destroyed);
  RUN(paced);
  RUN(network_queue);
  RUN(reports_can_be_read);
  RUN(the_descriptor_announces_them);
  RUN(reports_are_matched_to_frames);
  RUN(a_completion_is_given_the_pointer_too);
  RUN(all_mixed);
  return check_finish();
}
