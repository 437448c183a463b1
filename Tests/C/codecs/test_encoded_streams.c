/* Encoded frames out of the encoder, into the program, into a stream, and what damaged ones do. */
#include "ivf.h"
#include "sending.h"

static ivf_clip clip;

static call encoded_input_call(uint32_t output) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 1280, 720, 25);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  options.encoded_input = 1;
  msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
  receive.output = output;
  return call_open(MSDK_CLOCK_VIRTUAL, &options, &receive);
}

static msdk_result send_encoded(call *it, const uint8_t *data, uint64_t size, int64_t timestamp_ns, outcomes *counted) {
  msdk_encoded_frame *frame = encoded_of(data, size, timestamp_ns);
  if (frame == NULL) return MSDK_E_CORRUPT;
  msdk_result result = msdk_frame_sender_send_encoded(it->sender, frame, timestamp_ns, counted != NULL ? on_report : NULL, counted);
  msdk_encoded_frame_unref(frame);
  run_for(it->engine, SECOND / 25);
  return result;
}

static int read_all(call *it, uint64_t *hash) {
  int frames = 0;
  msdk_video_frame *frame = NULL;
  while (msdk_incoming_video_read(it->incoming, 0, &frame) >= 0) {
    if (hash != NULL) *hash = picture_hash(*hash, frame);
    CHECK_EQ(frame->format->width, 1280);
    CHECK_EQ(frame->format->height, 720);
    frames++;
    msdk_video_frame_unref(frame);
  }
  return frames;
}

static uint32_t clip_frames(void) { return under_tools() ? 30 : clip.count; }

static void the_program_s_vp8_is_sent_and_decoded(void) {
  outcomes counted = {0};
  call it = encoded_input_call(MSDK_OUTPUT_RAW);
  int received = 0;
  uint64_t bytes = 0, hash = HASH_START;
  for (uint32_t i = 0; i < clip_frames(); i++) {
    CHECK_OK(send_encoded(&it, clip.frame[i].data, clip.frame[i].size, 1000 + i, &counted));
    bytes += clip.frame[i].size;
    received += read_all(&it, &hash);
  }
  CHECK_EQ(received, clip_frames());
  CHECK_EQ(atomic_load(&counted.by_outcome[MSDK_OUTCOME_SENT]), clip_frames());
  CHECK_EQ(atomic_load(&counted.bytes), bytes);
  CHECK_EQ(incoming_stats(it.incoming).bytes_received, bytes);
  CHECK_EQ(incoming_stats(it.incoming).frames_corrupt, 0);
  check_outcomes_add_up(it.outgoing);
  msdk_video_frame *raw = picture_new(MSDK_PIXEL_NV12, 1280, 720, 0);
  CHECK(msdk_frame_sender_send(it.sender, raw, 0, NULL, NULL) < 0); /* encoded frames only */
  CHECK_STR_CONTAINS(msdk_last_error(), "encoded");
  msdk_video_frame_unref(raw);
  CHECK_RESULT(msdk_frame_sender_send_encoded(it.sender, NULL, 0, NULL, NULL), MSDK_E_HANDLE);
  call_close(&it);
}

static void frames_arrive_as_they_were_sent(void) {
  call it = encoded_input_call(MSDK_OUTPUT_BOTH);
  for (uint32_t i = 0; i < 20; i++) {
    CHECK_OK(send_encoded(&it, clip.frame[i].data, clip.frame[i].size, 500 + i, NULL));
    msdk_encoded_frame *frame = NULL;
    CHECK_OK(msdk_incoming_video_read_encoded(it.incoming, 0, &frame));
    NEED(frame != NULL);
    CHECK_EQ(frame->size, clip.frame[i].size);
    CHECK(memcmp(frame->data, clip.frame[i].data, clip.frame[i].size) == 0);
    CHECK_EQ(frame->timestamp_ns, 500 + i);
    CHECK_EQ(frame->sequence, i + 1);
    CHECK_EQ((frame->flags & MSDK_ENCODED_KEY) != 0, (clip.frame[i].data[0] & 1) == 0);
    msdk_encoded_frame_unref(frame);
    CHECK_EQ(read_all(&it, NULL), 1); /* and as pictures */
  }
  CHECK_ERROR(msdk_incoming_video_read_encoded(it.incoming, 0, NULL), MSDK_E_INVALID, "out");
  call_close(&it);
}

