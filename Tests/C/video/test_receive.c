/* incoming_video.h: each way of taking frames, queues, wanted formats, stopping. */
#include "sending.h"

#include <poll.h>
#include <pthread.h>

static call raw_call(uint32_t clock, const msdk_incoming_video_options *receive) {
  msdk_video_format format = format_of(MSDK_PIXEL_I420, 320, 240, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  options.queue_policy = MSDK_POLICY_WAIT; /* not paced */
  return call_open(clock, &options, receive);
}

static void read_takes_the_oldest(void) {
  static const uint32_t clocks[] = {MSDK_CLOCK_VIRTUAL, MSDK_CLOCK_SYSTEM};
  for (int i = 0; i < 2; i++) {
    call it = raw_call(clocks[i], NULL);
    int64_t begin = msdk_engine_now(it.engine);
    for (uint32_t n = 0; n < 20; n++) {
      CHECK_OK(send_picture(it.sender, n, begin + n, NULL));
      msdk_video_frame *frame = frame_wait(&it);
      NEED(frame != NULL);
      CHECK_EQ(frame->timestamp_ns, begin + n);
      CHECK_EQ(frame->sequence, n + 1);
      CHECK_EQ(video_references(frame) > 0, 1);
      CHECK_OK(msdk_video_frame_unref(frame));
    }
    msdk_incoming_video_stats stats = incoming_stats(it.incoming);
    CHECK_EQ(stats.frames_received, 20);
    CHECK_EQ(stats.frames_delivered, 20);
    CHECK_EQ(stats.frames_dropped, 0);
    CHECK_EQ(stats.frames_decoded, 0); /* raw */
    CHECK_EQ(stats.width, 320);
    CHECK_EQ(stats.height, 240);
    call_close(&it);
  }
}

static void full_queues_follow_their_policy(void) {
  for (uint32_t policy = 0; policy < 2; policy++) {
    msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
    receive.queue_policy = policy;
    receive.queue_capacity = policy == MSDK_POLICY_DROP_OLDEST ? 0 : 4; /* 0: 3 */
    call it = raw_call(MSDK_CLOCK_VIRTUAL, &receive);
    send_film(&it, 0, 6, 10 * MS, NULL);
    uint64_t first = policy == MSDK_POLICY_DROP_OLDEST ? 4 : 1, last = policy == MSDK_POLICY_DROP_OLDEST ? 6 : 4;
    msdk_video_frame *frame = NULL;
    for (uint64_t sequence = first; sequence <= last; sequence++) {
      CHECK_OK(msdk_incoming_video_read(it.incoming, 0, &frame));
      NEED(frame != NULL);
      CHECK_EQ(frame->sequence, sequence);
      msdk_video_frame_unref(frame);
    }
    CHECK_RESULT(msdk_incoming_video_read(it.incoming, 0, &frame), MSDK_E_AGAIN);
    CHECK_EQ(incoming_stats(it.incoming).frames_dropped, policy == MSDK_POLICY_DROP_OLDEST ? 3 : 2);
    call_close(&it);
  }
}

static void the_descriptor_tells_of_frames(void) {
  static const uint32_t clocks[] = {MSDK_CLOCK_VIRTUAL, MSDK_CLOCK_SYSTEM};
  for (int i = 0; i < 2; i++) {
    call it = raw_call(clocks[i], NULL);
    struct pollfd entry = {.fd = -1, .events = POLLIN};
    CHECK_OK(msdk_incoming_video_get_fd(it.incoming, &entry.fd));
    CHECK_ERROR(msdk_incoming_video_get_fd(it.incoming, NULL), MSDK_E_INVALID, "out");
    CHECK_EQ(poll(&entry, 1, 0), 0);
    CHECK_OK(send_picture(it.sender, 0, 0, NULL));
    run_for(it.engine, MS);
    CHECK_EQ(poll(&entry, 1, 5000), 1);
    msdk_video_frame *frame = NULL;
    CHECK_OK(msdk_incoming_video_read(it.incoming, 0, &frame));
    msdk_video_frame_unref(frame);
    CHECK_EQ(poll(&entry, 1, 0), 0);
    CHECK_OK(msdk_session_stop_video(it.alice, it.outgoing));
    run_for(it.engine, MS);
    CHECK_EQ(poll(&entry, 1, 5000), 1); /* the end is to be read, too */
    CHECK_RESULT(msdk_incoming_video_read(it.incoming, 0, &frame), MSDK_E_CLOSED);
    call_close(&it);
  }
}

typedef struct taken_frames {
  atomic_int count, inside;
  pthread_t thread;
  uint64_t last_sequence;
  const uint8_t *last_data;
  uint32_t pixel_format, width, height;
} taken_frames;

static void on_frame(void *user, const msdk_video_frame *frame) {
  taken_frames *taken = user;
  CHECK_EQ(atomic_fetch_add(&taken->inside, 1), 0);
  CHECK(frame->sequence > taken->last_sequence);
  taken->thread = pthread_self();
  taken->last_sequence = frame->sequence;
  taken->last_data = frame->plane[0].data;
  taken->pixel_format = frame->format->pixel_format;
  taken->width = frame->format->width;
  taken->height = frame->format->height;
  atomic_fetch_sub(&taken->inside, 1);
  atomic_fetch_add(&taken->count, 1);
}

static void callbacks_in_place_of_the_queue(void) {
  static const uint32_t clocks[] = {MSDK_CLOCK_VIRTUAL, MSDK_CLOCK_SYSTEM};
  for (int i = 0; i < 2; i++) {
    taken_frames taken = {0};
    call it = raw_call(clocks[i], NULL);
    CHECK_OK(msdk_incoming_video_set_frame_callback(it.incoming, on_frame, &taken));
    for (int n = 0; n < 10; n++) {
      CHECK_OK(send_picture(it.sender, (uint32_t)n, 0, NULL));
      if (clocks[i] == MSDK_CLOCK_VIRTUAL) run_for(it.engine, MS);
      WAIT_UNTIL(atomic_load(&taken.count) == n + 1);
    }
    CHECK_EQ(atomic_load(&taken.count), 10);
    CHECK_EQ(pthread_equal(taken.thread, pthread_self()) != 0, clocks[i] == MSDK_CLOCK_VIRTUAL);
    msdk_video_frame *frame = NULL;
    CHECK_RESULT(msdk_incoming_video_read(it.incoming, 0, &frame), MSDK_E_AGAIN);
    CHECK_OK(msdk_incoming_video_set_frame_callback(it.incoming, NULL, NULL));
    CHECK_OK(send_picture(it.sender, 11, 0, NULL));
    frame = frame_wait(&it);
    CHECK(frame != NULL);
    msdk_video_frame_unref(frame);
    CHECK_EQ(atomic_load(&taken.count), 10);
    call_close(&it);
  }
}

static void direct_delivery_is_on_the_sender_s_thread(void) {
  taken_frames taken = {0};
  msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
  receive.delivery = MSDK_DELIVERY_DIRECT;
  msdk_video_format format = format_of(MSDK_PIXEL_I420, 320, 240, 30);
  call it = raw_call(MSDK_CLOCK_SYSTEM, &receive);
  CHECK_OK(msdk_incoming_video_set_frame_callback(it.incoming, on_frame, &taken));
  for (int n = 0; n < 100; n++) {
    static owned_picture picture;
    msdk_video_frame *frame = wrap_picture(&picture, &format, (uint32_t)n);
    CHECK_OK(msdk_frame_sender_send(it.sender, frame, 0, NULL, NULL));
    CHECK_EQ(atomic_load(&taken.count), n + 1); /* before send returned */
    CHECK(pthread_equal(taken.thread, pthread_self()));
    CHECK(taken.last_data == frame->plane[0].data);
    msdk_video_frame_unref(frame);
    CHECK_EQ(atomic_load(&picture.released), 1);
  }
  call_close(&it);
}

static void frames_are_converted_to_what_is_wanted(void) {
  static const uint32_t sizes[][2] = {{0, 0}, {320, 240}, {160, 120}, {161, 91}, {641, 479}, {1, 1}, {17, 333}};
  for (int i = 0; i < PIXEL_FORMATS; i++) {
    for (size_t size = 0; size < sizeof sizes / sizeof sizes[0]; size++) {
      msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
      receive.pixel_format = pixel_formats[i];
      receive.width = sizes[size][0];
      receive.height = sizes[size][1];
      call it = raw_call(MSDK_CLOCK_VIRTUAL, &receive);
      CHECK_OK(send_picture(it.sender, 5, 777, NULL));
      msdk_video_frame *frame = frame_wait(&it);
      NEED(frame != NULL);
      CHECK_EQ(frame->format->pixel_format, pixel_formats[i]);
      CHECK_EQ(frame->format->width, sizes[size][0] != 0 ? sizes[size][0] : 320);
      CHECK_EQ(frame->format->height, sizes[size][1] != 0 ? sizes[size][1] : 240);
      CHECK_EQ(frame->timestamp_ns, 777);
      CHECK_EQ(frame->sequence, 1);
      if (is_yuv(pixel_formats[i]) && (size < 2)) { /* the same luma */
        msdk_video_frame *original = picture_new(MSDK_PIXEL_I420, 320, 240, 5);
        CHECK_RANGE(picture_psnr(original, frame), 99, 100);
        msdk_video_frame_unref(original);
      }
      msdk_video_frame_unref(frame);
      call_close(&it);
    }
  }
}

static msdk_result start_with(msdk_incoming_video *stream, msdk_incoming_video_options options) {
  msdk_incoming_video_stop(stream);
  return msdk_incoming_video_start(stream, &options);
}

static void bad_options_are_named(void) {
  call it = raw_call(MSDK_CLOCK_VIRTUAL, NULL);
#define REFUSED(word, ...)                                                                                                              \
  do {                                                                                                                                  \
    CHECK(start_with(it.incoming, (msdk_incoming_video_options){.struct_size = sizeof(msdk_incoming_video_options), __VA_ARGS__}) < 0); \
    CHECK_STR_CONTAINS(msdk_last_error(), word);                                                                                        \
  } while (0)
  REFUSED("pixel", .pixel_format = 5);
  REFUSED("width", .width = 100);
  REFUSED("height", .height = 100);
  REFUSED("16384", .width = 16385, .height = 100);
  REFUSED("height", .width = 100, .height = UINT32_MAX);
  REFUSED("delivery", .delivery = 2);
  REFUSED("output", .output = 3);
  REFUSED("queue_capacity", .queue_capacity = 65);
  REFUSED("encoded_queue_capacity", .encoded_queue_capacity = 1025, .output = MSDK_OUTPUT_ENCODED);
  REFUSED("queue_policy", .queue_policy = MSDK_POLICY_WAIT);
  REFUSED("queue_policy", .queue_policy = 99);
  CHECK_OK(msdk_incoming_video_start(it.incoming, NULL));
  CHECK_RESULT(msdk_incoming_video_start(it.incoming, NULL), MSDK_E_STATE); /* a second start */
  call_close(&it);
}

static void states_and_errors_of_reading(void) {
  call it = raw_call(MSDK_CLOCK_VIRTUAL, NULL);
  msdk_video_frame *frame = NULL;
  msdk_encoded_frame *encoded = NULL;
  uint32_t state;
  CHECK_OK(msdk_incoming_video_get_state(it.incoming, &state));
  CHECK_EQ(state, MSDK_INCOMING_STARTED);
  CHECK_ERROR(msdk_incoming_video_read(it.incoming, 0, NULL), MSDK_E_INVALID, "out");
  CHECK_RESULT(msdk_incoming_video_read(it.incoming, 0, &frame), MSDK_E_AGAIN);
  CHECK(msdk_incoming_video_read_encoded(it.incoming, 0, &encoded) < 0);
  CHECK_OK(msdk_incoming_video_stop(it.incoming));
  CHECK_OK(msdk_incoming_video_stop(it.incoming));
  CHECK_OK(msdk_incoming_video_get_state(it.incoming, &state));
  CHECK_EQ(state, MSDK_INCOMING_STOPPED);
  msdk_result result = msdk_incoming_video_read(it.incoming, 0, &frame);
  CHECK(result == MSDK_E_STATE || result == MSDK_E_CLOSED); /* stopped: both are true */
  CHECK_OK(msdk_incoming_video_start(it.incoming, NULL));
  CHECK_OK(send_picture(it.sender, 0, 0, NULL));
  run_for(it.engine, MS);
  CHECK_OK(msdk_session_stop_video(it.alice, it.outgoing)); /* what arrived can still be read */
  run_for(it.engine, MS);
  CHECK_OK(msdk_incoming_video_read(it.incoming, 0, &frame));
  msdk_video_frame_unref(frame);
  CHECK_RESULT(msdk_incoming_video_read(it.incoming, 0, &frame), MSDK_E_CLOSED);
  CHECK_OK(msdk_incoming_video_stop(it.incoming));
  CHECK_RESULT(msdk_incoming_video_start(it.incoming, NULL), MSDK_E_CLOSED);
  call_close(&it);
}

static pid_t reader;

static void *stop_what_is_read(void *stream) {
  wait_asleep(reader);
  CHECK_OK(msdk_incoming_video_stop(stream));
  return NULL;
}

static void stopping_wakes_readers(void) {
  call it = raw_call(MSDK_CLOCK_SYSTEM, NULL);
  pthread_t thread;
  reader = gettid();
  CHECK_EQ(pthread_create(&thread, NULL, stop_what_is_read, it.incoming), 0);
  msdk_video_frame *frame = NULL;
  CHECK_RESULT(msdk_incoming_video_read(it.incoming, MSDK_WAIT_FOREVER, &frame), MSDK_E_CLOSED);
  pthread_join(thread, NULL);
  call_close(&it);
}

static void nothing_is_received_before_the_start(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_I420, 320, 240, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  NEED(call_offer(&it, &options));
  send_film(&it, 0, 3, 10 * MS, NULL);
  CHECK_EQ(incoming_stats(it.incoming).frames_received, 0);
  CHECK_EQ(session_stats(it.bob).bytes_received, 0);
  uint32_t state;
  CHECK_OK(msdk_incoming_video_get_state(it.incoming, &state));
  CHECK_EQ(state, MSDK_INCOMING_AVAILABLE);
  call_close(&it);
}

int main(int argc, char **argv) {
  RUN(read_takes_the_oldest);
  RUN(full_queues_follow_their_policy);
  RUN(the_descriptor_tells_of_frames);
  RUN(callbacks_in_place_of_the_queue);
  RUN(direct_delivery_is_on_the_sender_s_thread);
  RUN(frames_are_converted_to_what_is_wanted);
  RUN(bad_options_are_named);
  RUN(states_and_errors_of_reading);
  RUN(stopping_wakes_readers);
  RUN(nothing_is_received_before_the_start);
  return check_finish();
}
