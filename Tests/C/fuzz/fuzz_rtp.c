/* Sessions over RTP under spoilt input: random urls and descriptions, and datagrams from a plain socket into a call that goes on. Whatever
 * the calls return is fine; the program must not crash, not hang, and the call is as good afterwards as before.
 * fuzz_rtp [case]; MSDK_FUZZ_DATAGRAMS (10,000) and MSDK_FUZZ_SEED (1) from the environment. */
#include "wire.h"

static uint64_t state;
static uint32_t below(uint32_t limit) { return random_below(&state, limit); }

static uint32_t setting(const char *name, uint32_t otherwise) {
  const char *value = getenv(name);
  return value != NULL ? (uint32_t)strtoul(value, NULL, 0) : otherwise;
}

static void begin(void) { state = setting("MSDK_FUZZ_SEED", 1); }

/* Some bytes of a text changed, left out, doubled, or replaced by a word that means something. The text has room for `capacity`. */
static void spoil(char *text, size_t capacity, const char *const *words, uint32_t word_count) {
  for (uint32_t n = 1 + below(4); n > 0; n--) {
    size_t size = strlen(text), at = below((uint32_t)size + 1), count = below(12);
    if (at + count > size) count = size - at;
    const char *word = words[below(word_count)];
    size_t length = strlen(word);
    switch (below(6)) {
    case 0:
      if (at < size) text[at] = (char)(1 + below(255));
      break;
    case 1: memmove(text + at, text + at + count, size + 1 - at - count); break;
    case 2:
      if (size + count + 1 < capacity) memmove(text + at + count, text + at, size + 1 - at);
      break;
    case 3: text[at] = 0; break;
    default:
      if (size + length + 1 >= capacity) break;
      memmove(text + at + length, text + at, size + 1 - at);
      memcpy(text + at, word, length);
    }
  }
}

static void urls(void) {
  static const char *good[] = {
    "rtp://127.0.0.1:5004?local=6000&audio=5006&local-audio=127.0.0.1:6002&media=both&direction=sendrecv",
    "rtp://[::1]:5004?vp8=96&opus=111&feedback=1&rtx=97&twcc=5&level=1&rtcp-mux=1",
    "rtp://:5004?min-bitrate=50000&start-bitrate=300000&max-bitrate=2500000&mtu=1500&framerate=30000/1001",
    "rtp://239.1.2.3:5004?direction=recvonly&srtp=AEAD_AES_128_GCM",
    "rtp:?host=127.0.0.1&media=video&direction=sendonly&srtp=AES_CM_128_HMAC_SHA1_80&mtu=1400&framerate=25",
  };
  static const char *words[] = {
    "rtp://", "?", "&", "=", ":", "[", "]", "%25", "%", "@", "#", "65535", "0", "-1", "99999999999999999999", "/", "..", "::", "local=",
    "media=", "rtx=", "srtp=", "framerate=1/", "18446744073709551615", "\xff", "\xc3\xa9", "fe80::1%lo",
  };
  begin();
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  int taken = 0, rounds = under_tools() ? 2000 : 20000;
  for (int n = 0; n < rounds; n++) {
    char url[1200];
    snprintf(url, sizeof url, "%s", good[below(5)]);
    spoil(url, sizeof url, words, sizeof words / sizeof words[0]);
    msdk_session *session = NULL;
    msdk_result result = end_create(engine, url, &session);
    CHECK((result == MSDK_OK) == (session != NULL));
    if (result < 0) CHECK(msdk_last_error()[0] != 0);
    taken += result == MSDK_OK;
    msdk_session_destroy(session);
  }
  CHECK_RANGE(taken, 1, rounds - 1);
  msdk_engine_destroy(engine);
}

