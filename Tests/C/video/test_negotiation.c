/* outgoing_video.h, negotiation on a scripted network: the best format that the estimate carries; down at once, up after five
 * good seconds. */
#include "sending.h"

/* What the three sizes need, at 0.03 bits a pixel: 829,440, 207,360 and 51,840 bits per second. */
static const msdk_video_format *three_formats(int order) {
  static msdk_video_format formats[3];
  static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  static const uint32_t sizes[3][2] = {{1280, 720}, {640, 360}, {320, 180}};
  for (int i = 0; i < 3; i++) formats[orders[order][i]] = format_of(MSDK_PIXEL_NV12, sizes[i][0], sizes[i][1], 30);
  return formats;
}

typedef struct change {
  int64_t at_ns; /* from the script's start */
  uint32_t width;
} change;

typedef struct changes {
  int count;
  change list[64];
  msdk_frame_sender *sender;
} changes;

/* Runs for a while, sending nothing, and notes every change of sender. */
static void watch(call *it, int64_t start_ns, int64_t duration_ns, changes *seen) {
  int64_t until = msdk_engine_now(it->engine) + duration_ns;
  while (msdk_engine_now(it->engine) < until) {
    run_for(it->engine, 50 * MS);
    for (;;) {
      msdk_event event = MSDK_INIT(msdk_event);
      if (msdk_session_next_event(it->alice, 0, &event) < 0) break;
      if (event.type != MSDK_EVENT_FRAME_SENDER_CHANGED || seen->count >= 64) continue;
      seen->list[seen->count].at_ns = event.timestamp_ns - start_ns;
      seen->list[seen->count++].width = event.format.width;
      seen->sender = event.sender;
    }
  }
}

static call call_of(uint32_t codec, const msdk_video_format *formats, uint32_t count) {
  msdk_outgoing_video_options options = outgoing_options(codec, formats, count);
  return call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
}

static void the_best_is_chosen_whatever_the_order(void) {
  for (int order = 0; order < 6; order++) {
    call it = call_of(MSDK_CODEC_VP8, three_formats(order), 3);
    CHECK_EQ(it.format.width, 1280); /* unlimited */
    call_close(&it);
    it = call_join(MSDK_CLOCK_VIRTUAL);
    msdk_network_step step = network_step(0, 300000);
    CHECK_OK(network_set(it.engine, it.url, &step, 1, 1));
    run_for(it.engine, 10 * MS);
    msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, three_formats(order), 3);
    CHECK(call_offer(&it, &options));
    CHECK_EQ(it.format.width, 640);
    call_close(&it);
  }
}

static void down_at_once_up_after_five_seconds(void) {
  call it = call_of(MSDK_CODEC_VP8, three_formats(2), 3);
  msdk_network_step steps[3] = {network_step(0, 4000000), network_step(10 * SECOND, 300000), network_step(20 * SECOND, 4000000)};
  int64_t start = msdk_engine_now(it.engine);
  changes seen = {0};
  CHECK_OK(network_set(it.engine, it.url, steps, 3, 1));
  watch(&it, start, 9900 * MS, &seen);
  CHECK_EQ(seen.count, 0);
  watch(&it, start, 200 * MS, &seen);
  CHECK_EQ(seen.count, 1);
  CHECK_EQ(seen.list[0].width, 640);
  CHECK_RANGE((double)seen.list[0].at_ns / SECOND, 10, 10.1);
  watch(&it, start, 14800 * MS, &seen);
  CHECK_EQ(seen.count, 1); /* at 24.9 s it is not yet time */
  watch(&it, start, 20 * SECOND, &seen);
  CHECK_EQ(seen.count, 2);
  CHECK_EQ(seen.list[1].width, 1280);
  CHECK_RANGE((double)seen.list[1].at_ns / SECOND, 25, 25.3);
  CHECK_EQ(outgoing_stats(it.outgoing).format_changes, 2);
  call_close(&it);
}

static void it_never_flaps(void) {
  call it = call_of(MSDK_CODEC_VP8, three_formats(0), 3);
  msdk_network_step steps[40];
  for (int i = 0; i < 40; i++) steps[i] = network_step(i * 3 * SECOND, i % 2 == 0 ? 4000000 : 300000); /* never five good seconds */
  int64_t start = msdk_engine_now(it.engine);
  changes seen = {0};
  CHECK_OK(network_set(it.engine, it.url, steps, 40, 1));
  watch(&it, start, 119 * SECOND, &seen);
  CHECK_EQ(seen.count, 1);
  CHECK_EQ(seen.list[0].width, 640);
  call_close(&it);
}

static void a_quarter_must_be_to_spare_for_going_up(void) {
  call it = call_of(MSDK_CODEC_VP8, three_formats(0), 3);
  msdk_network_step steps[4] = {network_step(0, 850000), network_step(10 * SECOND, 700000), network_step(20 * SECOND, 1030000),
                                network_step(40 * SECOND, 1045000)};
  int64_t start = msdk_engine_now(it.engine);
  changes seen = {0};
  CHECK_OK(network_set(it.engine, it.url, steps, 4, 1));
  watch(&it, start, 9 * SECOND, &seen);
  CHECK_EQ(seen.count, 0); /* 850,000 carries the 829,440 it has */
  watch(&it, start, 30 * SECOND, &seen);
  CHECK_EQ(seen.count, 1); /* 1,030,000 is less than 1,036,800 */
  CHECK_EQ(seen.list[0].width, 640);
  watch(&it, start, 10 * SECOND, &seen);
  CHECK_EQ(seen.count, 2);
  CHECK_EQ(seen.list[1].width, 1280);
  call_close(&it);
}

