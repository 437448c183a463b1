/* rtp.h: sessions whose packets are protected. The keys' sizes and times, media under each suite, and what comes of wrong keys. */
#include "wire.h"

typedef struct suite {
  const char *name;
  uint64_t size;
} suite;
static const suite suites[] = {{"AES_CM_128_HMAC_SHA1_80", 30}, {"AEAD_AES_128_GCM", 28}, {"AEAD_AES_256_GCM", 44}};
enum { SUITES = sizeof suites / sizeof *suites, LONGEST = 44 };

static void keys_of(uint8_t *alice, uint8_t *bob) {
  for (int i = 0; i < LONGEST; i++) {
    alice[i] = (uint8_t)(i * 7 + 3);
    bob[i] = (uint8_t)(i * 11 + 5);
  }
}

static void sizes_and_states(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  uint8_t own[64] = {1}, theirs[64] = {2};
  for (int i = 0; i < SUITES; i++) {
    char url[128];
    uint64_t size = suites[i].size, other = suites[(i + 1) % SUITES].size;
    uint16_t port = wire_ports(4);
    snprintf(url, sizeof url, "rtp://127.0.0.1:%u?local=%u&srtp=%s", port + 2, port, suites[i].name);
    end it = end_new(engine, url);
    CHECK_ERROR(msdk_session_connect(it.session), MSDK_E_STATE, "msdk_session_set_srtp_keys");
    CHECK(end_state(&it, MSDK_SESSION_IDLE));
    CHECK_ERROR(msdk_session_get_local_sdp(it.session, NULL, 0, NULL), MSDK_E_STATE, "msdk_session_set_srtp_keys");
    CHECK_ERROR(msdk_session_set_srtp_keys(it.session, NULL, size, theirs, size), MSDK_E_INVALID, "own");
    CHECK_ERROR(msdk_session_set_srtp_keys(it.session, own, size, NULL, size), MSDK_E_INVALID, "theirs");
    CHECK_ERROR(msdk_session_set_srtp_keys(it.session, NULL, 0, NULL, 0), MSDK_E_INVALID, "own");
    static const uint64_t sizes[] = {0, 1, 16, 27, 29, 31, 64, 65, UINT64_MAX};
    for (size_t n = 0; n < sizeof sizes / sizeof sizes[0]; n++) {
      CHECK_ERROR(msdk_session_set_srtp_keys(it.session, own, sizes[n], theirs, size), MSDK_E_INVALID, "own");
      CHECK_ERROR(msdk_session_set_srtp_keys(it.session, own, size, theirs, sizes[n]), MSDK_E_INVALID, "theirs");
    }
    CHECK_ERROR(msdk_session_set_srtp_keys(it.session, own, other, theirs, other), MSDK_E_INVALID, "own");
    CHECK_RESULT(msdk_session_connect(it.session), MSDK_E_STATE); /* none of these were taken */
    CHECK_OK(msdk_session_set_srtp_keys(it.session, own, size, theirs, size));
    CHECK_OK(msdk_session_set_srtp_keys(it.session, theirs, size, own, size)); /* others, before it connects */
    CHECK(end_connect(&it));
    CHECK_ERROR(msdk_session_set_srtp_keys(it.session, own, size, theirs, size), MSDK_E_STATE, "connected");
    CHECK_OK(msdk_session_disconnect(it.session));
    CHECK(end_state(&it, MSDK_SESSION_DISCONNECTED));
    CHECK_OK(msdk_session_set_srtp_keys(it.session, own, size, theirs, size)); /* and between two connections */
    CHECK(end_connect(&it));
    msdk_session_destroy(it.session);
  }
  msdk_engine_destroy(engine);
}

static wire *protected_new(int which, const char *more) {
  char keys[160];
  snprintf(keys, sizeof keys, "&srtp=%s%s", suites[which].name, more);
  return wire_new("127.0.0.1", keys);
}

static void media_are_protected(void) {
  for (int i = 0; i < SUITES; i++) {
    wire *it = protected_new(i, i == 0 ? "" : "&rtcp-mux=1&feedback=1&rtx=97");
    uint8_t alice[LONGEST], bob[LONGEST];
    keys_of(alice, bob);
    CHECK_OK(msdk_session_set_srtp_keys(it->alice.session, alice, suites[i].size, bob, suites[i].size));
    CHECK_OK(msdk_session_set_srtp_keys(it->bob.session, bob, suites[i].size, alice, suites[i].size));
    memset(alice, 0, sizeof alice); /* they were copied */
    NEED(end_connect(&it->bob) && end_connect(&it->alice));
    show there = show_start(it->engine, &it->alice, &it->bob), back = show_start(it->engine, &it->bob, &it->alice);
    CHECK(show_play(&there, 15));
    CHECK(show_play(&back, 5));
    singing *song = sing_start(it->engine, &it->alice, &it->bob, 440);
    CHECK(sing_on(it->engine, song, 600));
    CHECK_RANGE(sing_likeness(song, 440), -300, -20);
    CHECK_OK(msdk_session_disconnect(it->alice.session)); /* a goodbye is protected too */
    CHECK(end_wait(&it->bob, MSDK_EVENT_PARTICIPANT_LEFT, 1));
    show_end(&there);
    show_end(&back);
    sing_end(song);
    wire_close(it);
  }
}

/* Under another key, and in the clear: nothing of it is heard, and nobody is there. */
static void what_is_not_authentic_is_dropped(void) {
  for (int i = 0; i < SUITES; i++) {
    wire *it = protected_new(i, "");
    uint8_t alice[LONGEST], bob[LONGEST];
    keys_of(alice, bob);
    CHECK_OK(msdk_session_set_srtp_keys(it->alice.session, alice, suites[i].size, bob, suites[i].size));
    alice[29 - 2 * i] ^= 1; /* the last byte of the salt */
    alice[20] ^= 1;
    CHECK_OK(msdk_session_set_srtp_keys(it->bob.session, bob, suites[i].size, alice, suites[i].size));
    NEED(end_connect(&it->bob) && end_connect(&it->alice));
    char url[128];
    snprintf(url, sizeof url, "rtp://127.0.0.1:%u?local=%u", it->port + 4, it->port + 2);
    end plain = end_new(it->engine, url);
    NEED(end_connect(&plain));
    show wrong = show_start(it->engine, &it->alice, &it->bob), clear = show_start(it->engine, &plain, &it->bob);
    for (uint32_t n = 0; n < 30; n++) {
      CHECK_OK(send_picture(wrong.sender, n, 0, NULL));
      CHECK_OK(send_picture(clear.sender, n, 0, NULL));
      sleep_ms(30);
    }
    CHECK(session_stats(it->alice.session).packets_sent >= 10);
    CHECK(session_stats(plain.session).packets_sent >= 10);
    end_look(&it->bob);
    CHECK_EQ(it->bob.count[MSDK_EVENT_PARTICIPANT_JOINED], 0);
    CHECK_EQ(it->bob.count[MSDK_EVENT_INCOMING_VIDEO_ADDED], 0);
    CHECK_EQ(session_stats(it->bob.session).packets_received, 0);
    CHECK(session_stats(it->bob.session).packets_forged >= 20);
    CHECK(end_state(&it->bob, MSDK_SESSION_CONNECTED));
    show_end(&wrong);
    show_end(&clear);
    msdk_session_destroy(plain.session);
    wire_close(it);
  }
}

int main(int argc, char **argv) {
  RUN(sizes_and_states);
  RUN(media_are_protected);
  RUN(what_is_not_authentic_is_dropped);
  return check_finish();
}