static void without_pictures_nothing_is_decoded(void) {
  call it = encoded_input_call(MSDK_OUTPUT_ENCODED);
  for (uint32_t i = 0; i < 10; i++) CHECK_OK(send_encoded(&it, clip.frame[i].data, clip.frame[i].size, i, NULL));
  CHECK_EQ(incoming_stats(it.incoming).frames_decoded, 0);
  CHECK_EQ(incoming_stats(it.incoming).frames_received, 10);
  msdk_encoded_frame *frame = NULL;
  for (int i = 0; i < 10; i++) {
    CHECK_OK(msdk_incoming_video_read_encoded(it.incoming, 0, &frame));
    msdk_encoded_frame_unref(frame);
  }
  CHECK_RESULT(msdk_incoming_video_read_encoded(it.incoming, 0, &frame), MSDK_E_AGAIN);
  call_close(&it);
}

static void a_receiver_asks_the_program_for_a_key_frame(void) {
  call it = encoded_input_call(MSDK_OUTPUT_RAW);
  CHECK_OK(send_encoded(&it, clip.frame[0].data, clip.frame[0].size, 1, NULL));
  msdk_event event = MSDK_INIT(msdk_event);
  event_take(it.alice, MSDK_EVENT_KEY_FRAME_REQUESTED, &event);
  CHECK_OK(msdk_incoming_video_request_key_frame(it.incoming));
  run_for(it.engine, MS);
  CHECK(event_take(it.alice, MSDK_EVENT_KEY_FRAME_REQUESTED, &event));
  CHECK(event.outgoing_video == it.outgoing);
  call_close(&it);
}

/* Damage inside a frame: refused at once, or not decodable, or decoded into something; never a crash, and a key frame mends it. */
static void damaged_frames_are_recovered_from(void) {
  call it = encoded_input_call(MSDK_OUTPUT_RAW);
  uint64_t seed = 3;
  uint8_t *copy = malloc(1 << 20);
  CHECK_OK(send_encoded(&it, clip.frame[0].data, clip.frame[0].size, 1, NULL));
  CHECK_EQ(read_all(&it, NULL), 1);
  for (uint32_t i = 1; i < 30; i++) {
    uint32_t size = clip.frame[i].size;
    memcpy(copy, clip.frame[i].data, size);
    if (i % 3 == 0) size = 1 + random_below(&seed, size - 1); /* cut */
    else for (int n = 0; n < 20; n++) copy[random_below(&seed, size)] = (uint8_t)random_next(&seed);
    msdk_result result = send_encoded(&it, copy, size, 100 + i, NULL);
    CHECK(result >= 0 || result == MSDK_E_CORRUPT || result == MSDK_E_FORMAT);
    read_all(&it, NULL);
  }
  for (int n = 0; n < 3; n++) { /* rubbish with the header of a key frame */
    memcpy(copy, clip.frame[0].data, 10);
    for (int i = 10; i < 30000; i++) copy[i] = (uint8_t)random_next(&seed);
    send_encoded(&it, copy, 30000, 200 + n, NULL);
    read_all(&it, NULL);
  }
  CHECK_OK(send_encoded(&it, clip.frame[0].data, clip.frame[0].size, 300, NULL));
  CHECK_OK(send_encoded(&it, clip.frame[1].data, clip.frame[1].size, 301, NULL));
  CHECK_EQ(read_all(&it, NULL), 2);
  check_outcomes_add_up(it.outgoing);
  free(copy);
  call_close(&it);
}

static void another_size_than_agreed_is_refused(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 640, 360, 25);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  options.encoded_input = 1;
  options.limits = MSDK_LIMITS_CONFERENCE;
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  CHECK_RESULT(send_encoded(&it, clip.frame[0].data, clip.frame[0].size, 1, NULL), MSDK_E_FORMAT);
  CHECK_STR_CONTAINS(msdk_last_error(), "1280x720");
  call_close(&it);
}

