/* rtp.h: what a url says, and what is said of one that is wrong: which argument, which key, what is accepted. No datagram is sent here. */
#include "wire.h"

static msdk_engine *engine;

typedef struct wrong {
  const char *url;
  msdk_result result;
  const char *word; /* besides "options.url" */
} wrong;

static void refuse(const wrong *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    msdk_session *session = (msdk_session *)&session;
    int ok = CHECK_RESULT(end_create(engine, list[i].url, &session), list[i].result);
    ok &= CHECK_STR_CONTAINS(msdk_last_error(), "options.url") & CHECK_STR_CONTAINS(msdk_last_error(), list[i].word);
    if (!ok) fprintf(stderr, "  %.200s\n", list[i].url);
    if (session != (msdk_session *)&session) msdk_session_destroy(session);
  }
}
#define REFUSE(list) refuse(list, sizeof list / sizeof list[0])

static void accept_url(const char *url) {
  msdk_session *session = NULL;
  uint32_t state = UINT32_MAX;
  if (!CHECK_OK(end_create(engine, url, &session))) fprintf(stderr, "  %.200s\n", url);
  CHECK_OK(msdk_session_get_state(session, &state));
  CHECK_EQ(state, MSDK_SESSION_IDLE);
  msdk_session_destroy(session);
}

static void good_ones(void) {
  static const char *urls[] = {
    "rtp://192.0.2.7:5004", "rtp://192.0.2.7:5004/", "rtp://192.0.2.7:5004?", "rtp://[2001:db8::7]:5004", "rtp://[::1]:1", "rtp://:5004",
    "rtp://0.0.0.0:5004", "rtp://[::]:5004", "rtp://192.0.2.7:65534", "rtp://192.0.2.7:65535?rtcp-mux=1",
    "rtp://239.1.2.3:5004?direction=recvonly", "rtp://239.1.2.3:5004?direction=sendonly", "rtp://[ff15::1]:5004?direction=recvonly",
    "rtp://example.org:5004", "rtp://Example.Org.:5004?local=127.0.0.1:6000", "rtp://localhost:5004?local=[::1]:6000&direction=recvonly",
    "rtp://192.0.2.7:5004?local=6000", "rtp://192.0.2.7:5004?local=127.0.0.1:6000", "rtp://192.0.2.7:5004?local=0",
    "rtp://[::1]:5004?local=[::1]:6000", "rtp://192.0.2.7:5004?audio=5006&local-audio=6002&local=6000",
    "rtp://192.0.2.7:5004?media=video", "rtp://192.0.2.7:5004?media=audio", "rtp://192.0.2.7:5004?media=both",
    "rtp://192.0.2.7:5004?direction=sendrecv", "rtp://192.0.2.7:5004?vp8=0&opus=127", "rtp://192.0.2.7:5004?vp8=63&opus=96",
    "rtp://192.0.2.7:5004?feedback=1&rtx=97", "rtp://192.0.2.7:5004?feedback=1&twcc=0", 
    "rtp://192.0.2.7:5004?feedback=1&twcc=14&level=1&orientation=2&color=3&capture=4",
    "rtp://192.0.2.7:5004?rtcp-mux=0&feedback=0", "rtp://192.0.2.7:5004?min-bitrate=50000&start-bitrate=400000&max-bitrate=3000000",
    "rtp://192.0.2.7:5004?mtu=576", "rtp://192.0.2.7:5004?mtu=1500", "rtp://192.0.2.7:5004?framerate=30", "rtp://192.0.2.7:5004?framerate=30000/1001",
    "rtp://192.0.2.7:5004?srtp=AES_CM_128_HMAC_SHA1_80", "rtp://192.0.2.7:5004?srtp=AEAD_AES_128_GCM",
    "rtp:", "rtp:?", "rtp:?media=video", "rtp:?host=192.0.2.7&direction=recvonly&mtu=1400&framerate=25&srtp=AEAD_AES_128_GCM",
    "rtp:?host=2001:db8::7&min-bitrate=50000&start-bitrate=50000&max-bitrate=50000",
  };
  for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) accept_url(urls[i]);
}

