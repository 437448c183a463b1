/* VP8 end to end on the virtual clock: quality, key frames, bitrate, and a network that loses packets. */
#include "vp8_film.h"

static void pictures_survive(void) {
  static const uint32_t sizes[][2] = {{640, 360}, {321, 241}, {64, 48}, {17, 15}, {1, 1}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    film it = film_of(sizes[i][0], sizes[i][1]);
    call through = film_call(&it, sizes[i][0] > 300 ? 1500000 : 300000);
    film_play(&it, &through, 45, NULL);
    int ok = CHECK_EQ(it.received, 45) & CHECK_EQ(it.unknown, 0) & CHECK_EQ(it.discontinuities, 0);
    ok &= CHECK_RANGE(it.sum_psnr / it.received, 30, 100) & CHECK_RANGE(it.worst_psnr, 24, 100);
    if (!ok) fprintf(stderr, "  at %ux%u\n", sizes[i][0], sizes[i][1]);
    msdk_incoming_video_stats stats = incoming_stats(through.incoming);
    CHECK_EQ(stats.frames_decoded, 45);
    CHECK_EQ(stats.key_frames_decoded, 1);
    CHECK_EQ(stats.frames_corrupt + stats.frames_lost + stats.frames_skipped, 0);
    check_outcomes_add_up(through.outgoing);
    call_close(&through);
  }
}

static void both_pixel_formats_are_encoded(void) {
  static const uint32_t formats[] = {MSDK_PIXEL_NV12, MSDK_PIXEL_I420};
  for (int i = 0; i < 2; i++) {
    msdk_video_format format = format_of(formats[i], 161, 91, 30);
    (format.color_primaries = 9, format.color_transfer = 14, format.color_matrix = MSDK_MATRIX_BT709);
    msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
    call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
    CHECK_OK(send_picture(it.sender, 6, 0, NULL));
    msdk_video_frame *frame = frame_wait(&it), *original = picture_new(MSDK_PIXEL_I420, 161, 91, 6);
    NEED(frame != NULL);
    CHECK_EQ(frame->format->pixel_format, MSDK_PIXEL_I420);
    CHECK_EQ(frame->format->width, 161);
    CHECK_EQ(frame->format->color_matrix, MSDK_MATRIX_BT709); /* carried beside the bits */
    CHECK(frame->format->color_primaries == 9 && frame->format->color_transfer == 14);
    CHECK_RANGE(picture_psnr(frame, original), 26, 100);
    int chroma = 0; /* picture_draw gives both chroma planes the same gradient */
    for (uint32_t y = 0; y < 46; y++) chroma += abs((int)row_of(frame, 1, y)[40] - (int)row_of(original, 1, y)[40]);
    CHECK_RANGE(chroma / 46.0, 0, 6);
    msdk_video_frame_unref(frame);
    msdk_video_frame_unref(original);
    call_close(&it);
  }
}

static void key_frames_come_when_asked_for(void) {
  outcomes counted = {0};
  film it = film_of(160, 120);
  call through = film_call(&it, 0);
  film_play(&it, &through, 10, &counted);
  CHECK_EQ(atomic_load(&counted.key_frames), 1);
  CHECK_OK(msdk_outgoing_video_request_key_frame(through.outgoing)); /* by the sender */
  film_play(&it, &through, 10, &counted);
  CHECK_EQ(atomic_load(&counted.key_frames), 2);
  uint32_t requests = outgoing_stats(through.outgoing).key_frame_requests; /* the receiver's start was one */
  CHECK_OK(msdk_incoming_video_request_key_frame(through.incoming));        /* by the receiver */
  film_play(&it, &through, 10, &counted);
  CHECK_EQ(atomic_load(&counted.key_frames), 3);
  CHECK_EQ(outgoing_stats(through.outgoing).key_frame_requests, requests + 1);
  CHECK_EQ(incoming_stats(through.incoming).key_frames_requested, 1);
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK(event_take(through.alice, MSDK_EVENT_KEY_FRAME_REQUESTED, &event));
  CHECK(event.outgoing_video == through.outgoing);
  call_close(&through);
}

static void key_frames_come_at_their_interval(void) {
  outcomes counted = {0};
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  options.key_frame_interval_ms = 1000;
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  send_film(&it, 0, 95, SECOND / 30, &counted);
  CHECK_RANGE(atomic_load(&counted.key_frames), 4, 5);
  call_close(&it);
}