static msdk_instance *writer_of(call *it, const char *file, const char *id, const char *path) {
  char plugin[4096];
  snprintf(plugin, sizeof plugin, "%s/%s.so", getenv("MSDK_PLUGIN_DIR"), file);
  CHECK_OK(msdk_engine_load_plugin(it->engine, plugin));
  msdk_instance *instance = NULL;
  CHECK_OK(msdk_instance_create(it->engine, id, NULL, &instance));
  CHECK_OK(msdk_instance_set_param_text(instance, "path", path));
  CHECK_OK(msdk_incoming_video_attach_renderer(it->incoming, instance, NULL));
  return instance;
}

/* Only key frames say their size; renderers of encoded frames want to know that of all. */
static void what_is_pushed_in_can_be_recorded(void) {
  enum { FRAMES = 25 };
  call it = encoded_input_call(MSDK_OUTPUT_ENCODED);
  msdk_instance *film = writer_of(&it, "filerenderer", "org.mediasdk.renderer.file", "pushed.ivf");
  msdk_instance *call_file = writer_of(&it, "recorder", "org.mediasdk.renderer.recorder", "pushed.webm");
  for (uint32_t i = 0; i < FRAMES; i++) {
    CHECK_OK(send_encoded(&it, clip.frame[i].data, clip.frame[i].size, (1 + i) * (SECOND / 25), NULL));
    msdk_encoded_frame *frame = NULL;
    CHECK_OK(msdk_incoming_video_read_encoded(it.incoming, 0, &frame));
    NEED(frame != NULL);
    CHECK_EQ(frame->width, 1280);
    CHECK_EQ(frame->height, 720);
    msdk_encoded_frame_unref(frame);
  }
  CHECK_EQ(incoming_stats(it.incoming).frames_rendered, FRAMES);
  CHECK_OK(msdk_incoming_video_detach_renderer(it.incoming, film)); /* it is attached still */
  CHECK_OK(msdk_incoming_video_detach_renderer(it.incoming, call_file));
  msdk_instance_destroy(film);
  msdk_instance_destroy(call_file);
  call_close(&it);
}

/* The head of a key frame names its size (RFC 6386, section 9.1); what follows has it. */
static void sizes_follow_the_last_key_frame(void) {
  static const uint16_t sizes[][2] = {{1280, 720}, {640, 360}, {176, 144}, {175, 143}};
  msdk_video_format formats[] = {format_of(MSDK_PIXEL_NV12, 1280, 720, 25), format_of(MSDK_PIXEL_NV12, 640, 360, 25)};
  for (int extended = 0; extended < 2; extended++) {
    msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, formats, 2);
    options.encoded_input = 1;
    options.limits = extended ? MSDK_LIMITS_EXTENDED : MSDK_LIMITS_CONFERENCE;
    msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
    receive.output = MSDK_OUTPUT_ENCODED;
    call it = call_open(MSDK_CLOCK_VIRTUAL, &options, &receive);
    uint8_t *key = malloc(clip.frame[0].size);
    memcpy(key, clip.frame[0].data, clip.frame[0].size);
    for (int size = 0; size < 4; size++) {
      for (int i = 0; i < 2; i++) key[6 + 2 * i] = (uint8_t)sizes[size][i], key[7 + 2 * i] = (uint8_t)(sizes[size][i] >> 8);
      msdk_result result = send_encoded(&it, key, clip.frame[0].size, 1, NULL);
      if (size >= 2 && !extended) { /* not declared */
        CHECK_ERROR(result, MSDK_E_FORMAT, "1280x720, 640x360");
        continue;
      }
      CHECK_OK(result);
      CHECK_OK(send_encoded(&it, clip.frame[1].data, clip.frame[1].size, 2, NULL));
      for (int i = 0; i < 2; i++) {
        msdk_encoded_frame *frame = NULL;
        CHECK_OK(msdk_incoming_video_read_encoded(it.incoming, 0, &frame));
        NEED(frame != NULL);
        CHECK_EQ(frame->width, sizes[size][0]);
        CHECK_EQ(frame->height, sizes[size][1]);
        msdk_encoded_frame_unref(frame);
      }
    }
    free(key);
    call_close(&it);
  }
}

/* ------------------------------------------------------------------------------------- out of one stream and into another */