static void places(void) {
  static const wrong list[] = {
    {"rtp:/", MSDK_E_INVALID, "rtp://HOST:PORT"},
    {"rtp:/127.0.0.1:5004", MSDK_E_INVALID, "rtp://HOST:PORT"},
    {"rtp:127.0.0.1:5004", MSDK_E_INVALID, "rtp://HOST:PORT"},
    {"rtp://", MSDK_E_INVALID, "address and port"},
    {"rtp://127.0.0.1", MSDK_E_INVALID, "127.0.0.1"},
    {"rtp://127.0.0.1:", MSDK_E_RANGE, "1..65535"},
    {"rtp://127.0.0.1:0", MSDK_E_RANGE, "1..65535"},
    {"rtp://127.0.0.1:65536", MSDK_E_RANGE, "65536"},
    {"rtp://127.0.0.1:-1", MSDK_E_RANGE, "1..65535"},
    {"rtp://127.0.0.1:+1", MSDK_E_RANGE, "1..65535"},
    {"rtp://127.0.0.1:5004x", MSDK_E_RANGE, "5004x"},
    {"rtp://127.0.0.1:99999999999999999999999", MSDK_E_RANGE, "1..65535"},
    {"rtp://127.0.0.1:65535", MSDK_E_RANGE, "rtcp-mux=1"}, /* RTCP needs the next one */
    {"rtp://local_host:5004", MSDK_E_INVALID, "RFC 1123"},
    {"rtp://-example.org:5004", MSDK_E_INVALID, "-example.org"},
    {"rtp://0x7f000001:5004", MSDK_E_INVALID, "0x7f000001"},
    {"rtp://example.org:5004?local=localhost:6000", MSDK_E_INVALID, "local=localhost:6000"},
    {"rtp:?host=example.org", MSDK_E_INVALID, "host=example.org"},
    {"rtp://256.0.0.1:5004", MSDK_E_INVALID, "256.0.0.1"},
    {"rtp://1.2.3:5004", MSDK_E_INVALID, "1.2.3"},
    {"rtp://::1:5004", MSDK_E_INVALID, "brackets"},
    {"rtp://[::1:5004", MSDK_E_INVALID, "brackets"},
    {"rtp://[::1]5004", MSDK_E_INVALID, "brackets"},
    {"rtp://[::g]:5004", MSDK_E_INVALID, "::g"},
    {"rtp://[127.0.0.1]:5004", MSDK_E_INVALID, "brackets"},
    {"rtp://a@127.0.0.1:5004", MSDK_E_INVALID, "a user"},
    {"rtp://127.0.0.1:5004#x", MSDK_E_INVALID, "#"},
    {"rtp://127.0.0.1:5004/x", MSDK_E_INVALID, "a path"},
    {"rtp://239.1.2.3:5004", MSDK_E_INVALID, "direction=recvonly"},
    {"rtp://[ff15::1]:5004?direction=sendrecv", MSDK_E_INVALID, "direction=recvonly"},
  };
  REFUSE(list);
}

static void keys(void) {
  static const wrong list[] = {
    {"rtp://127.0.0.1:5004?x", MSDK_E_INVALID, "number 1"},
    {"rtp://127.0.0.1:5004?media=video&", MSDK_E_INVALID, "number 2"},
    {"rtp://127.0.0.1:5004?&media=video", MSDK_E_INVALID, "number 1"},
    {"rtp://127.0.0.1:5004?colour=red", MSDK_E_INVALID, "\"colour\""},
    {"rtp://127.0.0.1:5004?Media=video", MSDK_E_INVALID, "\"Media\""},
    {"rtp://127.0.0.1:5004?=video", MSDK_E_INVALID, "unknown key \"\""},
    {"rtp://127.0.0.1:5004?media=video&media=video", MSDK_E_INVALID, "media twice"},
    {"rtp://127.0.0.1:5004?media=", MSDK_E_INVALID, "media without a value"},
    {"rtp://127.0.0.1:5004?host=127.0.0.1", MSDK_E_INVALID, "\"host\""}, /* of descriptions only */
    {"rtp:?local=6000", MSDK_E_INVALID, "\"local\""},                   /* and the other way round */
    {"rtp:?vp8=96", MSDK_E_INVALID, "\"vp8\""},
    {"rtp:?rtcp-mux=1", MSDK_E_INVALID, "\"rtcp-mux\""},
    {"rtp://127.0.0.1:5004?key=hunter2", MSDK_E_INVALID, "msdk_session_set_srtp_keys"},
    {"rtp:?password=hunter2", MSDK_E_INVALID, "msdk_session_set_srtp_keys"},
  };
  REFUSE(list);
}

