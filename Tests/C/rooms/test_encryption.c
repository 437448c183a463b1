/* encryption.h: members of a loopback room who encrypt what they send, and those who have the keys. */
#include "sending.h"

static const uint8_t secret[] = "a secret", other[] = "another";

static msdk_result set_key(msdk_session *session, const char *user, uint32_t index, const uint8_t *key) {
  return msdk_session_set_frame_key(session, user, index, key, strlen((const char *)key));
}

static msdk_session *join_encrypting(msdk_engine *engine, const char *url, const char *user) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = url;
  options.user_id = user;
  options.encrypt_frames = 1;
  msdk_session *session = NULL;
  CHECK_OK(msdk_session_create(engine, &options, &session));
  CHECK_OK(msdk_session_connect(session));
  CHECK(state_wait(engine, session, MSDK_SESSION_CONNECTED));
  return session;
}

/* Alice encrypts, and sends a stream with that codec to bob, who does or does not. */
static call call_encrypting(int bob_encrypts) {
  call it = {.engine = engine_new(MSDK_CLOCK_VIRTUAL)};
  snprintf(it.url, sizeof it.url, "%s", room_new());
  it.alice = join_encrypting(it.engine, it.url, "alice");
  it.bob = bob_encrypts ? join_encrypting(it.engine, it.url, "bob") : join(it.engine, it.url, "bob");
  return it;
}

static void offer(call *it) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_AUTO, &format, 1);
  options.queue_policy = MSDK_POLICY_WAIT;
  CHECK(call_offer(it, &options));
  CHECK_OK(msdk_incoming_video_start(it->incoming, NULL));
  run_for(it->engine, MS);
}

static uint32_t state_of(call *it, msdk_session *session) {
  msdk_event event;
  if (!CHECK(event_wait(it->engine, session, MSDK_EVENT_STREAM_ENCRYPTION, &event))) return 0;
  if (session == it->alice) {
    CHECK(event.outgoing_video == it->outgoing && event.incoming_video == NULL && strcmp(event.user_id, "") == 0);
  } else {
    CHECK(event.incoming_video == it->incoming && event.outgoing_video == NULL && strcmp(event.user_id, "alice") == 0);
  }
  CHECK_EQ(event.kind, MSDK_VIDEO_VIRTUAL);
  return event.state | (uint32_t)event.value << 16;
}

static void who_has_the_key_sees(void) {
  for (int encrypts = 0; encrypts < 2; encrypts++) {
    call it = call_encrypting(encrypts);
    CHECK_OK(set_key(it.alice, "alice", 5, secret));
    CHECK_OK(msdk_session_select_frame_key(it.alice, 5));
    CHECK_OK(set_key(it.bob, "alice", 5, secret));
    offer(&it);
    msdk_incoming_video_info info = MSDK_INIT(msdk_incoming_video_info);
    CHECK_OK(msdk_incoming_video_get_info(it.incoming, &info));
    CHECK_EQ(info.is_encrypted, 1);
    outcomes counted = {0};
    send_film(&it, 0, 10, SECOND / 30, &counted);
    run_for(it.engine, SECOND);
    CHECK_EQ(atomic_load(&counted.by_outcome[MSDK_OUTCOME_ENCODED]), 10);
    CHECK_EQ(incoming_stats(it.incoming).frames_decoded, 10);
    CHECK_EQ(state_of(&it, it.alice), MSDK_ENCRYPTION_ACTIVE | 5 << 16);
    CHECK_EQ(state_of(&it, it.bob), MSDK_ENCRYPTION_ACTIVE | 5 << 16);
    call_close(&it);
  }
}

static void without_the_key_nothing_is_seen(void) {
  call it = call_encrypting(1);
  CHECK_OK(set_key(it.alice, NULL, 0, secret));
  offer(&it);
  send_film(&it, 0, 5, SECOND / 30, NULL);
  CHECK_EQ(state_of(&it, it.bob), MSDK_ENCRYPTION_NO_KEY);
  CHECK_OK(set_key(it.bob, NULL, 0, other));
  send_film(&it, 5, 5, SECOND / 30, NULL);
  CHECK_EQ(state_of(&it, it.bob), MSDK_ENCRYPTION_WRONG_KEY);
  msdk_incoming_video_stats stats = incoming_stats(it.incoming);
  CHECK(stats.frames_received == 10 && stats.frames_decoded == 0 && stats.frames_dropped == 10 && stats.frames_lost == 0);
  msdk_video_frame *frame = NULL;
  CHECK_EQ(msdk_incoming_video_read(it.incoming, 0, &frame), MSDK_E_AGAIN);
  CHECK_OK(set_key(it.bob, "alice", 0, secret)); /* theirs comes before everybody's */
  send_film(&it, 10, 30, SECOND / 30, NULL);
  CHECK_EQ(state_of(&it, it.bob), MSDK_ENCRYPTION_ACTIVE);
  CHECK(incoming_stats(it.incoming).frames_decoded > 10);
  CHECK_OK(msdk_session_set_frame_key(it.bob, "alice", 0, NULL, 0));
  send_film(&it, 40, 5, SECOND / 30, NULL);
  CHECK_EQ(state_of(&it, it.bob), MSDK_ENCRYPTION_WRONG_KEY);
  call_close(&it);
}

