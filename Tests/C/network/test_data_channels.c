/* webrtc.h: messages between two sessions that the test joins by hand, over sockets of this machine. */
#include "wire.h"

static msdk_engine *engine;

static void describe(end *from);

static void deliver(end *from, uint32_t type) {
  char text[MSDK_SDP_MAX];
  uint32_t outcome = 0;
  if (!CHECK_OK(msdk_session_get_local_description(from->session, text, sizeof text, NULL))) return;
  if (!CHECK_OK(msdk_session_set_remote_description(from->other->session, type, text, &outcome))) return;
  if (outcome == MSDK_DESCRIPTION_APPLIED && type == MSDK_SDP_OFFER) describe(from->other);
}

static void describe(end *from) {
  uint32_t type = 0;
  if (msdk_session_describe(from->session, &type) >= 0) deliver(from, type);
}

static void carry(end *from, const msdk_event *event) {
  if (event->type == MSDK_EVENT_NEGOTIATION_NEEDED) describe(from);
  if (event->type != MSDK_EVENT_LOCAL_CANDIDATE) return;
  CHECK_OK(msdk_session_add_remote_candidate(from->other->session, event->text, event->user_id));
}

static void ends_open(end *alice, end *bob) {
  *alice = end_new(engine, "webrtc:?polite=0&loopback=1&receive=none");
  *bob = end_new(engine, "webrtc:?loopback=1&receive=none");
  alice->other = bob;
  bob->other = alice;
  alice->carry = bob->carry = carry;
  CHECK_OK(msdk_session_connect(alice->session));
  CHECK_OK(msdk_session_connect(bob->session));
}

static void messages_both_ways(void) {
  end alice, bob;
  ends_open(&alice, &bob);
  msdk_data_channel_options options = MSDK_INIT(msdk_data_channel_options);
  options.label = "chat";
  options.protocol = "json";
  options.flags = MSDK_DATA_CHANNEL_UNORDERED | MSDK_DATA_CHANNEL_LIMITED_RETRANSMITS;
  options.max_retransmits = 3;
  uint64_t channel = 0;
  CHECK_OK(msdk_session_open_data_channel(alice.session, &options, &channel));
  CHECK_OK(msdk_session_send_message(alice.session, channel, MSDK_MESSAGE_TEXT, (const uint8_t *)"hello", 5));
  NEED(CHECK(end_wait(&bob, MSDK_EVENT_MESSAGE_AVAILABLE, 1)));
  const msdk_event *opened = &bob.last[MSDK_EVENT_DATA_CHANNEL_OPENED];
  CHECK(strcmp(opened->text, "chat") == 0);
  CHECK(strcmp(opened->user_id, "json") == 0);
  CHECK_EQ(opened->direction, MSDK_DIRECTION_INCOMING);
  CHECK_EQ(opened->value, bob.last[MSDK_EVENT_MESSAGE_AVAILABLE].value);
  uint64_t theirs = opened->value, needed = 0;
  uint32_t type = 0;
  uint8_t buffer[16] = {0};
  CHECK_RESULT(msdk_session_read_message(bob.session, theirs, &type, NULL, 0, &needed), MSDK_E_BUFFER_SMALL);
  CHECK_EQ(needed, 5);
  CHECK_OK(msdk_session_read_message(bob.session, theirs, &type, buffer, 5, &needed));
  CHECK_EQ(type, MSDK_MESSAGE_TEXT);
  CHECK(memcmp(buffer, "hello", 5) == 0);
  CHECK_RESULT(msdk_session_read_message(bob.session, theirs, &type, buffer, 5, NULL), MSDK_E_AGAIN);
  CHECK_OK(msdk_session_send_message(bob.session, theirs, MSDK_MESSAGE_BINARY, NULL, 0));
  CHECK(end_wait(&alice, MSDK_EVENT_MESSAGE_AVAILABLE, 1));
  CHECK_OK(msdk_session_read_message(alice.session, channel, &type, NULL, 0, &needed));
  CHECK_EQ(type, MSDK_MESSAGE_BINARY);
  CHECK_EQ(needed, 0);
  CHECK_EQ(alice.last[MSDK_EVENT_DATA_CHANNEL_OPENED].direction, MSDK_DIRECTION_OUTGOING);
  CHECK_OK(msdk_session_close_data_channel(bob.session, theirs));
  CHECK(end_wait(&alice, MSDK_EVENT_DATA_CHANNEL_CLOSED, 1));
  CHECK(end_wait(&bob, MSDK_EVENT_DATA_CHANNEL_CLOSED, 1));
  CHECK_EQ(alice.last[MSDK_EVENT_DATA_CHANNEL_CLOSED].status, MSDK_OK);
  CHECK_RESULT(msdk_session_send_message(alice.session, channel, MSDK_MESSAGE_TEXT, buffer, 1), MSDK_E_NOT_FOUND);
  CHECK_RESULT(msdk_session_read_message(bob.session, theirs, NULL, NULL, 0, NULL), MSDK_E_NOT_FOUND);
  msdk_session_destroy(alice.session);
  msdk_session_destroy(bob.session);
}