static void values(void) {
  static const wrong list[] = {
    {"rtp://127.0.0.1:5004?local=x", MSDK_E_RANGE, "local"},
    {"rtp://127.0.0.1:5004?local=65536", MSDK_E_RANGE, "local"},
    {"rtp://127.0.0.1:5004?local=65535", MSDK_E_RANGE, "rtcp-mux=1"},
    {"rtp://127.0.0.1:5004?local=1.2.3.4", MSDK_E_RANGE, "local"},
    {"rtp://127.0.0.1:5004?local=localhost:5000", MSDK_E_INVALID, "local"},
    {"rtp://127.0.0.1:5004?local=[::1]:5000", MSDK_E_INVALID, "family"},
    {"rtp://[::1]:5004?local=127.0.0.1:5000", MSDK_E_INVALID, "family"},
    {"rtp://127.0.0.1:5004?local=239.1.2.3:5000", MSDK_E_INVALID, "multicast"},
    {"rtp://:5004?local=6000", MSDK_E_INVALID, "no host"},
    {"rtp://127.0.0.1:5004?audio=0", MSDK_E_RANGE, "audio"},
    {"rtp://127.0.0.1:5004?audio=five", MSDK_E_RANGE, "audio"},
    {"rtp://127.0.0.1:5004?audio=5005", MSDK_E_INVALID, "5005"}, /* that is RTCP of the pictures */
    {"rtp://127.0.0.1:5004?audio=5006&media=video", MSDK_E_INVALID, "audio"},
    {"rtp://127.0.0.1:5004?local-audio=6000", MSDK_E_INVALID, "local-audio without audio"},
    {"rtp://127.0.0.1:5004?local=6000&audio=5006&local-audio=6001", MSDK_E_INVALID, "6001"},
    {"rtp://127.0.0.1:5004?media=screen", MSDK_E_INVALID, "video, audio, both"},
    {"rtp://127.0.0.1:5004?direction=in", MSDK_E_INVALID, "sendrecv, sendonly, recvonly"},
    {"rtp://127.0.0.1:5004?vp8=128", MSDK_E_RANGE, "vp8=128"},
    {"rtp://127.0.0.1:5004?vp8=64", MSDK_E_RANGE, "96..127"},
    {"rtp://127.0.0.1:5004?opus=95", MSDK_E_RANGE, "opus=95"},
    {"rtp://127.0.0.1:5004?opus=-1", MSDK_E_RANGE, "opus=-1"},
    {"rtp://127.0.0.1:5004?vp8=111", MSDK_E_INVALID, "111"}, /* which is Opus, over the same port */
    {"rtp://127.0.0.1:5004?rtx=97", MSDK_E_INVALID, "feedback=1"},
    {"rtp://127.0.0.1:5004?feedback=1&rtx=96", MSDK_E_INVALID, "96"},
    {"rtp://127.0.0.1:5004?feedback=1&rtx=300", MSDK_E_RANGE, "rtx=300"},
    {"rtp://127.0.0.1:5004?rtcp-mux=yes", MSDK_E_INVALID, "rtcp-mux=yes"},
    {"rtp://127.0.0.1:5004?feedback=2", MSDK_E_INVALID, "feedback=2"},
    {"rtp://127.0.0.1:5004?twcc=5", MSDK_E_INVALID, "feedback=1"},
    {"rtp://127.0.0.1:5004?feedback=1&twcc=15", MSDK_E_RANGE, "twcc=15"},
    {"rtp://127.0.0.1:5004?level=0", MSDK_E_RANGE, "level=0"},
    {"rtp://127.0.0.1:5004?feedback=1&twcc=3&level=3", MSDK_E_INVALID, "twcc"},
    {"rtp://127.0.0.1:5004?color=15", MSDK_E_RANGE, "color=15"},
    {"rtp://127.0.0.1:5004?orientation=4&color=4", MSDK_E_INVALID, "orientation"},
    {"rtp://127.0.0.1:5004?color=4&capture=4", MSDK_E_INVALID, "capture"},
    {"rtp://127.0.0.1:5004?min-bitrate=4999", MSDK_E_RANGE, "min-bitrate=4999"},
    {"rtp://127.0.0.1:5004?start-bitrate=1e6", MSDK_E_RANGE, "start-bitrate=1e6"},
    {"rtp://127.0.0.1:5004?max-bitrate=99999999999", MSDK_E_RANGE, "max-bitrate"},
    {"rtp://127.0.0.1:5004?min-bitrate=500000&max-bitrate=400000", MSDK_E_RANGE, "at most"},
    {"rtp://127.0.0.1:5004?mtu=575", MSDK_E_RANGE, "576..1500"},
    {"rtp://127.0.0.1:5004?mtu=1501", MSDK_E_RANGE, "576..1500"},
    {"rtp://127.0.0.1:5004?framerate=0", MSDK_E_RANGE, "framerate=0"},
    {"rtp://127.0.0.1:5004?framerate=30/0", MSDK_E_RANGE, "N/D"},
    {"rtp://127.0.0.1:5004?framerate=30/1/1", MSDK_E_RANGE, "N/D"},
    {"rtp://127.0.0.1:5004?framerate=29.97", MSDK_E_RANGE, "N/D"},
    {"rtp://127.0.0.1:5004?srtp=ROT13", MSDK_E_INVALID, "AEAD_AES_128_GCM"},
    {"rtp:?srtp=ROT13", MSDK_E_INVALID, "AEAD_AES_128_GCM"},
    {"rtp:?host=example.org", MSDK_E_INVALID, "host"},
    {"rtp:?host=0.0.0.0", MSDK_E_INVALID, "host"},
    {"rtp:?host=239.1.2.3", MSDK_E_INVALID, "host"},
    {"rtp:?media=none", MSDK_E_INVALID, "video, audio, both"},
    {"rtp:?mtu=1", MSDK_E_RANGE, "576..1500"},
    {"rtp:?framerate=x", MSDK_E_RANGE, "N/D"},
  };
  REFUSE(list);
}

