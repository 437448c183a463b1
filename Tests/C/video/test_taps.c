/* outgoing_video.h, outgoing_audio.h: one's own streams, read before the encoder and after it. */
#include "ivf.h"
#include "sending.h"
#include "waiting.h"

#include <pthread.h>

enum { FILM = 45, IN_HAND = 32, POOL = 8 };

static msdk_video_tap_options tap_options(uint32_t output, uint32_t capacity) {
  msdk_video_tap_options options = MSDK_INIT(msdk_video_tap_options);
  options.output = output;
  options.queue_capacity = capacity;
  return options;
}

/* alice sends; bob is in the room, and receives if `receive`. */
static call call_with(uint32_t codec, int receive) {
  msdk_video_format format = format_of(MSDK_PIXEL_I420, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(codec, &format, 1);
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  if (call_offer(&it, &options) && receive) CHECK_OK(msdk_incoming_video_start(it.incoming, NULL));
  run_for(it.engine, MS);
  return it;
}

/* Of a pixel in the middle, which is another in each picture. */
static msdk_video_frame *drawn(uint32_t index) { return picture_new(MSDK_PIXEL_I420, 64, 48, index); }

static void check_tapped(call *it, uint32_t index) {
  msdk_video_frame *frame = NULL, *same = drawn(index);
  if (!CHECK_OK(msdk_outgoing_video_read(it->outgoing, 0, &frame))) return;
  CHECK_RANGE(picture_psnr(same, frame), 99, 100);
  CHECK_EQ(frame->sequence, index + 1);
  CHECK_EQ(frame->timestamp_ns, SECOND + index);
  CHECK((frame->flags & MSDK_FRAME_WRITABLE) == 0);
  CHECK_OK(msdk_video_frame_unref(frame));
  CHECK_OK(msdk_video_frame_unref(same));
}

/* Whoever receives it, and whatever encodes it. */
static void frames_are_read_as_they_were_sent(void) {
  static const uint32_t codecs[] = {MSDK_CODEC_RAW, MSDK_CODEC_VP8};
  for (int i = 0; i < 4; i++) {
    call it = call_with(codecs[i / 2], i % 2);
    outcomes counted = {0};
    msdk_video_frame *frame = NULL;
    int32_t descriptor = -1;
    CHECK_OK(msdk_outgoing_video_get_fd(it.outgoing, &descriptor));
    CHECK_OK(msdk_outgoing_video_start_tap(it.outgoing, NULL));
    CHECK_RESULT(msdk_outgoing_video_read(it.outgoing, 0, &frame), MSDK_E_AGAIN);
    CHECK_RESULT(msdk_outgoing_video_read(it.outgoing, 1, &frame), MSDK_E_TIMEOUT);
    for (uint32_t index = 0; index < 20; index++) {
      CHECK(!is_readable(descriptor, 0));
      CHECK_OK(send_picture(it.sender, index, SECOND + index, &counted));
      run_for(it.engine, 33 * MS);
      CHECK(is_readable(descriptor, 0));
      check_tapped(&it, index);
    }
    if (i % 2 == 0) CHECK_EQ(atomic_load(&counted.by_reason[MSDK_DROP_NO_RECEIVER]), 20); /* a tap is no receiver */
    CHECK_OK(msdk_outgoing_video_stop_tap(it.outgoing));
    CHECK(is_readable(descriptor, 0)); /* the end is to be read, too */
    CHECK_RESULT(msdk_outgoing_video_read(it.outgoing, 0, &frame), MSDK_E_CLOSED);
    CHECK_EQ(outgoing_stats(it.outgoing).tap_frames_dropped, 0);
    call_close(&it);
  }
}

typedef struct packets {
  uint64_t count, size, sum;
} packets;

static void add_packet(packets *it, const msdk_encoded_frame *frame) {
  it->count++;
  it->size += frame->size;
  for (uint64_t i = 0; i < frame->size; i++) it->sum = it->sum * 31 + frame->data[i];
}

static void on_packet(void *user, const msdk_encoded_frame *frame) { add_packet(user, frame); }

/* The encoder's output, also without receivers and without the callback, which gets the same. */
static void encoded_frames_are_read(void) {
  for (int i = 0; i < 4; i++) {
    call it = call_with(MSDK_CODEC_VP8, i % 2);
    outcomes counted = {0};
    packets called = {0}, read = {0};
    msdk_video_tap_options options = tap_options(i < 2 ? MSDK_OUTPUT_ENCODED : MSDK_OUTPUT_BOTH, 64);
    msdk_video_frame *frame = NULL;
    msdk_encoded_frame *packet = NULL;
    int32_t descriptor = -1;
    CHECK_OK(msdk_outgoing_video_get_fd(it.outgoing, &descriptor));
    if (i >= 2) CHECK_OK(msdk_outgoing_video_set_encoded_callback(it.outgoing, on_packet, &called));
    CHECK_OK(msdk_outgoing_video_start_tap(it.outgoing, &options));
    for (uint32_t index = 0; index < 20; index++) {
      CHECK_OK(send_picture(it.sender, index, SECOND + index, &counted));
      run_for(it.engine, 33 * MS);
      CHECK(is_readable(descriptor, 0));
      if (!CHECK_OK(msdk_outgoing_video_read_encoded(it.outgoing, 0, &packet))) break;
      CHECK_EQ(packet->codec, MSDK_CODEC_VP8);
      CHECK_EQ(packet->sequence, index + 1);
      CHECK_EQ(packet->timestamp_ns, SECOND + index);
      CHECK_EQ(packet->flags & MSDK_ENCODED_KEY, index == 0);
      add_packet(&read, packet);
      CHECK_OK(msdk_encoded_frame_unref(packet));
      if (i >= 2) check_tapped(&it, index);
      CHECK(!is_readable(descriptor, 0));
    }
    CHECK_EQ(atomic_load(&counted.by_outcome[MSDK_OUTCOME_ENCODED]), 20);
    CHECK_EQ(atomic_load(&counted.bytes), read.size);
    if (i >= 2) CHECK(called.count == 20 && called.size == read.size && called.sum == read.sum);
    if (i < 2) CHECK_RESULT(msdk_outgoing_video_read(it.outgoing, 0, &frame), MSDK_E_AGAIN); /* raw frames were not asked for */
    CHECK_OK(msdk_outgoing_video_stop_tap(it.outgoing));
    CHECK_OK(msdk_outgoing_video_set_encoded_callback(it.outgoing, NULL, NULL));
    CHECK_OK(send_picture(it.sender, 20, SECOND + 20, &counted));
    run_for(it.engine, 33 * MS);
    CHECK_EQ(atomic_load(&counted.by_reason[MSDK_DROP_NO_RECEIVER]), i % 2 ? 0 : 1); /* nobody takes it any more */
    call_close(&it);
  }
}

/* Whoever taps late begins with a key frame. */
static void a_late_tap_begins_with_a_key_frame(void) {
  call it = call_with(MSDK_CODEC_VP8, 1);
  msdk_video_tap_options options = tap_options(MSDK_OUTPUT_ENCODED, 0);
  msdk_encoded_frame *packet = NULL;
  send_film(&it, 0, 5, 33 * MS, NULL);
  for (int i = 0; i < 2; i++) {
    CHECK_OK(msdk_outgoing_video_start_tap(it.outgoing, &options));
    send_film(&it, 5, 2, 33 * MS, NULL);
    for (int n = 0; n < 2; n++) {
      if (!CHECK_OK(msdk_outgoing_video_read_encoded(it.outgoing, 0, &packet))) break;
      CHECK_EQ(packet->flags & MSDK_ENCODED_KEY, n == 0);
      CHECK_OK(msdk_encoded_frame_unref(packet));
    }
    CHECK_OK(msdk_outgoing_video_stop_tap(it.outgoing));
  }
  call_close(&it);
}

/* The sender's pool and the receiver notice nothing of a reader who does not read, or keeps what it reads. */
static int film_for_bob(call *it, uint32_t pictures) {
  int got = 0;
  for (uint32_t i = 0; i < pictures; i++) {
    msdk_video_frame *frame = NULL, *seen = NULL;
    if (msdk_frame_sender_acquire(it->sender, 0, &frame) >= 0) {
      picture_draw(frame, i);
      CHECK_OK(msdk_frame_sender_send(it->sender, frame, 0, NULL, NULL));
      CHECK_OK(msdk_video_frame_unref(frame));
    }
    run_for(it->engine, 33 * MS);
    while (msdk_incoming_video_read(it->incoming, 0, &seen) >= 0) {
      got++;
      CHECK_OK(msdk_video_frame_unref(seen));
    }
  }
  return got;
}

static void a_lazy_reader_holds_nothing_of_others(void) {
  for (int i = 0; i < 4; i++) {
    uint32_t codec = i / 2 ? MSDK_CODEC_VP8 : MSDK_CODEC_RAW, policy = i % 2 ? MSDK_POLICY_DROP_NEWEST : MSDK_POLICY_DROP_OLDEST;
    call it = call_with(codec, 1);
    msdk_video_tap_options options = tap_options(codec != MSDK_CODEC_RAW ? MSDK_OUTPUT_BOTH : MSDK_OUTPUT_RAW, 2 * POOL);
    options.encoded_queue_capacity = 20;
    options.queue_policy = policy;
    CHECK_OK(msdk_outgoing_video_start_tap(it.outgoing, &options));
    CHECK_EQ(film_for_bob(&it, FILM), FILM);
    CHECK_EQ(outgoing_stats(it.outgoing).tap_frames_dropped, FILM - 2 * POOL + (codec != MSDK_CODEC_RAW ? FILM - 20 : 0));
    msdk_video_frame *frame = NULL;
    if (CHECK_OK(msdk_outgoing_video_read(it.outgoing, 0, &frame))) {
      CHECK_EQ(frame->sequence, policy == MSDK_POLICY_DROP_OLDEST ? FILM - 2 * POOL + 1 : 1);
      CHECK_OK(msdk_video_frame_unref(frame));
    }
    call_close(&it);
  }
}

static void a_reader_that_keeps_all_holds_nothing_of_others(void) {
  call it = call_with(MSDK_CODEC_RAW, 1);
  msdk_video_frame *kept[100] = {NULL};
  int count = 0, got = 0;
  CHECK_OK(msdk_outgoing_video_start_tap(it.outgoing, NULL));
  for (int i = 0; i < 100; i++) {
    got += film_for_bob(&it, 1);
    if (msdk_outgoing_video_read(it.outgoing, 0, &kept[count]) >= 0) count++;
  }
  CHECK_EQ(got, 100);
  CHECK_EQ(count, IN_HAND + 3); /* the queue's places count too */
  CHECK_EQ(outgoing_stats(it.outgoing).tap_frames_dropped, 100 - count);
  for (int i = 0; i < count; i++) CHECK_OK(msdk_video_frame_unref(kept[i]));
  CHECK_EQ(film_for_bob(&it, 1), 1);
  CHECK_OK(msdk_outgoing_video_read(it.outgoing, 0, &kept[0])); /* it has let go, and is served again */
  CHECK_OK(msdk_video_frame_unref(kept[0]));
  call_close(&it);
}

/* Memory of the program's own comes back soon, though nobody reads the tap. */
static void little_memory_of_the_program_s_is_held(void) {
  for (int i = 0; i < 2; i++) {
    call it = call_with(i ? MSDK_CODEC_VP8 : MSDK_CODEC_RAW, 1);
    msdk_video_tap_options options = tap_options(MSDK_OUTPUT_RAW, 64);
    owned_picture pictures[FILM] = {{0}};
    CHECK_OK(msdk_outgoing_video_start_tap(it.outgoing, &options));
    for (uint32_t n = 0; n < FILM; n++) {
      msdk_video_frame *frame = wrap_picture(&pictures[n], &it.format, n), *seen = NULL;
      NEED(frame != NULL);
      CHECK_OK(msdk_frame_sender_send(it.sender, frame, SECOND + n, NULL, NULL));
      CHECK_OK(msdk_video_frame_unref(frame));
      run_for(it.engine, 33 * MS);
      while (msdk_incoming_video_read(it.incoming, 0, &seen) >= 0) CHECK_OK(msdk_video_frame_unref(seen));
      int held = 0;
      for (uint32_t j = 0; j <= n; j++) held += !atomic_load(&pictures[j].released);
      CHECK_RANGE(held, 0, 2);
    }
    for (uint32_t n = 0; n < FILM; n++) check_tapped(&it, n);
    call_close(&it);
  }
}

static void a_tap_outlasts_a_stop(void) {
  call it = call_with(MSDK_CODEC_RAW, 0);
  msdk_video_frame *frame = NULL;
  CHECK_OK(msdk_outgoing_video_start_tap(it.outgoing, NULL));
  for (int i = 0; i < 2; i++) {
    CHECK_OK(send_picture(it.sender, 0, 0, NULL));
    CHECK_OK(msdk_session_stop_video(it.alice, it.outgoing));
    CHECK_OK(msdk_outgoing_video_read(it.outgoing, 0, &frame));
    CHECK_OK(msdk_video_frame_unref(frame));
    CHECK_RESULT(msdk_outgoing_video_read(it.outgoing, 0, &frame), MSDK_E_AGAIN);
    CHECK_OK(msdk_session_start_video(it.alice, it.outgoing));
    CHECK_OK(msdk_outgoing_video_get_sender(it.outgoing, &it.sender));
  }
  call_close(&it);
}

static void bad_taps_are_refused(void) {
  call it = call_with(MSDK_CODEC_RAW, 0);
  msdk_video_tap_options options = tap_options(MSDK_OUTPUT_RAW, 65);
  msdk_video_frame *frame = NULL;
  msdk_encoded_frame *packet = NULL;
  CHECK_ERROR(msdk_outgoing_video_read(it.outgoing, 0, &frame), MSDK_E_STATE, "not started");
  CHECK_ERROR(msdk_outgoing_video_read_encoded(it.outgoing, 0, &packet), MSDK_E_STATE, "not started");
  CHECK_ERROR(msdk_outgoing_video_start_tap(it.outgoing, &options), MSDK_E_RANGE, "queue_capacity is 65");
  options = tap_options(MSDK_OUTPUT_RAW, 0);
  options.encoded_queue_capacity = 1025;
  CHECK_ERROR(msdk_outgoing_video_start_tap(it.outgoing, &options), MSDK_E_RANGE, "encoded_queue_capacity is 1025");
  options = tap_options(3, 0);
  CHECK_ERROR(msdk_outgoing_video_start_tap(it.outgoing, &options), MSDK_E_UNSUPPORTED, "output is 3");
  options = tap_options(MSDK_OUTPUT_RAW, 0);
  options.queue_policy = MSDK_POLICY_WAIT;
  CHECK_ERROR(msdk_outgoing_video_start_tap(it.outgoing, &options), MSDK_E_UNSUPPORTED, "queue_policy");
  options = tap_options(MSDK_OUTPUT_ENCODED, 0);
  CHECK_ERROR(msdk_outgoing_video_start_tap(it.outgoing, &options), MSDK_E_UNSUPPORTED, "no encoder");
  CHECK_OK(msdk_outgoing_video_stop_tap(it.outgoing)); /* there is none */
  CHECK_OK(msdk_outgoing_video_start_tap(it.outgoing, NULL));
  CHECK_ERROR(msdk_outgoing_video_start_tap(it.outgoing, NULL), MSDK_E_STATE, "started already");
  CHECK_ERROR(msdk_outgoing_video_read(it.outgoing, 0, NULL), MSDK_E_INVALID, "out");
  CHECK_ERROR(msdk_outgoing_video_get_fd(it.outgoing, NULL), MSDK_E_INVALID, "out");
  msdk_outgoing_video_options pushed = outgoing_options(MSDK_CODEC_VP8, &it.format, 1);
  msdk_outgoing_video *stream = NULL;
  pushed.encoded_input = 1;
  CHECK_OK(msdk_outgoing_video_create(it.engine, &pushed, &stream));
  CHECK_ERROR(msdk_outgoing_video_start_tap(stream, NULL), MSDK_E_UNSUPPORTED, "encoded_input");
  options = tap_options(MSDK_OUTPUT_ENCODED, 0);
  CHECK_ERROR(msdk_outgoing_video_start_tap(stream, &options), MSDK_E_UNSUPPORTED, "encoded_input");
  call_close(&it);
}

static void *wait_for_a_frame(void *stream) {
  msdk_video_frame *frame = NULL;
  return (void *)(intptr_t)msdk_outgoing_video_read(stream, MSDK_WAIT_FOREVER, &frame);
}

static void the_end_wakes_those_who_wait(void) {
  for (int destroys = 0; destroys < 2; destroys++) {
    msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
    msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
    msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
    msdk_outgoing_video *stream = NULL;
    CHECK_OK(msdk_outgoing_video_create(engine, &options, &stream));
    CHECK_OK(msdk_outgoing_video_start_tap(stream, NULL));
    pthread_t waiter;
    void *result = NULL;
    NEED(pthread_create(&waiter, NULL, wait_for_a_frame, stream) == 0);
    sleep_ms(50);
    if (destroys) msdk_outgoing_video_destroy(stream);
    else CHECK_OK(msdk_outgoing_video_stop_tap(stream));
    pthread_join(waiter, &result);
    CHECK((intptr_t)result == MSDK_E_CLOSED || (destroys && (intptr_t)result == MSDK_E_HANDLE));
    msdk_engine_destroy(engine);
  }
}

int main(int argc, char **argv) {
  RUN(frames_are_read_as_they_were_sent);
  RUN(encoded_frames_are_read);
  RUN(a_late_tap_begins_with_a_key_frame);
  RUN(a_lazy_reader_holds_nothing_of_others);
  RUN(a_reader_that_keeps_all_holds_nothing_of_others);
  RUN(little_memory_of_the_program_s_is_held);
  RUN(a_tap_outlasts_a_stop);
  RUN(bad_taps_are_refused);
  RUN(the_end_wakes_those_who_wait);
  return check_finish();
}
