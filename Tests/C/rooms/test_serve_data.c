/* data.h and rpc.h in a room that a process serves: what is sent at the beginning, much of it, and at the end. */
#include "hosting.h"

static uint8_t message[MSDK_DATA_MAX];

/* What has come since: numbered, in order. */
static void take_numbered(msdk_session *session, int *count) {
  static uint8_t buffer[65536];
  msdk_data_message got = MSDK_INIT(msdk_data_message);
  while (msdk_session_read_data(session, &got, buffer, sizeof buffer) >= 0) {
    int number = -1;
    memcpy(&number, buffer, sizeof number);
    CHECK_EQ(number, (*count)++);
    CHECK_EQ(got.missed, 0);
  }
}

/* After `count` of them, until `wanted` have come; how many have. */
static int arrivals(msdk_session *session, int count, int wanted) {
  for (int64_t end = msdk_time_monotonic() + 60 * SECOND; count < wanted && msdk_time_monotonic() < end; sleep_ms(1)) take_numbered(session, &count);
  return count;
}

/* `reader` reads meanwhile; how many have come. */
static int send_numbered(msdk_session *session, int count, size_t size, msdk_session *reader) {
  int taken = 0;
  for (int number = 0; number < count; number++) {
    memcpy(message, &number, sizeof number);
    msdk_result sent;
    while ((sent = msdk_session_send_data(session, NULL, message, size)) == MSDK_E_AGAIN) {
      if (reader != NULL) take_numbered(reader, &taken);
      sleep_ms(1);
    }
    CHECK_OK(sent);
  }
  return taken;
}

/* Bob has sent nothing before: the connection in which he sends begins with the library's own word that the request has come. */
static void the_first_thing_sent_is_a_response(void) {
  for (int round = 0; round < 8; round++) {
    house it = house_new("127.0.0.1");
    end alice = guest(&it, "alice", ""), bob = guest(&it, "bob", "");
    CHECK_OK(msdk_session_rpc_register(bob.session, "greet"));
    CHECK(end_wait(&alice, MSDK_EVENT_PARTICIPANT_JOINED, 1));
    uint64_t call = 0;
    CHECK_OK(msdk_session_rpc_call(alice.session, "bob", "greet", "hello", 10000, &call));
    char payload[64];
    msdk_rpc_message got = MSDK_INIT(msdk_rpc_message);
    while (msdk_session_rpc_read(bob.session, &got, payload, sizeof payload) == MSDK_E_AGAIN) {}
    msdk_result responded;
    while ((responded = msdk_session_rpc_respond(bob.session, got.call, "good day")) == MSDK_E_AGAIN) sleep_ms(1);
    CHECK_OK(responded);
    got = MSDK_INIT(msdk_rpc_message);
    WAIT_UNTIL(msdk_session_rpc_read(alice.session, &got, payload, sizeof payload) != MSDK_E_AGAIN);
    CHECK_EQ(got.kind, MSDK_RPC_RESPONSE);
    house_close(&it);
  }
}

/* More at once than the server takes at once of a client. */
static void what_was_sent_arrives_before_its_sender_leaves(void) {
  house it = house_new("127.0.0.1");
  end bob = guest(&it, "bob", ""), carol = inmate(&it, "carol");
  for (int destroys = 0; destroys < 2; destroys++) {
    end alice = guest(&it, destroys ? "alice" : "anna", "");
    CHECK(end_wait(&bob, MSDK_EVENT_PARTICIPANT_JOINED, 2 + (uint32_t)destroys));
    CHECK(end_wait(&carol, MSDK_EVENT_PARTICIPANT_JOINED, 2 + (uint32_t)destroys));
    send_numbered(alice.session, 1500, 100, NULL);
    if (destroys) msdk_session_destroy(alice.session);
    else CHECK_OK(msdk_session_disconnect(alice.session));
    CHECK(end_wait(&bob, MSDK_EVENT_PARTICIPANT_LEFT, 1 + (uint32_t)destroys));
    CHECK_EQ(arrivals(bob.session, 0, 1500), 1500);
    CHECK_EQ(arrivals(carol.session, 0, 1500), 1500);
  }
  house_close(&it);
}

static void a_member_of_the_process_waits_for_a_client(void) {
  house it = house_new("127.0.0.1");
  end alice = inmate(&it, "alice"), bob = guest(&it, "bob", "");
  CHECK(end_wait(&alice, MSDK_EVENT_PARTICIPANT_JOINED, 1));
  int taken = send_numbered(alice.session, 600, MSDK_DATA_MAX, bob.session);
  CHECK_EQ(arrivals(bob.session, taken, 600), 600);
  CHECK(end_state(&bob, MSDK_SESSION_CONNECTED));
  house_close(&it);
}

int main(int argc, char **argv) {
  RUN(the_first_thing_sent_is_a_response);
  RUN(what_was_sent_arrives_before_its_sender_leaves);
  RUN(a_member_of_the_process_waits_for_a_client);
  return check_finish();
}
