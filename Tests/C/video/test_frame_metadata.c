/* frame.h: what a program sends with a frame, and where it is refused. */
#include "sending.h"

#include "ivf.h"

static msdk_frame_metadata metadata_of(const char *text, uint32_t frame_id, uint64_t timestamp) {
  msdk_frame_metadata metadata = MSDK_INIT(msdk_frame_metadata);
  metadata.frame_id = frame_id;
  metadata.user_timestamp_us = timestamp;
  metadata.user_data_size = (uint32_t)strlen(text);
  memcpy(metadata.user_data, text, strlen(text));
  return metadata;
}

static int is_same(const msdk_frame_metadata *one, const msdk_frame_metadata *other) {
  return one->frame_id == other->frame_id && one->user_timestamp_us == other->user_timestamp_us &&
         one->user_data_size == other->user_data_size && memcmp(one->user_data, other->user_data, one->user_data_size) == 0;
}

static msdk_frame_metadata read_of(const msdk_video_frame *frame) {
  msdk_frame_metadata metadata;
  memset(&metadata, 0xFF, sizeof metadata);
  metadata.struct_size = sizeof metadata;
  CHECK_OK(msdk_video_frame_get_metadata(frame, &metadata));
  return metadata;
}

static const msdk_frame_metadata none;

static void what_is_set_is_read(void) {
  msdk_video_frame *frame = picture_new(MSDK_PIXEL_I420, 64, 64, 0);
  msdk_frame_metadata got = read_of(frame);
  CHECK(is_same(&got, &none));
  for (uint32_t bits = 0; bits < 8; bits++) {
    msdk_frame_metadata set = metadata_of(bits & 1 ? "some text" : "", bits & 2 ? UINT32_MAX : 0, bits & 4 ? UINT64_MAX : 0);
    CHECK_OK(msdk_video_frame_set_metadata(frame, &set));
    got = read_of(frame);
    CHECK(is_same(&got, &set));
    for (uint32_t i = got.user_data_size; i < MSDK_FRAME_USER_DATA_MAX; i++) CHECK_EQ(got.user_data[i], 0);
  }
  msdk_video_frame *copy = NULL;
  msdk_video_format wanted = format_of(MSDK_PIXEL_BGRA, 32, 32, 0);
  wanted.fps_den = 0;
  CHECK_OK(msdk_video_frame_convert(frame, &wanted, &copy));
  msdk_frame_metadata copied = read_of(copy);
  CHECK(is_same(&copied, &got));
  CHECK_OK(msdk_video_frame_set_metadata(frame, NULL));
  got = read_of(frame);
  CHECK(is_same(&got, &none));
  msdk_video_frame_unref(copy);
  msdk_video_frame_unref(frame);
}

static void so_much_fits(void) {
  static const struct { uint32_t frame_id; uint64_t timestamp; uint32_t room; } rooms[] = {{0, 0, 248}, {1, 0, 242}, {0, 1, 238}, {1, 1, 232}};
  msdk_video_frame *frame = picture_new(MSDK_PIXEL_I420, 64, 64, 0);
  for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
    msdk_frame_metadata set = metadata_of("", rooms[i].frame_id, rooms[i].timestamp);
    memset(set.user_data, 0xA5, sizeof set.user_data);
    set.user_data_size = rooms[i].room;
    CHECK_OK(msdk_video_frame_set_metadata(frame, &set));
    msdk_frame_metadata got = read_of(frame);
    CHECK(is_same(&got, &set));
    for (uint64_t size = rooms[i].room + UINT64_C(1); size <= UINT32_MAX; size = size * 16 + 7) {
      set.user_data_size = (uint32_t)size;
      CHECK_RESULT(msdk_video_frame_set_metadata(frame, &set), MSDK_E_RANGE);
      CHECK(strstr(msdk_last_error(), "user_data_size") != NULL);
    }
    got = read_of(frame);
    CHECK_EQ(got.user_data_size, rooms[i].room);
  }
  msdk_frame_metadata set = metadata_of("x", 0, 0);
  set.reserved0 = 1;
  CHECK_RESULT(msdk_video_frame_set_metadata(frame, &set), MSDK_E_UNSUPPORTED);
  CHECK_RESULT(msdk_video_frame_set_metadata(NULL, &set), MSDK_E_HANDLE);
  CHECK_RESULT(msdk_video_frame_get_metadata(frame, NULL), MSDK_E_INVALID);
  CHECK_OK(msdk_video_frame_ref(frame));
  set.reserved0 = 0;
  CHECK_RESULT(msdk_video_frame_set_metadata(frame, &set), MSDK_E_INVALID);
  msdk_video_frame_unref(frame);
  CHECK_OK(msdk_video_frame_set_metadata(frame, &set));
  msdk_video_frame_unref(frame);
}