static void the_worst_is_kept_when_nothing_fits(void) {
  call it = call_of(MSDK_CODEC_VP8, three_formats(4), 3);
  msdk_network_step step = network_step(0, 20000);
  int64_t start = msdk_engine_now(it.engine);
  changes seen = {0};
  CHECK_OK(network_set(it.engine, it.url, &step, 1, 1));
  watch(&it, start, 5 * SECOND, &seen);
  CHECK_EQ(seen.count, 1);
  CHECK_EQ(seen.list[0].width, 320);
  uint32_t state;
  CHECK_OK(msdk_outgoing_video_get_state(it.outgoing, &state));
  CHECK_EQ(state, MSDK_OUTGOING_STARTED);
  call_close(&it);
}

static void the_old_sender_is_refused(void) {
  call it = call_of(MSDK_CODEC_VP8, three_formats(0), 3);
  outcomes counted = {0};
  msdk_frame_sender *old = it.sender;
  CHECK_OK(send_picture(old, 0, 0, &counted));
  msdk_video_frame *kept = NULL;
  CHECK_OK(msdk_frame_sender_acquire(old, 0, &kept));
  picture_draw(kept, 1);
  msdk_network_step step = network_step(0, 300000);
  changes seen = {0};
  CHECK_OK(network_set(it.engine, it.url, &step, 1, 1));
  watch(&it, 0, SECOND, &seen);
  CHECK_EQ(seen.count, 1);
  msdk_frame_sender *now = NULL;
  CHECK_OK(msdk_outgoing_video_get_sender(it.outgoing, &now));
  CHECK(now == seen.sender && now != old);
  CHECK_RESULT(msdk_frame_sender_send(old, kept, 0, NULL, NULL), MSDK_E_STALE);
  CHECK_RESULT(msdk_frame_sender_send(now, kept, 0, NULL, NULL), MSDK_E_FORMAT);
  msdk_video_frame_unref(kept);
  CHECK_OK(send_picture(now, 2, 0, &counted));
  run_for(it.engine, SECOND);
  CHECK_EQ(atomic_load(&counted.calls), 2);
  CHECK_EQ(outgoing_stats(it.outgoing).frames_offered, 2);
  check_outcomes_add_up(it.outgoing);
  call_close(&it);
}

/* The receiver sees each size, whole pictures only, and no more of the old one after the first of the new. What is sent is measured: that the way is
 * wide again shows after a while. */
static void the_receiver_follows(void) {
  call it = call_of(MSDK_CODEC_VP8, three_formats(0), 2); /* what is measured falls far below at first */
  msdk_network_step steps[3] = {network_step(0, 4000000), network_step(SECOND, 300000), network_step(2 * SECOND, 4000000)};
  CHECK_OK(network_set(it.engine, it.url, steps, 3, 1));
  int frames = 0, sizes = 0;
  uint32_t width = 0;
  for (uint32_t i = 0; i < 30 * 20; i += under_tools() ? 6 : 2) {
    msdk_frame_sender *sender = NULL;
    CHECK_OK(msdk_outgoing_video_get_sender(it.outgoing, &sender));
    CHECK_OK(send_picture(sender, i, 0, NULL));
    run_for(it.engine, (under_tools() ? 6 : 2) * SECOND / 30);
    msdk_video_frame *frame = NULL;
    while (msdk_incoming_video_read(it.incoming, 0, &frame) >= 0) {
      if (frame->format->width != width) sizes++;
      width = frame->format->width;
      CHECK_EQ(frame->format->height, width * 9 / 16);
      frames++;
      msdk_video_frame_unref(frame);
    }
  }
  CHECK_EQ(sizes, 3); /* 1280, 640, 1280 */
  CHECK_EQ(width, 1280);
  CHECK_RANGE(frames, 30, 300);
  call_close(&it);
}

static void raw_streams_need_all_their_bytes(void) {
  msdk_video_format formats[2] = {format_of(MSDK_PIXEL_NV12, 320, 180, 10), format_of(MSDK_PIXEL_NV12, 160, 90, 10)};
  call it = call_of(MSDK_CODEC_RAW, formats, 2);
  CHECK_EQ(it.format.width, 320); /* 6,912,000 bits per second; the other 1,728,000 */
  msdk_network_step step = network_step(0, 6900000);
  changes seen = {0};
  CHECK_OK(network_set(it.engine, it.url, &step, 1, 1));
  watch(&it, 0, SECOND, &seen);
  CHECK_EQ(seen.count, 1);
  CHECK_EQ(seen.list[0].width, 160);
  call_close(&it);
}

int main(int argc, char **argv) {
  RUN(the_best_is_chosen_whatever_the_order);
  RUN(down_at_once_up_after_five_seconds);
  RUN(it_never_flaps);
  RUN(a_quarter_must_be_to_spare_for_going_up);
  RUN(the_worst_is_kept_when_nothing_fits);
  RUN(the_old_sender_is_refused);
  RUN(the_receiver_follows);
  RUN(raw_streams_need_all_their_bytes);
  return check_finish();
}