static void nothing_leaves_without_a_key(void) {
  call it = call_encrypting(1);
  offer(&it);
  outcomes counted = {0};
  send_film(&it, 0, 5, SECOND / 30, &counted);
  CHECK_EQ(atomic_load(&counted.by_reason[MSDK_DROP_NO_KEY]), 5);
  CHECK_EQ(state_of(&it, it.alice), MSDK_ENCRYPTION_NO_KEY);
  CHECK_EQ(incoming_stats(it.incoming).frames_received, 0);
  call_close(&it);
}

static void a_ratchet_is_followed(void) {
  call it = call_encrypting(1);
  CHECK_OK(set_key(it.alice, NULL, 0, secret));
  CHECK_OK(set_key(it.bob, NULL, 0, secret));
  offer(&it);
  send_film(&it, 0, 5, SECOND / 30, NULL);
  CHECK_EQ(incoming_stats(it.incoming).frames_decoded, 5);
  CHECK_OK(msdk_session_ratchet_frame_key(it.alice, NULL, 0));
  CHECK_OK(msdk_session_ratchet_frame_key(it.alice, NULL, 0));
  send_film(&it, 5, 40, SECOND / 30, NULL);
  CHECK(incoming_stats(it.incoming).frames_decoded > 20);
  CHECK_ERROR(msdk_session_ratchet_frame_key(it.bob, "alice", 0), MSDK_E_NOT_FOUND, "is set");
  call_close(&it);
}

static void who_encrypts_takes_nothing_else(void) {
  call it = call_encrypting(1);
  msdk_session *carol = join(it.engine, it.url, "carol");
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  msdk_outgoing_video *stream = NULL;
  CHECK_OK(msdk_outgoing_video_create(it.engine, &options, &stream));
  CHECK_OK(msdk_session_start_video(carol, stream));
  msdk_event event;
  CHECK(event_wait(it.engine, carol, MSDK_EVENT_FRAME_SENDER_CHANGED, &event));
  it.sender = event.sender;
  NEED(CHECK(event_wait(it.engine, it.bob, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event)));
  CHECK_OK(msdk_incoming_video_start(event.incoming_video, NULL));
  msdk_incoming_video_info info = MSDK_INIT(msdk_incoming_video_info);
  CHECK_OK(msdk_incoming_video_get_info(event.incoming_video, &info));
  CHECK_EQ(info.is_encrypted, 0);
  send_film(&it, 0, 5, SECOND / 30, NULL);
  CHECK(event_wait(it.engine, it.bob, MSDK_EVENT_STREAM_ENCRYPTION, &event));
  CHECK_EQ(event.state, MSDK_ENCRYPTION_NOT_ENCRYPTED);
  CHECK_EQ(incoming_stats(event.incoming_video).frames_decoded, 0);
  /* Raw frames cannot be encrypted. */
  options.codec = MSDK_CODEC_RAW;
  msdk_outgoing_video *raw = NULL;
  CHECK_OK(msdk_outgoing_video_create(it.engine, &options, &raw));
  CHECK_ERROR(msdk_session_start_video(it.alice, raw), MSDK_E_UNSUPPORTED, "encrypt_frames");
  msdk_outgoing_video_destroy(raw);
  msdk_outgoing_video_destroy(stream);
  msdk_session_destroy(carol);
  call_close(&it);
}

static msdk_session *join_with_data(call *it, const char *user, uint32_t encrypts) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = it->url;
  options.user_id = user;
  options.encrypt_data = encrypts;
  msdk_session *session = NULL;
  CHECK_OK(msdk_session_create(it->engine, &options, &session));
  CHECK_OK(msdk_session_connect(session));
  CHECK(state_wait(it->engine, session, MSDK_SESSION_CONNECTED));
  return session;
}

/* What is said of the data of that participant next. */
static uint32_t data_state_of(call *it, msdk_session *session, const char *user) {
  msdk_event event;
  if (!CHECK(event_wait(it->engine, session, MSDK_EVENT_DATA_ENCRYPTION, &event))) return 0;
  CHECK(strcmp(event.user_id, user) == 0 && event.incoming_video == NULL);
  return event.state | (uint32_t)event.value << 16;
}