static void a_late_joiner_begins_with_a_key_frame(void) {
  outcomes counted = {0};
  film it = film_of(160, 120);
  call through = film_call(&it, 0);
  film_play(&it, &through, 20, &counted);
  msdk_session *late = join(through.engine, through.url, "late");
  msdk_event event;
  CHECK(event_wait(through.engine, late, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event));
  CHECK_EQ(event.codec, MSDK_CODEC_VP8);
  CHECK_OK(msdk_incoming_video_start(event.incoming_video, NULL));
  CHECK_EQ(atomic_load(&counted.key_frames), 1);
  film_play(&it, &through, 3, &counted);
  CHECK_EQ(atomic_load(&counted.key_frames), 2);
  msdk_video_frame *frame = NULL;
  CHECK_OK(msdk_incoming_video_read(event.incoming_video, 0, &frame));
  NEED(frame != NULL);
  CHECK(frame->sequence >= 21);
  msdk_video_frame *original = picture_new(MSDK_PIXEL_I420, 160, 120, (uint32_t)frame->sequence - 1);
  CHECK_RANGE(picture_psnr(frame, original), 26, 100);
  msdk_video_frame_unref(original);
  msdk_video_frame_unref(frame);
  CHECK_EQ(incoming_stats(event.incoming_video).key_frames_decoded, 1);
  CHECK_EQ(outgoing_stats(through.outgoing).receivers, 2);
  msdk_session_destroy(late);
  call_close(&through);
}

/* A twentieth is sent again; then for four seconds so much is lost that only key frames help: packets are kept for three. */
static void loss_is_recovered_from_and_never_shown(void) {
  film it = film_of(320, 240);
  call through = film_call(&it, 400000);
  msdk_network_step steps[4] = {network_step(0, 0), network_step(2 * SECOND, 0), network_step(6 * SECOND, 0), network_step(8 * SECOND, 0)};
  static const uint32_t losses[] = {50000, 800000, 50000};
  for (int i = 0; i < 3; i++) {
    steps[i].loss_ppm = losses[i];
    steps[i].delay_ns = 20 * MS;
  }
  CHECK_OK(network_set(through.engine, through.url, steps, 4, 7));
  film_play(&it, &through, 55, NULL);
  CHECK_EQ(incoming_stats(through.incoming).frames_lost, 0);
  CHECK_RANGE(it.received, 50, 55);
  film_play(&it, &through, 185, NULL);
  uint32_t before = it.received;
  msdk_incoming_video_stats stats = incoming_stats(through.incoming);
  CHECK(stats.frames_lost > 0);
  CHECK(stats.key_frames_requested > 0);
  CHECK(stats.key_frames_decoded > 1);
  CHECK(stats.frames_skipped > 0);
  CHECK(stats.freeze_count > 0);
  CHECK_RANGE(before, 60, 239); /* much came through, not all */
  CHECK(it.discontinuities > 0);
  CHECK_EQ(it.unknown, 0);
  CHECK_RANGE(it.worst_psnr, 22, 100); /* a picture decoded on a wrong reference would be far below */
  CHECK(session_stats(through.bob).packets_lost > 0);
  film_play(&it, &through, 60, NULL); /* the network is good again */
  CHECK_RANGE(it.received - before, 58, 61);
  CHECK_EQ(it.last_stamp >= msdk_engine_now(through.engine) - 100 * MS, 1);
  CHECK_RANGE(it.worst_psnr, 22, 100);
  call_close(&through);
}

/* What the sender's own side leaves out, nothing that was encoded refers to: the receiver goes on without a key frame. */
static void frames_left_out_are_no_loss(void) {
  for (int paced = 0; paced < 2; paced++) {
    outcomes counted = {0};
    film it = film_of(160, 120);
    /* Twice the film's rate, so that each of its frames may replace one. */
    msdk_video_format format = format_of(MSDK_PIXEL_NV12, it.width, it.height, 2 * FILM_FPS);
    msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
    call through = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
    if (paced) CHECK_OK(msdk_outgoing_video_set_frame_rate(through.outgoing, 10, 1));
    for (uint32_t i = 0; i < 30; i++) {
      if (!paced) CHECK_OK(send_picture(through.sender, 99, 0, &counted)); /* will be replaced */
      film_play(&it, &through, 1, &counted);
    }
    int encoded = atomic_load(&counted.by_outcome[MSDK_OUTCOME_ENCODED]);
    CHECK(encoded >= 10 && encoded <= 30);
    CHECK(atomic_load(paced ? &counted.by_reason[MSDK_DROP_PACED] : &counted.by_outcome[MSDK_OUTCOME_REPLACED]) >= 18);
    CHECK_EQ(it.received, encoded);
    CHECK_EQ(it.discontinuities, 0);
    msdk_incoming_video_stats stats = incoming_stats(through.incoming);
    CHECK_EQ(stats.key_frames_decoded, 1);
    CHECK_EQ(stats.frames_skipped, 0);
    CHECK_EQ(stats.freeze_count, 0);
    CHECK_RANGE(it.worst_psnr, 24, 100);
    call_close(&through);
  }
}

/* As many pictures wait as were asked for; then the oldest go. */
static void the_queue_is_as_long_as_asked(void) {
  static const uint32_t capacities[] = {1, 5, 40, 64};
  for (int i = 0; i < 4; i++) {
    msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
    msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
    msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
    receive.queue_capacity = capacities[i];
    call it = call_open(MSDK_CLOCK_VIRTUAL, &options, &receive);
    send_film(&it, 0, 70, SECOND / 30, NULL);
    msdk_video_frame *frame = NULL;
    uint32_t frames = 0;
    uint64_t first = 0, last = 0;
    for (; msdk_incoming_video_read(it.incoming, 0, &frame) >= 0; frames++) {
      if (frames == 0) first = frame->sequence;
      last = frame->sequence;
      msdk_video_frame_unref(frame);
    }
    CHECK_EQ(frames, capacities[i]);
    CHECK_EQ(first, 71 - capacities[i]);
    CHECK_EQ(last, 70);
    CHECK_EQ(incoming_stats(it.incoming).frames_dropped, 70 - capacities[i]);
    call_close(&it);
  }
}

