/* rtp.h, serve.h: hosts that have a name. Neither a name server nor a network is needed. */
#include "hosting.h"
#include "process.h"

#define PRINT "AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99"

static void rtp_to_localhost(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  uint16_t port = wire_ports(8);
  char url[256];
  snprintf(url, sizeof url, "rtp://LocalHost:%u?local=127.0.0.1:%u", port + 4, port);
  end alice = end_new(engine, url);
  snprintf(url, sizeof url, "rtp://localhost:%u?local=127.0.0.1:%u", port, port + 4);
  end bob = end_new(engine, url);
  uint64_t needed = 0;
  CHECK_ERROR(msdk_session_get_local_sdp(alice.session, NULL, 0, &needed), MSDK_E_STATE, "\"localhost\"");
  NEED(end_connect(&bob));
  NEED(end_connect(&alice));
  show film = show_start(engine, &alice, &bob);
  CHECK(show_play(&film, 8));
  show_end(&film);
  char sdp[4096];
  CHECK_OK(msdk_session_get_local_sdp(alice.session, sdp, sizeof sdp, &needed));
  CHECK_STR_CONTAINS(sdp, "127.0.0.1");
  CHECK_OK(msdk_session_disconnect(alice.session));
  CHECK(end_connect(&alice));
  msdk_session_destroy(alice.session);
  msdk_session_destroy(bob.session);
  msdk_engine_destroy(engine);
}

/* [::1], where localhost is that too, is refused first. */
static void served_at_localhost(void) {
  house it = house_new("127.0.0.1");
  it.address = "localhost";
  end alice = inmate(&it, "alice"), bob = guest(&it, "bob", "");
  CHECK(end_wait(&alice, MSDK_EVENT_PARTICIPANT_JOINED, 1) && end_wait(&bob, MSDK_EVENT_PARTICIPANT_JOINED, 1));
  show film = show_start(it.away, &bob, &alice);
  CHECK(show_play(&film, 8));
  show_end(&film);
  house_close(&it);
}

/* RFC 6761, section 6.4. Both at once: where no name server answers, each takes the 10 s for which a name is waited for. */
static void names_that_do_not_exist(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  end both[] = {end_new(engine, "rtp://Nowhere.Invalid:5004"), end_new(engine, "livekit+wss://nowhere.invalid:5004#room=lobby&fingerprint=" PRINT)};
  for (int i = 0; i < 2; i++) CHECK_OK(msdk_session_connect(both[i].session));
  for (int i = 0; i < 2; i++) {
    msdk_result reason = end_reason(&both[i]);
    /* A name server says that the name does not exist; without one nobody does. */
    CHECK(reason == MSDK_E_NOT_FOUND || reason == MSDK_E_IO || reason == MSDK_E_TIMEOUT);
    CHECK_STR_CONTAINS(end_words(&both[i]), "nowhere.invalid");
  }
  msdk_engine_destroy(engine);
}

static void left_meanwhile(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  for (int i = 0; i < 20; i++) {
    end rtp = end_new(engine, "rtp://nowhere.invalid:5004"), room = end_new(engine, "livekit+wss://nowhere.invalid:1#room=a&fingerprint=" PRINT);
    CHECK_OK(msdk_session_connect(rtp.session));
    CHECK_OK(msdk_session_connect(room.session));
    msdk_session_disconnect(rtp.session); /* it may have ended already */
    msdk_session_destroy(rtp.session);
    msdk_session_destroy(room.session);
  }
  end last = end_new(engine, "rtp://nowhere.invalid:5004");
  CHECK_OK(msdk_session_connect(last.session));
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  int threads = process_threads();
  RUN(rtp_to_localhost);
  RUN(served_at_localhost);
  RUN(names_that_do_not_exist);
  RUN(left_meanwhile);
  /* A look-up cannot be cancelled. Until its thread has ended it has memory of the system's resolver, which a leak checker counts. */
  for (int i = 0; i < 1000 && process_threads() > threads; i++) usleep(10000);
  return check_finish();
}