static void other_schemes(void) {
  static const wrong list[] = {
    {"", MSDK_E_UNSUPPORTED, "rtp://HOST:PORT"},
    {"rtp", MSDK_E_UNSUPPORTED, "rtp://HOST:PORT"},
    {"RTP://127.0.0.1:5004", MSDK_E_UNSUPPORTED, "rtp://HOST:PORT"},
    {"rtps://127.0.0.1:5004", MSDK_E_UNSUPPORTED, "rtp://HOST:PORT"},
    {"srtp://127.0.0.1:5004", MSDK_E_UNSUPPORTED, "rtp://HOST:PORT"},
    {" rtp://127.0.0.1:5004", MSDK_E_UNSUPPORTED, "rtp://HOST:PORT"},
  };
  REFUSE(list);
}

static void long_ones_and_secrets(void) {
  char url[2 * MSDK_TEXT_MAX];
  int at = snprintf(url, sizeof url, "rtp://127.0.0.1:5004?media=");
  memset(url + at, 'x', sizeof url - (size_t)at);
  url[MSDK_TEXT_MAX] = 0; /* as long as is accepted */
  wrong one = {url, MSDK_E_INVALID, "video, audio, both"};
  refuse(&one, 1);
  url[MSDK_TEXT_MAX] = 'x';
  url[MSDK_TEXT_MAX + 1] = 0;
  one = (wrong){url, MSDK_E_INVALID, "1024"};
  refuse(&one, 1);
  static const char *secrets[] = {
    "rtp://hunter2:hunter2@127.0.0.1:5004", "rtp://127.0.0.1:5004?key=hunter2", "rtp://127.0.0.1:5004?srtp=hunter2", "rtp:?srtp=hunter2",
    "rtp://127.0.0.1:5004?inline:hunter2", "rtp:?salt=hunter2", "srtp:?key=hunter2",
  };
  for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) {
    msdk_session *session = NULL;
    CHECK(end_create(engine, secrets[i], &session) < 0);
    if (!CHECK(strstr(msdk_last_error(), "hunter2") == NULL)) fprintf(stderr, "  %s: %s\n", secrets[i], msdk_last_error());
  }
}