static void descriptions(void) {
  static const char *words[] = {
    "\r\n", "\n", "\r", "m=video 5004 RTP/AVP 96\r\n", "m=audio 0 RTP/SAVPF 111\r\n", "a=rtpmap:96 VP8/90000\r\n", "a=fmtp:96 ",
    "a=crypto:1 AEAD_AES_128_GCM inline:", "a=group:BUNDLE 0 1 0\r\n", "a=mid:0\r\n", "a=ssrc:1 cname:x\r\n", "a=inactive\r\n",
    "c=IN IP4 0.0.0.0\r\n", "c=IN IP6 ff15::1\r\n", "c=IN IP4 239.1.2.3/1\r\n", "a=rtcp:1 IN IP4 1.2.3.4\r\n", "a=extmap:15 ", "65535",
    "-1", "99999999999", "a=rtcp-mux\r\n", "a=bundle-only\r\n", "a=framerate:0.0001\r\n", "b=TIAS:18446744073709551615\r\n", " ", "=", ":",
  };
  static const char *ends[] = {"rtp:?host=127.0.0.1", "rtp:?host=127.0.0.1&srtp=AEAD_AES_128_GCM", "rtp:?host=127.0.0.1&media=video", "rtp:"};
  begin();
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  int taken = 0, connected = 0, rounds = under_tools() ? 300 : 2000;
  char *text = malloc(MSDK_SDP_MAX), *other = malloc(MSDK_SDP_MAX);
  if (text == NULL || other == NULL) abort();
  for (int n = 0; n < rounds; n++) {
    end alice = end_new(engine, ends[below(4)]), bob = end_new(engine, ends[below(4)]);
    if (!CHECK_OK(msdk_session_get_local_sdp(alice.session, text, MSDK_SDP_MAX, NULL))) break;
    if (below(4) != 0) spoil(text, MSDK_SDP_MAX, words, sizeof words / sizeof words[0]);
    uint32_t type = below(5) == 0 ? MSDK_SDP_ANNOUNCED : MSDK_SDP_OFFER;
    msdk_result result = msdk_session_set_remote_sdp(bob.session, type, text);
    if (result < 0) CHECK(msdk_last_error()[0] != 0);
    taken += result >= 0;
    if (result >= 0 && type == MSDK_SDP_OFFER && CHECK_OK(msdk_session_get_local_sdp(bob.session, other, MSDK_SDP_MAX, NULL))) {
      if (below(3) != 0) spoil(other, MSDK_SDP_MAX, words, sizeof words / sizeof words[0]);
      if (msdk_session_set_remote_sdp(alice.session, MSDK_SDP_ANSWER, other) >= 0) connected += msdk_session_connect(alice.session) >= 0;
    }
    if (result >= 0) msdk_session_connect(bob.session);
    msdk_session_destroy(alice.session);
    msdk_session_destroy(bob.session);
  }
  CHECK_RANGE(taken, 1, rounds - 1);
  CHECK(connected > 0);
  free(text);
  free(other);
  msdk_engine_destroy(engine);
}

/* ------------------------------------------------------------------------------------------------------------- datagrams */

static uint8_t *put16(uint8_t *at, uint32_t value) {
  at[0] = (uint8_t)(value >> 8);
  at[1] = (uint8_t)value;
  return at + 2;
}
static uint8_t *put32(uint8_t *at, uint32_t value) { return put16(put16(at, value >> 16), value); }

/* A few sources, so that streams begin; now and then any. */
static uint32_t source(void) { return below(8) == 0 ? (uint32_t)random_next(&state) : 0x1000 + below(4); }

/* Something like a packet of VP8 or Opus: numbers that go on, a payload header that may be one. */
static size_t media(uint8_t *bytes) {
  static uint32_t number;
  uint8_t *at = bytes;
  uint32_t extension = below(4) == 0, video = below(2);
  *at++ = (uint8_t)(0x80 | extension << 4 | (below(20) == 0) << 5 | (below(20) == 0 ? below(16) : 0));
  *at++ = (uint8_t)((video ? 96 + below(2) : 111) | below(2) << 7);
  number += below(3);
  at = put32(put32(put16(at, number), number * 3000), source());
  if (extension) {
    at = put16(put16(at, below(3) ? 0xBEDE : 0x1000), below(4));
    for (int i = 0; i < 12; i++) *at++ = (uint8_t)(below(2) ? 0x10 * below(16) + below(4) : below(256));
  }
  *at++ = (uint8_t)(below(2) ? 0x90 : below(256)); /* X, S */
  *at++ = (uint8_t)(below(2) ? 0x80 : below(256)); /* I */
  if (below(2)) at = put16(at, 0x8000 | below(0x8000));
  static const uint8_t key[] = {0x10, 0x02, 0x00, 0x9D, 0x01, 0x2A, 0x40, 0x01, 0xF0, 0x00}; /* a key frame of 320x240 */
  if (video && below(2)) memcpy(at, key, sizeof key), at += sizeof key;
  for (uint32_t n = below(below(10) == 0 ? 1400 : 60); n > 0; n--) *at++ = (uint8_t)below(256);
  return (size_t)(at - bytes);
}