/* Timestamps that make no sense are resynchronised: none is far from now, and none before the previous one. */
static void any_timestamp_is_accepted(void) {
  static const int64_t stamps[] = {5, 4711, INT64_MAX, 1, INT64_MIN, INT64_MIN + 1, -1, INT64_MAX - 1, INT64_MIN, INT64_MAX, 2};
  film it = film_of(64, 48);
  call through = film_call(&it, 0);
  int64_t last = INT64_MIN;
  for (size_t i = 0; i < sizeof stamps / sizeof stamps[0]; i++) {
    CHECK_OK(send_picture(through.sender, (uint32_t)i, stamps[i], NULL));
    run_for(through.engine, SECOND / 30);
    msdk_video_frame *frame = NULL;
    CHECK_OK(msdk_incoming_video_read(through.incoming, 0, &frame));
    NEED(frame != NULL);
    CHECK_RANGE(frame->timestamp_ns - msdk_engine_now(through.engine), -10 * SECOND, SECOND);
    CHECK(frame->timestamp_ns >= last);
    last = frame->timestamp_ns;
    msdk_video_frame_unref(frame);
  }
  call_close(&through);
}

/* Measured bits per second over a while of noise, which takes what it is given. */
static double measured(call *it, uint32_t frames, uint32_t *index) {
  uint64_t before = outgoing_stats(it->outgoing).bytes_sent;
  for (uint32_t i = 0; i < frames; i++) {
    msdk_video_frame *frame = NULL;
    CHECK_OK(msdk_frame_sender_acquire(it->sender, 0, &frame));
    if (frame == NULL) return 0;
    picture_draw_noise(frame, (*index)++);
    CHECK_OK(msdk_frame_sender_send(it->sender, frame, 0, NULL, NULL));
    msdk_video_frame_unref(frame);
    run_for(it->engine, SECOND / 30);
    while (msdk_incoming_video_read(it->incoming, 0, &frame) >= 0) msdk_video_frame_unref(frame);
  }
  return (double)(outgoing_stats(it->outgoing).bytes_sent - before) * 8 * 30 / frames;
}

static void the_bitrate_follows_live(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_I420, 320, 240, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  options.target_bitrate = 1000000;
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  uint32_t index = 0;
  measured(&it, 60, &index);
  CHECK_RANGE(measured(&it, 90, &index), 700000, 1300000);
  CHECK_OK(msdk_outgoing_video_set_bitrate(it.outgoing, 400000, 0, 0));
  measured(&it, 60, &index);
  CHECK_EQ(outgoing_stats(it.outgoing).target_bitrate, 400000);
  CHECK_RANGE(measured(&it, 90, &index), 280000, 520000);
  CHECK_OK(msdk_outgoing_video_set_bitrate(it.outgoing, 2000000, 0, 0));
  measured(&it, 60, &index);
  CHECK_RANGE(measured(&it, 90, &index), 1400000, 2600000);
  msdk_network_step step = network_step(0, 500000); /* the estimate caps it */
  step.queue_ns = SECOND;
  CHECK_OK(network_set(it.engine, it.url, &step, 1, 1));
  measured(&it, 90, &index);
  CHECK(outgoing_stats(it.outgoing).target_bitrate <= 500000);
  CHECK_RANGE(measured(&it, 90, &index), 250000, 600000);
  call_close(&it);
}

static uint64_t one_run(uint64_t seed) {
  film it = film_of(160, 120);
  call through = film_call(&it, 200000);
  msdk_network_step step = network_step(0, 400000);
  step.loss_ppm = 50000;
  step.delay_ns = 30 * MS;
  step.jitter_ns = 20 * MS;
  CHECK_OK(network_set(through.engine, through.url, &step, 1, seed));
  film_play(&it, &through, 200, NULL);
  CHECK(it.received > 20);
  call_close(&through);
  return it.hash;
}

static void the_same_seed_gives_the_same_run(void) {
  uint64_t first = one_run(42), second = one_run(42), other = one_run(43);
  CHECK(first == second);
  CHECK(first != other);
}

int main(int argc, char **argv) {
  RUN(pictures_survive);
  RUN(both_pixel_formats_are_encoded);
  RUN(key_frames_come_when_asked_for);
  RUN(key_frames_come_at_their_interval);
  RUN(a_late_joiner_begins_with_a_key_frame);
  RUN(loss_is_recovered_from_and_never_shown);
  RUN(frames_left_out_are_no_loss);
  RUN(the_queue_is_as_long_as_asked);
  RUN(any_timestamp_is_accepted);
  RUN(the_bitrate_follows_live);
  RUN(the_same_seed_gives_the_same_run);
  return check_finish();
}