/* From one member to another, raw and by VP8, of a stream that carries it or does not. */
static void it_comes_with_its_frame(void) {
  for (uint32_t bits = 0; bits < 4; bits++) {
    msdk_video_format format = format_of(MSDK_PIXEL_I420, 320, 240, 30);
    msdk_outgoing_video_options options = outgoing_options(bits & 1 ? MSDK_CODEC_VP8 : MSDK_CODEC_RAW, &format, 1);
    options.queue_policy = MSDK_POLICY_WAIT;
    options.carries_metadata = bits >> 1;
    call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
    msdk_incoming_video_info info = MSDK_INIT(msdk_incoming_video_info);
    CHECK_OK(msdk_incoming_video_get_info(it.incoming, &info));
    CHECK_EQ(info.carries_metadata, bits >> 1);
    for (uint32_t number = 1; number <= 10; number++) {
      char text[16];
      snprintf(text, sizeof text, "frame %u", number);
      msdk_frame_metadata sent = metadata_of(number % 4 == 0 ? "" : text, number % 4 == 0 ? 0 : number, 0);
      msdk_video_frame *frame = NULL;
      CHECK_OK(msdk_frame_sender_acquire(it.sender, 1000, &frame));
      NEED(frame != NULL);
      msdk_frame_metadata before = read_of(frame);
      CHECK(is_same(&before, &none));
      picture_draw(frame, number);
      CHECK_OK(msdk_video_frame_set_metadata(frame, &sent));
      CHECK_OK(msdk_frame_sender_send(it.sender, frame, 0, NULL, NULL));
      CHECK_RESULT(msdk_video_frame_set_metadata(frame, &sent), MSDK_E_INVALID);
      msdk_video_frame_unref(frame);
      run_for(it.engine, SECOND / 30);
      msdk_video_frame *received = frame_wait(&it);
      NEED(received != NULL);
      CHECK_EQ(received->sequence, number);
      msdk_frame_metadata got = read_of(received);
      CHECK(is_same(&got, bits >> 1 ? &sent : &none));
      CHECK_RESULT(msdk_video_frame_set_metadata(received, &sent), MSDK_E_INVALID);
      msdk_video_frame_unref(received);
    }
    call_close(&it);
  }
}

static void encoded_frames_have_it_too(void) {
  static ivf_clip clip;
  NEED(ivf_open(&clip));
  msdk_video_format format = format_of(MSDK_PIXEL_I420, 1280, 720, 25);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  options.encoded_input = options.carries_metadata = 1;
  msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
  receive.output = MSDK_OUTPUT_BOTH;
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, &receive);
  for (uint32_t number = 0; number < 10; number++) {
    ivf_frame bits = clip.frame[number];
    msdk_encoded_frame *frame = encoded_of(bits.data, bits.size, 0), *received = NULL;
    NEED(frame != NULL);
    msdk_frame_metadata sent = metadata_of("bits", number + 1, 7), got = MSDK_INIT(msdk_frame_metadata);
    CHECK_OK(msdk_encoded_frame_set_metadata(frame, &sent));
    CHECK_EQ(frame->size, bits.size);
    CHECK_OK(msdk_frame_sender_send_encoded(it.sender, frame, 0, NULL, NULL));
    msdk_encoded_frame_unref(frame);
    run_for(it.engine, SECOND / 25);
    msdk_video_frame *picture = frame_wait(&it);
    NEED(picture != NULL);
    got = read_of(picture);
    CHECK(is_same(&got, &sent));
    msdk_video_frame_unref(picture);
    CHECK_OK(msdk_incoming_video_read_encoded(it.incoming, 1000, &received));
    NEED(received != NULL);
    CHECK_EQ(received->size, bits.size);
    CHECK(memcmp(received->data, bits.data, bits.size) == 0);
    got = MSDK_INIT(msdk_frame_metadata);
    CHECK_OK(msdk_encoded_frame_get_metadata(received, &got));
    CHECK(is_same(&got, &sent));
    CHECK_RESULT(msdk_encoded_frame_set_metadata(received, &sent), MSDK_E_INVALID);
    msdk_encoded_frame_unref(received);
  }
  call_close(&it);
  ivf_close(&clip);
}

int main(int argc, char **argv) {
  RUN(what_is_set_is_read);
  RUN(so_much_fits);
  RUN(it_comes_with_its_frame);
  RUN(encoded_frames_have_it_too);
  return check_finish();
}