/* One or more reports, of any type, whose lengths are mostly right. */
static size_t control(uint8_t *bytes) {
  uint8_t *at = bytes;
  for (uint32_t n = 1 + below(4); n > 0; n--) {
    uint32_t type = 200 + below(8), words = below(12), count = type >= 205 ? (below(3) ? below(2) * 14 + 1 : below(32)) : below(3);
    *at++ = (uint8_t)(0x80 | count);
    *at++ = (uint8_t)type;
    at = put16(at, below(20) == 0 ? below(65536) : words);
    for (uint32_t i = 0; i < words; i++) at = put32(at, i < 2 ? source() : (uint32_t)random_next(&state) >> below(32));
  }
  return (size_t)(at - bytes);
}

static size_t datagram(uint8_t *bytes) {
  uint32_t kind = below(10);
  size_t size = kind < 5 ? media(bytes) : kind < 9 ? control(bytes) : below(1500);
  if (kind == 9) {
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)below(256);
  }
  for (uint32_t n = below(3) == 0 ? 1 + below(4) : 0; n > 0 && size > 0; n--) bytes[below((uint32_t)size)] ^= (uint8_t)(1u << below(8));
  return below(6) == 0 ? below((uint32_t)size + 1) : size;
}

/* Into both ports of both ends of a call, which is looked at now and then, and goes on. */
static void flood(const char *more, uint64_t key_size) {
  begin();
  wire *it = wire_new("127.0.0.1", more);
  uint8_t key[30] = {7}, bytes[4096];
  if (key_size > 0) {
    CHECK_OK(msdk_session_set_srtp_keys(it->alice.session, key, key_size, key, key_size));
    CHECK_OK(msdk_session_set_srtp_keys(it->bob.session, key, key_size, key, key_size));
  }
  NEED(end_connect(&it->bob) && end_connect(&it->alice));
  show film = show_start(it->engine, &it->alice, &it->bob);
  NEED(show_play(&film, 5));
  uint16_t port = 0;
  uint32_t count = setting("MSDK_FUZZ_DATAGRAMS", under_tools() ? 3000 : 10000);
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), descriptors = process_descriptors();
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int64_t memory = 0;
  for (uint32_t n = 0; n < count; n++) {
    port = (uint16_t)(it->port + 4 * below(2) + below(2));
    address.sin_port = htons(port);
    sendto(fd, bytes, datagram(bytes), 0, (struct sockaddr *)&address, sizeof address);
    if (n == count / 3) memory = process_resident_kib();
    if (n % 50 != 0) continue;
    send_picture(film.sender, film.sent++, 0, NULL);
    end_look(&it->alice);
    end_look(&it->bob);
    msdk_incoming_video *strange = it->bob.last[MSDK_EVENT_INCOMING_VIDEO_ADDED].incoming_video;
    if (below(4) == 0 && strange != NULL && strange != film.incoming) msdk_incoming_video_start(strange, NULL); /* what was made up is decoded too */
    sleep_ms(2);
  }
  if (!under_tools()) CHECK_RANGE(process_resident_kib() - memory, -100000, 65536);
  CHECK_EQ(process_descriptors(), descriptors);
  close(fd);
  CHECK(end_state(&it->alice, MSDK_SESSION_CONNECTED));
  CHECK(end_state(&it->bob, MSDK_SESSION_CONNECTED));
  /* A stream that begins now comes through, and is the picture. */
  show after = show_start(it->engine, &it->bob, &it->alice);
  for (int tries = 0; tries < 1200 && after.received < 10; tries++) {
    if (send_picture(after.sender, after.sent, 0, NULL) >= 0) after.sent++;
    sleep_ms(25);
    /* Those that were made up are still told of: the one of the right size is ours. */
    for (msdk_event event; after.incoming == NULL;) {
      event = MSDK_INIT(msdk_event);
      if (msdk_session_next_event(it->alice.session, 0, &event) < 0) break;
      if (event.type != MSDK_EVENT_INCOMING_VIDEO_ADDED || event.format.width != SHOW_WIDTH) continue;
      after.incoming = event.incoming_video;
      CHECK_OK(msdk_incoming_video_start(after.incoming, NULL));
    }
    if (after.incoming != NULL) show_look(&after);
  }
  CHECK(after.received >= 10);
  CHECK_EQ(after.strange, 0);
  show_end(&film);
  show_end(&after);
  wire_close(it);
}

static void datagrams(void) { flood("&rtcp-mux=1&feedback=1&rtx=97&level=1", 0); }
static void datagrams_on_two_ports(void) { flood("", 0); }
static void datagrams_without_the_key(void) { flood("&srtp=AEAD_AES_128_GCM&feedback=1", 28); }

int main(int argc, char **argv) {
  RUN(urls);
  RUN(descriptions);
  RUN(datagrams);
  RUN(datagrams_on_two_ports);
  RUN(datagrams_without_the_key);
  return check_finish();
}