static void much_is_sent_and_room_is_waited_for(void) {
  static uint8_t large[MSDK_MESSAGE_MAX], back[MSDK_MESSAGE_MAX];
  end alice, bob;
  ends_open(&alice, &bob);
  msdk_data_channel_options options = MSDK_INIT(msdk_data_channel_options);
  options.flags = MSDK_DATA_CHANNEL_NEGOTIATED;
  options.number = 9;
  uint64_t channel = 0, theirs = 0, bytes = 0;
  CHECK_OK(msdk_session_open_data_channel(alice.session, &options, &channel));
  CHECK_OK(msdk_session_open_data_channel(bob.session, &options, &theirs));
  CHECK_RESULT(msdk_session_open_data_channel(bob.session, &options, &bytes), MSDK_E_EXISTS);
  CHECK_OK(msdk_session_set_low_threshold(alice.session, channel, 1000));
  uint32_t sent = 0, received = 0;
  msdk_result result = MSDK_OK;
  while (sent < 16) {
    memset(large, (int)sent, sizeof large);
    result = msdk_session_send_message(alice.session, channel, MSDK_MESSAGE_BINARY, large, sizeof large);
    if (result < 0) break;
    sent++;
  }
  CHECK_EQ(result, MSDK_E_AGAIN);
  CHECK_RANGE(sent, 3, 4);
  CHECK_OK(msdk_session_get_unacknowledged_bytes(alice.session, channel, &bytes));
  CHECK_EQ(bytes, sent * (uint64_t)MSDK_MESSAGE_MAX);
  for (int tries = 0; tries < 12000 && received < sent; tries++) {
    end_look(&alice);
    received += msdk_session_read_message(bob.session, theirs, NULL, back, sizeof back, NULL) >= 0;
    sleep_ms(1);
  }
  CHECK_EQ(received, sent);
  memset(large, (int)(sent - 1), sizeof large);
  CHECK(memcmp(large, back, sizeof back) == 0);
  CHECK(end_wait(&alice, MSDK_EVENT_DATA_CHANNEL_LOW, 1));
  msdk_session_destroy(alice.session);
  msdk_session_destroy(bob.session);
}

static void what_is_wrong(void) {
  end other = end_new(engine, "loopback:here"), it = end_new(engine, "webrtc:");
  msdk_data_channel_options options = MSDK_INIT(msdk_data_channel_options);
  uint64_t channel = 0, bytes = 0;
  uint8_t byte = 0;
  CHECK_ERROR(msdk_session_open_data_channel(other.session, &options, &channel), MSDK_E_UNSUPPORTED, "accepted: webrtc:");
  CHECK_ERROR(msdk_session_open_data_channel(it.session, &options, &channel), MSDK_E_STATE, "msdk_session_connect");
  CHECK_OK(msdk_session_connect(it.session));
  CHECK_ERROR(msdk_session_open_data_channel(it.session, NULL, &channel), MSDK_E_INVALID, "options is NULL");
  CHECK_ERROR(msdk_session_open_data_channel(it.session, &options, NULL), MSDK_E_INVALID, "channel is NULL");
  options.number = 1;
  CHECK_ERROR(msdk_session_open_data_channel(it.session, &options, &channel), MSDK_E_RANGE, "options.number is 1");
  options.number = 0;
  options.flags = 16;
  CHECK_ERROR(msdk_session_open_data_channel(it.session, &options, &channel), MSDK_E_UNSUPPORTED, "options.flags is 16");
  options.flags = MSDK_DATA_CHANNEL_LIMITED_RETRANSMITS | MSDK_DATA_CHANNEL_LIMITED_LIFETIME;
  CHECK_ERROR(msdk_session_open_data_channel(it.session, &options, &channel), MSDK_E_INVALID, "one of them");
  CHECK_EQ(channel, 0);
  options.flags = 0;
  CHECK_OK(msdk_session_open_data_channel(it.session, &options, &channel));
  CHECK_ERROR(msdk_session_send_message(it.session, channel, 3, &byte, 1), MSDK_E_UNSUPPORTED, "type is 3");
  CHECK_ERROR(msdk_session_send_message(it.session, channel, MSDK_MESSAGE_TEXT, &byte, MSDK_MESSAGE_MAX + 1), MSDK_E_RANGE, "262144");
  CHECK_ERROR(msdk_session_send_message(it.session, channel, MSDK_MESSAGE_TEXT, NULL, 1), MSDK_E_INVALID, "data is NULL");
  CHECK_RESULT(msdk_session_send_message(it.session, channel + 1000, MSDK_MESSAGE_TEXT, &byte, 1), MSDK_E_NOT_FOUND);
  CHECK_ERROR(msdk_session_get_unacknowledged_bytes(it.session, channel, NULL), MSDK_E_INVALID, "out is NULL");
  CHECK_OK(msdk_session_get_unacknowledged_bytes(it.session, channel, &bytes));
  CHECK_OK(msdk_session_close_data_channel(it.session, channel));
  CHECK(end_wait(&it, MSDK_EVENT_DATA_CHANNEL_CLOSED, 1));
  CHECK_RESULT(msdk_session_set_low_threshold(it.session, channel, 0), MSDK_E_NOT_FOUND);
  /* Channels end with the connection. */
  CHECK_OK(msdk_session_disconnect(it.session));
  CHECK_ERROR(msdk_session_open_data_channel(it.session, &options, &channel), MSDK_E_STATE, "msdk_session_connect");
  msdk_session_destroy(it.session);
  msdk_session_destroy(other.session);
}

int main(int argc, char **argv) {
  engine = engine_new(MSDK_CLOCK_SYSTEM);
  RUN(what_is_wrong);
  RUN(messages_both_ways);
  RUN(much_is_sent_and_room_is_waited_for);
  msdk_engine_destroy(engine);
  return check_finish();
}
