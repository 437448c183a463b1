/* The frame rate of a format is enforced: what a program sends faster is dropped and says so, and the jitter of a camera costs nothing. */
#include "random.h"
#include "sending.h"

enum { BURST = 5 }; /* as outgoing_video.h says */

static call call_at(uint32_t codec, uint32_t fps) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, fps);
  msdk_outgoing_video_options options = outgoing_options(codec, &format, 1);
  return call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
}

static void finish(call *it) {
  run_for(it->engine, SECOND);
  check_outcomes_add_up(it->outgoing);
  call_close(it);
}

/* 60 frames in 0.24 s at 15 frames a second. */
static void too_many_are_dropped(void) {
  static const uint32_t codecs[] = {MSDK_CODEC_RAW, MSDK_CODEC_VP8};
  for (int c = 0; c < 2; c++) {
    call it = call_at(codecs[c], 15);
    outcomes counted = {0};
    for (uint32_t i = 0; i < 60; i++) {
      CHECK_OK(send_picture(it.sender, i, 0, &counted));
      run_for(it.engine, 4 * MS);
    }
    msdk_outgoing_video_stats stats = outgoing_stats(it.outgoing);
    CHECK(stats.paced_frames_per_second == 15.0);
    run_for(it.engine, SECOND);
    int went = atomic_load(&counted.by_outcome[MSDK_OUTCOME_SENT]) + atomic_load(&counted.by_outcome[MSDK_OUTCOME_ENCODED]);
    CHECK_RANGE(went, BURST, BURST + 4);
    CHECK_EQ(atomic_load(&counted.by_reason[MSDK_DROP_PACED]), 60 - went);
    finish(&it);
  }
}

/* For long: the rate, and two in a hundred more. */
static void in_the_long_run_it_is_the_rate(void) {
  static const uint32_t rates[] = {1, 15, 30, 60};
  for (int r = 0; r < 4; r++) {
    call it = call_at(MSDK_CODEC_RAW, rates[r]);
    outcomes counted = {0};
    for (uint32_t i = 0; i < 40 * rates[r]; i++) { /* twice as fast, for 20 seconds */
      CHECK_OK(send_picture(it.sender, i, 0, &counted));
      run_for(it.engine, SECOND / (2 * rates[r]));
    }
    CHECK_RANGE(atomic_load(&counted.by_outcome[MSDK_OUTCOME_SENT]), 20 * (int)rates[r], 20 * (int)rates[r] * 103 / 100 + BURST);
    finish(&it);
  }
}

/* Five minutes of a camera of 30 frames a second, each up to 10 ms early or late. */
static void a_camera_s_jitter_costs_nothing(void) {
  call it = call_at(MSDK_CODEC_RAW, 30);
  outcomes counted = {0};
  uint64_t seed = 11;
  int64_t start = msdk_engine_now(it.engine) + SECOND;
  for (int64_t i = 0; i < 9000; i++) {
    int64_t at = start + i * SECOND / 30 + (int64_t)(random_next(&seed) % 20001 - 10000) * 1000;
    run_for(it.engine, at - msdk_engine_now(it.engine));
    CHECK_OK(send_picture(it.sender, (uint32_t)i, at, &counted));
  }
  CHECK_EQ(atomic_load(&counted.by_outcome[MSDK_OUTCOME_SENT]), 9000);
  finish(&it);
}

/* A loop that sleeps for 33 ms is one percent too fast. */
static void a_clock_that_is_a_little_fast_costs_nothing(void) {
  call it = call_at(MSDK_CODEC_RAW, 30);
  outcomes counted = {0};
  for (uint32_t i = 0; i < 6000; i++) {
    CHECK_OK(send_picture(it.sender, i, 0, &counted));
    run_for(it.engine, 33 * MS);
  }
  CHECK_EQ(atomic_load(&counted.by_outcome[MSDK_OUTCOME_SENT]), 6000);
  finish(&it);
}

/* The program was held up for a moment: what the driver has kept meanwhile comes at once. */
static void a_burst_after_a_stall_is_sent(void) {
  call it = call_at(MSDK_CODEC_RAW, 30);
  outcomes counted = {0};
  for (int round = 0; round < 20; round++) {
    for (uint32_t i = 0; i < 30; i++, run_for(it.engine, SECOND / 30)) CHECK_OK(send_picture(it.sender, i, 0, &counted));
    run_for(it.engine, (BURST - 1) * SECOND / 30);
    for (uint32_t i = 0; i < BURST - 1; i++) CHECK_OK(send_picture(it.sender, i, 0, &counted));
  }
  CHECK_EQ(atomic_load(&counted.by_reason[MSDK_DROP_PACED]), 0);
  CHECK_EQ(atomic_load(&counted.by_outcome[MSDK_OUTCOME_SENT]), 20 * (30 + BURST - 1));
  finish(&it);
}