/* The functions of rtp.h with what is no session, and with sessions of another kind. */
static void handles_and_states(void) {
  uint8_t key[30] = {0};
  uint64_t needed = 77;
  char text[8] = "before";
  CHECK_ERROR(msdk_session_set_srtp_keys(NULL, key, 30, key, 30), MSDK_E_HANDLE, "session");
  CHECK_ERROR(msdk_session_set_remote_sdp(NULL, MSDK_SDP_OFFER, "v=0"), MSDK_E_HANDLE, "session");
  CHECK_ERROR(msdk_session_get_local_sdp(NULL, text, sizeof text, &needed), MSDK_E_HANDLE, "session");
  CHECK_ERROR(msdk_session_get_local_sdp((msdk_session *)engine, text, sizeof text, &needed), MSDK_E_HANDLE, "session");
  CHECK_EQ(needed, 77);
  CHECK(strcmp(text, "before") == 0);
  msdk_session *loopback = session_new(engine, room_new(), "alice");
  CHECK_ERROR(msdk_session_set_srtp_keys(loopback, key, 30, key, 30), MSDK_E_STATE, "rtp:");
  CHECK_ERROR(msdk_session_set_remote_sdp(loopback, MSDK_SDP_OFFER, "v=0"), MSDK_E_STATE, "rtp:");
  CHECK_ERROR(msdk_session_get_local_sdp(loopback, text, sizeof text, &needed), MSDK_E_STATE, "rtp:");
  msdk_session_destroy(loopback);
  CHECK_RESULT(msdk_session_get_local_sdp(loopback, text, sizeof text, &needed), MSDK_E_HANDLE);
  end plain = end_new(engine, "rtp://127.0.0.1:5004");
  CHECK_ERROR(msdk_session_set_srtp_keys(plain.session, key, 30, key, 30), MSDK_E_STATE, "srtp");
  CHECK_ERROR(msdk_session_set_remote_sdp(plain.session, MSDK_SDP_OFFER, "v=0"), MSDK_E_STATE, "\"rtp:\"");
  msdk_session_destroy(plain.session);
  end described = end_new(engine, "rtp:");
  CHECK_ERROR(msdk_session_connect(described.session), MSDK_E_STATE, "msdk_session_set_remote_sdp");
  CHECK(end_state(&described, MSDK_SESSION_IDLE));
  CHECK_ERROR(msdk_session_set_srtp_keys(described.session, key, 30, key, 30), MSDK_E_STATE, "srtp");
  msdk_session_destroy(described.session);
}

int main(int argc, char **argv) {
  engine = engine_new(MSDK_CLOCK_SYSTEM);
  RUN(good_ones);
  RUN(places);
  RUN(keys);
  RUN(values);
  RUN(other_schemes);
  RUN(long_ones_and_secrets);
  RUN(handles_and_states);
  msdk_engine_destroy(engine);
  return check_finish();
}