typedef struct relay {
  call *to;
  atomic_int frames, keys;
  uint64_t last_sequence;
} relay;

static void on_encoded(void *user, const msdk_encoded_frame *frame) {
  relay *it = user;
  CHECK_EQ(frame->codec, MSDK_CODEC_VP8);
  CHECK(frame->sequence > it->last_sequence);
  it->last_sequence = frame->sequence;
  atomic_fetch_add(&it->frames, 1);
  atomic_fetch_add(&it->keys, (frame->flags & MSDK_ENCODED_KEY) != 0);
  if (it->to != NULL) {
    CHECK_OK(msdk_encoded_frame_ref(frame));
    CHECK_OK(msdk_frame_sender_send_encoded(it->to->sender, frame, 0, NULL, NULL));
    CHECK_OK(msdk_encoded_frame_unref(frame));
  }
}

static call small_call(uint32_t encoded_input, int receive) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  options.encoded_input = encoded_input;
  call it = call_join(MSDK_CLOCK_VIRTUAL);
  if (call_offer(&it, &options) && receive) CHECK_OK(msdk_incoming_video_start(it.incoming, NULL));
  run_for(it.engine, MS);
  return it;
}

static void what_the_encoder_makes_can_be_sent_on(void) {
  call first = small_call(0, 1), second = small_call(1, 1);
  relay it = {.to = &second};
  CHECK_OK(msdk_outgoing_video_set_encoded_callback(first.outgoing, on_encoded, &it));
  for (uint32_t i = 0; i < 40; i++) {
    CHECK_OK(send_picture(first.sender, i, 0, NULL));
    run_for(first.engine, SECOND / 30);
    run_for(second.engine, SECOND / 30);
    msdk_video_frame *a = NULL, *b = NULL;
    CHECK_OK(msdk_incoming_video_read(first.incoming, 0, &a));
    CHECK_OK(msdk_incoming_video_read(second.incoming, 0, &b));
    NEED(a != NULL && b != NULL);
    CHECK(picture_hash(HASH_START, a) == picture_hash(HASH_START, b)); /* the very same bits */
    CHECK_EQ(a->timestamp_ns, b->timestamp_ns);
    msdk_video_frame_unref(a);
    msdk_video_frame_unref(b);
  }
  CHECK_EQ(atomic_load(&it.frames), 40);
  call_close(&first);
  call_close(&second);
}

static void the_encoder_works_for_the_callback_alone(void) {
  outcomes counted = {0};
  call it = small_call(0, 0);
  relay taken = {0};
  CHECK_OK(msdk_outgoing_video_set_encoded_callback(it.outgoing, on_encoded, &taken));
  send_film(&it, 0, 10, SECOND / 30, &counted);
  CHECK_EQ(atomic_load(&taken.frames), 10);
  CHECK_EQ(atomic_load(&taken.keys), 1);
  CHECK_EQ(atomic_load(&counted.by_outcome[MSDK_OUTCOME_ENCODED]), 10);
  CHECK_OK(msdk_outgoing_video_set_encoded_callback(it.outgoing, NULL, NULL));
  send_film(&it, 10, 3, SECOND / 30, &counted);
  CHECK_EQ(atomic_load(&taken.frames), 10);
  CHECK_EQ(atomic_load(&counted.by_reason[MSDK_DROP_NO_RECEIVER]), 3);
  check_outcomes_add_up(it.outgoing);
  call_close(&it);
}

int main(int argc, char **argv) {
  if (!CHECK(ivf_open(&clip))) return check_finish();
  RUN(the_program_s_vp8_is_sent_and_decoded);
  RUN(frames_arrive_as_they_were_sent);
  RUN(without_pictures_nothing_is_decoded);
  RUN(a_receiver_asks_the_program_for_a_key_frame);
  RUN(damaged_frames_are_recovered_from);
  RUN(another_size_than_agreed_is_refused);
  RUN(what_is_pushed_in_can_be_recorded);
  RUN(sizes_follow_the_last_key_frame);
  RUN(what_the_encoder_makes_can_be_sent_on);
  RUN(the_encoder_works_for_the_callback_alone);
  ivf_close(&clip);
  return check_finish();
}