static int reads(msdk_session *session, const char *text) {
  char bytes[64] = "";
  msdk_data_message message = MSDK_INIT(msdk_data_message);
  if (msdk_session_read_data(session, &message, (uint8_t *)bytes, sizeof bytes) < 0) return text == NULL;
  return text != NULL && message.size == strlen(text) && memcmp(bytes, text, message.size) == 0 && strcmp(message.topic, "t") == 0;
}

static void data_is_encrypted(void) {
  call it = {.engine = engine_new(MSDK_CLOCK_VIRTUAL)};
  snprintf(it.url, sizeof it.url, "%s", room_new());
  it.alice = join_with_data(&it, "alice", 1);
  it.bob = join_with_data(&it, "bob", 1);
  msdk_session *carol = join_with_data(&it, "carol", 0);
  msdk_data_options options = MSDK_INIT(msdk_data_options);
  options.topic = "t";
  const uint8_t *hello = (const uint8_t *)"hello";
  CHECK_ERROR(msdk_session_send_data(it.alice, &options, hello, 5), MSDK_E_STATE, "encrypt_data");
  CHECK_OK(set_key(it.alice, NULL, 1, secret));
  CHECK_OK(msdk_session_select_frame_key(it.alice, 1));
  CHECK_OK(set_key(it.bob, "alice", 1, secret));
  CHECK_OK(msdk_session_send_data(it.alice, &options, hello, 5));
  run_for(it.engine, MS);
  CHECK_EQ(data_state_of(&it, it.bob, "alice"), MSDK_ENCRYPTION_ACTIVE | 1 << 16);
  CHECK(reads(it.bob, "hello"));
  CHECK_EQ(data_state_of(&it, carol, "alice"), MSDK_ENCRYPTION_NO_KEY | 1 << 16);
  CHECK(reads(carol, NULL));
  /* Who does not encrypt reads what they have the key for, and is not read. */
  CHECK_OK(set_key(carol, NULL, 1, secret));
  CHECK_OK(msdk_session_send_data(it.alice, &options, hello, 5));
  CHECK_OK(msdk_session_send_data(carol, &options, hello, 5));
  run_for(it.engine, MS);
  CHECK_EQ(data_state_of(&it, carol, "alice"), MSDK_ENCRYPTION_ACTIVE | 1 << 16);
  CHECK(reads(carol, "hello") && reads(it.bob, "hello") && reads(it.bob, NULL));
  CHECK_EQ(data_state_of(&it, it.bob, "carol"), MSDK_ENCRYPTION_NOT_ENCRYPTED);
  msdk_session_destroy(carol);
  call_close(&it);
}

static void bad_arguments_are_refused(void) {
  call it = call_encrypting(0);
  uint8_t longer[MSDK_FRAME_KEY_MAX + 1] = {1};
  CHECK_OK(msdk_session_set_frame_key(it.bob, NULL, MSDK_FRAME_KEY_INDEX_MAX, longer, MSDK_FRAME_KEY_MAX));
  CHECK_ERROR(msdk_session_set_frame_key(it.bob, NULL, 0, longer, sizeof longer), MSDK_E_RANGE, "0..256");
  CHECK_ERROR(msdk_session_set_frame_key(it.bob, NULL, MSDK_FRAME_KEY_INDEX_MAX + 1, longer, 1), MSDK_E_RANGE, "0..15");
  CHECK_ERROR(msdk_session_set_frame_key(it.bob, NULL, 0, NULL, 1), MSDK_E_INVALID, "key is NULL");
  CHECK_ERROR(msdk_session_set_frame_key(it.bob, "", 0, longer, 1), MSDK_E_INVALID, "user_id");
  CHECK_ERROR(msdk_session_set_frame_key(it.bob, "\xff", 0, longer, 1), MSDK_E_INVALID, "user_id");
  CHECK_EQ(msdk_session_select_frame_key(it.bob, UINT32_MAX), MSDK_E_RANGE);
  CHECK_EQ(msdk_session_ratchet_frame_key(it.bob, NULL, 16), MSDK_E_RANGE);
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = it.url;
  options.user_id = "carol";
  options.encrypt_frames = 2;
  msdk_session *session = NULL;
  CHECK_ERROR(msdk_session_create(it.engine, &options, &session), MSDK_E_UNSUPPORTED, "options.encrypt_frames");
  call_close(&it);
}

int main(int argc, char **argv) {
  RUN(who_has_the_key_sees);
  RUN(without_the_key_nothing_is_seen);
  RUN(nothing_leaves_without_a_key);
  RUN(a_ratchet_is_followed);
  RUN(who_encrypts_takes_nothing_else);
  RUN(data_is_encrypted);
  RUN(bad_arguments_are_refused);
  return check_finish();
}