/* The rate that is set counts as before, and the format's own rate is no other limit than that of the format. */
static void a_rate_that_is_set_is_the_lower_one(void) {
  call it = call_at(MSDK_CODEC_RAW, 30);
  CHECK_OK(msdk_outgoing_video_set_frame_rate(it.outgoing, 10, 1));
  CHECK(outgoing_stats(it.outgoing).paced_frames_per_second == 10.0);
  outcomes counted = {0};
  for (uint32_t i = 0; i < 300; i++, run_for(it.engine, SECOND / 30)) CHECK_OK(send_picture(it.sender, i, 0, &counted));
  CHECK_RANGE(atomic_load(&counted.by_outcome[MSDK_OUTCOME_SENT]), 99, 101);
  CHECK_OK(msdk_outgoing_video_set_frame_rate(it.outgoing, 30, 1));
  CHECK(outgoing_stats(it.outgoing).paced_frames_per_second == 30.0);
  outcomes again = {0};
  uint64_t seed = 7;
  int64_t start = msdk_engine_now(it.engine) + SECOND;
  for (int64_t i = 0; i < 300; i++) {
    run_for(it.engine, start + i * SECOND / 30 + (int64_t)(random_next(&seed) % 20) * MS - msdk_engine_now(it.engine));
    CHECK_OK(send_picture(it.sender, (uint32_t)i, 0, &again));
  }
  CHECK_EQ(atomic_load(&again.by_outcome[MSDK_OUTCOME_SENT]), 300);
  finish(&it);
}

/* A screen share's frames wait instead: the newest is shown in the end. */
static void a_screen_share_s_frames_wait(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 15);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  options.kind = MSDK_VIDEO_SCREEN_SHARE;
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  outcomes counted = {0};
  for (uint32_t i = 0; i < 60; i++) CHECK_OK(send_picture(it.sender, i, 1000 + i, &counted));
  run_for(it.engine, SECOND);
  CHECK_EQ(atomic_load(&counted.by_outcome[MSDK_OUTCOME_SENT]), BURST + 1);
  CHECK_EQ(atomic_load(&counted.by_reason[MSDK_DROP_PACED]), 60 - BURST - 1);
  int64_t last = 0;
  for (msdk_video_frame *frame = NULL; msdk_incoming_video_read(it.incoming, 0, &frame) >= 0; msdk_video_frame_unref(frame)) {
    last = frame->timestamp_ns;
  }
  CHECK_EQ(last, 1059);
  finish(&it);
}

/* Encoded frames are not dropped for a rate: what follows builds on them. */
static void encoded_frames_are_not_paced(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 15);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  options.encoded_input = 1;
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  CHECK(outgoing_stats(it.outgoing).paced_frames_per_second == 0);
  CHECK_ERROR(msdk_outgoing_video_set_frame_rate(it.outgoing, 10, 1), MSDK_E_UNSUPPORTED, "encoded_input");
  /* The head of a key frame of 64 by 48, with a first partition of 16 bytes. */
  static const uint8_t key[26] = {0x10, 0x02, 0x00, 0x9D, 0x01, 0x2A, 64, 0, 48, 0};
  msdk_encoded_frame source = MSDK_INIT(msdk_encoded_frame);
  source.codec = MSDK_CODEC_VP8;
  source.data = key;
  source.size = sizeof key;
  outcomes counted = {0};
  for (int i = 0; i < 30; i++) {
    msdk_encoded_frame *frame = NULL;
    if (!CHECK_OK(msdk_encoded_frame_create(&source, &frame))) break;
    CHECK_OK(msdk_frame_sender_send_encoded(it.sender, frame, 0, on_report, &counted));
    msdk_encoded_frame_unref(frame);
  }
  run_for(it.engine, SECOND);
  CHECK_EQ(atomic_load(&counted.by_reason[MSDK_DROP_PACED]), 0);
  CHECK_EQ(atomic_load(&counted.by_outcome[MSDK_OUTCOME_SENT]), 30);
  finish(&it);
}

int main(int argc, char **argv) {
  RUN(too_many_are_dropped);
  RUN(in_the_long_run_it_is_the_rate);
  RUN(a_camera_s_jitter_costs_nothing);
  RUN(a_clock_that_is_a_little_fast_costs_nothing);
  RUN(a_burst_after_a_stall_is_sent);
  RUN(a_rate_that_is_set_is_the_lower_one);
  RUN(a_screen_share_s_frames_wait);
  RUN(encoded_frames_are_not_paced);
  return check_finish();
}
