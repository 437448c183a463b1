/* rtp.h: sessions by descriptions. Two ends that offer and answer, one that only listens to what is announced, and texts that are wrong. */
#include "wire.h"

static msdk_engine *engine;

/* The session's description; its owner frees it. NULL, and a failed check, when there is none. */
static char *description(end *it) {
  uint64_t needed = 0, again = 0;
  if (!CHECK_RESULT(msdk_session_get_local_sdp(it->session, NULL, 0, &needed), MSDK_E_BUFFER_SMALL) || !CHECK(needed > 1)) return NULL;
  char *text = malloc(needed);
  if (text == NULL) abort();
  CHECK_OK(msdk_session_get_local_sdp(it->session, text, needed, &again));
  CHECK_EQ(again, needed);
  CHECK_EQ(strlen(text), needed - 1);
  return text;
}

static msdk_result describe(end *it, uint32_t type, const char *text) { return msdk_session_set_remote_sdp(it->session, type, text); }

/* alice offers, bob answers; both are connected. */
static int agree(end *alice, end *bob) {
  char *offer = description(alice), *answer = NULL;
  int ok = offer != NULL && CHECK_OK(describe(bob, MSDK_SDP_OFFER, offer)) && (answer = description(bob)) != NULL;
  ok = ok && CHECK_OK(describe(alice, MSDK_SDP_ANSWER, answer)) && end_connect(bob) && end_connect(alice);
  if (!ok) fprintf(stderr, "%s\n%s\n", offer, answer);
  free(offer);
  free(answer);
  return ok;
}

static void film_and_song(end *alice, end *bob) {
  show there = show_start(engine, alice, bob), back = show_start(engine, bob, alice);
  CHECK(show_play(&there, 10));
  CHECK(show_play(&back, 5));
  singing *song = sing_start(engine, alice, bob, 440);
  CHECK(sing_on(engine, song, 500));
  CHECK_RANGE(sing_likeness(song, 440), -300, -20);
  CHECK_EQ(end_people(alice), 2);
  CHECK_EQ(end_people(bob), 2);
  show_end(&there);
  show_end(&back);
  sing_end(song);
}

static void offer_and_answer(void) {
  static const char *urls[][2] = {
    {"rtp:?host=127.0.0.1", "rtp:?host=127.0.0.1"},
    {"rtp:", "rtp:"},
    {"rtp:?host=127.0.0.1&srtp=AES_CM_128_HMAC_SHA1_80", "rtp:?host=127.0.0.1"}, /* what is offered protected is answered protected */
    {"rtp:?host=127.0.0.1&srtp=AEAD_AES_128_GCM", "rtp:?host=127.0.0.1&srtp=AEAD_AES_128_GCM"},
    {"rtp:?host=::1", "rtp:?host=::1"},
  };
  for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
    if (i == 4 && !has_ipv6()) continue;
    end alice = end_new(engine, urls[i][0]), bob = end_new(engine, urls[i][1]);
    NEED(agree(&alice, &bob));
    film_and_song(&alice, &bob);
    CHECK_ERROR(describe(&alice, MSDK_SDP_ANSWER, "v=0"), MSDK_E_STATE, "connected");
    CHECK_ERROR(describe(&bob, MSDK_SDP_OFFER, "v=0"), MSDK_E_STATE, "connected");
    char *text = description(&alice); /* that can be read at any time */
    CHECK((strstr(text, "a=crypto:") != NULL) == (i == 2 || i == 3));
    free(text);
    /* Again, on the ports that were agreed upon. */
    CHECK_OK(msdk_session_disconnect(alice.session));
    CHECK(end_state(&alice, MSDK_SESSION_DISCONNECTED));
    CHECK(end_wait(&bob, MSDK_EVENT_PARTICIPANT_LEFT, 1));
    CHECK(end_connect(&alice));
    show film = show_start(engine, &alice, &bob);
    CHECK(show_play(&film, 3));
    show_end(&film);
    msdk_session_destroy(alice.session);
    msdk_session_destroy(bob.session);
  }
}

static void directions_and_media(void) {
  end alice = end_new(engine, "rtp:?host=127.0.0.1&direction=sendonly"), bob = end_new(engine, "rtp:?host=127.0.0.1&media=video");
  NEED(agree(&alice, &bob));
  show film = show_start(engine, &alice, &bob);
  CHECK(show_play(&film, 5));
  msdk_outgoing_video *video = NULL;
  msdk_video_format format = format_of(MSDK_PIXEL_I420, 160, 120, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  CHECK_OK(msdk_outgoing_video_create(engine, &options, &video));
  CHECK_ERROR(msdk_session_start_video(bob.session, video), MSDK_E_UNSUPPORTED, "sends no video");
  msdk_outgoing_audio_options sound = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
  msdk_outgoing_audio *voice = NULL;
  sound.codec = MSDK_CODEC_OPUS;
  CHECK_OK(msdk_outgoing_audio_create(engine, &sound, &voice));
  CHECK_ERROR(msdk_session_start_audio(alice.session, voice), MSDK_E_UNSUPPORTED, "sends no audio"); /* bob takes none */
  msdk_outgoing_video_destroy(video);
  msdk_outgoing_audio_destroy(voice);
  show_end(&film);
  msdk_session_destroy(alice.session);
  msdk_session_destroy(bob.session);
  /* One wants pictures, the other has sound alone: an answer that refuses all, and nothing that could be sent. */
  alice = end_new(engine, "rtp:?host=127.0.0.1&media=video");
  bob = end_new(engine, "rtp:?host=127.0.0.1&media=audio");
  NEED(agree(&alice, &bob));
  CHECK_OK(msdk_outgoing_video_create(engine, &options, &video));
  CHECK_ERROR(msdk_session_start_video(alice.session, video), MSDK_E_UNSUPPORTED, "sends no video");
  msdk_outgoing_video_destroy(video);
  msdk_session_destroy(alice.session);
  msdk_session_destroy(bob.session);
}

/* What a session by url sends is described for whoever only listens. */
static void announced_by_a_url(void) {
  static const char *keys[] = {"", "&srtp=AEAD_AES_128_GCM"};
  for (int i = 0; i < 2; i++) {
    uint16_t port = wire_ports(8);
    char url[256];
    snprintf(url, sizeof url, "rtp://127.0.0.1:%u?local=127.0.0.1:%u&audio=%u&direction=sendonly%s", port, port + 4, port + 2, keys[i]);
    end alice = end_new(engine, url), bob = end_new(engine, "rtp:?host=127.0.0.1");
    uint8_t key[28] = {4, 2};
    if (i == 1) CHECK_OK(msdk_session_set_srtp_keys(alice.session, key, 28, key, 28));
    char *text = description(&alice);
    NEED(text != NULL);
    CHECK_STR_CONTAINS(text, "VP8/90000");
    CHECK_STR_CONTAINS(text, "opus/48000/2");
    CHECK((strstr(text, "a=crypto:") != NULL) == (i == 1));
    if (!CHECK_OK(describe(&bob, MSDK_SDP_ANNOUNCED, text))) fprintf(stderr, "%s\n", text);
    CHECK_ERROR(msdk_session_get_local_sdp(bob.session, NULL, 0, NULL), MSDK_E_STATE, "announced");
    NEED(end_connect(&bob) && end_connect(&alice));
    show film = show_start(engine, &alice, &bob);
    CHECK(show_play(&film, 10));
    singing *song = sing_start(engine, &alice, &bob, 440);
    CHECK(sing_on(engine, song, 500));
    CHECK_RANGE(sing_likeness(song, 440), -300, -20);
    show_end(&film);
    sing_end(song);
    free(text);
    msdk_session_destroy(alice.session);
    msdk_session_destroy(bob.session);
  }
}

/* As FFmpeg writes it, which has a port for each medium. */
static void announced_by_others(void) {
  uint16_t port = wire_ports(4);
  char text[512];
  snprintf(text, sizeof text,
           "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=No Name\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\na=tool:libavformat 59.27.100\r\n"
           "m=video %u RTP/AVP 100\r\nb=AS:200\r\na=rtpmap:100 VP8/90000\r\n",
           port);
  uint16_t held = port;
  int taken = wire_bind(&held);
  end bob = end_new(engine, "rtp:");
  CHECK_ERROR(describe(&bob, MSDK_SDP_ANNOUNCED, text), MSDK_E_EXISTS, "bind");
  CHECK_RESULT(msdk_session_connect(bob.session), MSDK_E_STATE);
  close(taken);
  CHECK_OK(describe(&bob, MSDK_SDP_ANNOUNCED, text));
  char url[128];
  snprintf(url, sizeof url, "rtp://127.0.0.1:%u?vp8=100&media=video", port);
  end alice = end_new(engine, url);
  NEED(end_connect(&bob) && end_connect(&alice));
  show film = show_start(engine, &alice, &bob);
  CHECK(show_play(&film, 5));
  show_end(&film);
  msdk_session_destroy(alice.session);
  msdk_session_destroy(bob.session);
}

/* The buffer that is too small gets nothing; asked for again the text is the same. */
static void buffers(void) {
  end it = end_new(engine, "rtp:?host=127.0.0.1");
  char *text = description(&it), *again = description(&it), small[64];
  NEED(text != NULL && again != NULL);
  CHECK(strcmp(text, again) == 0);
  uint64_t size = strlen(text) + 1, needed = 0;
  memset(small, 'x', sizeof small);
  CHECK_ERROR(msdk_session_get_local_sdp(it.session, small, sizeof small, &needed), MSDK_E_BUFFER_SMALL, "size is 64");
  CHECK_EQ(needed, size);
  for (size_t i = 0; i < sizeof small; i++) CHECK(small[i] == 'x');
  CHECK_RESULT(msdk_session_get_local_sdp(it.session, again, size - 1, NULL), MSDK_E_BUFFER_SMALL);
  CHECK_ERROR(msdk_session_get_local_sdp(it.session, NULL, size, &needed), MSDK_E_BUFFER_SMALL, "size");
  memset(again, 0, size);
  CHECK_OK(msdk_session_get_local_sdp(it.session, again, size, NULL));
  CHECK(strcmp(text, again) == 0);
  free(text);
  free(again);
  msdk_session_destroy(it.session);
}

static void types_and_times(void) {
  end alice = end_new(engine, "rtp:?host=127.0.0.1"), bob = end_new(engine, "rtp:?host=127.0.0.1");
  char *offer = description(&alice);
  NEED(offer != NULL);
  static const uint32_t types[] = {0, 4, 99, UINT32_MAX};
  for (int i = 0; i < 4; i++) CHECK_ERROR(describe(&bob, types[i], offer), MSDK_E_UNSUPPORTED, "MSDK_SDP_OFFER");
  CHECK_ERROR(describe(&bob, MSDK_SDP_ANSWER, offer), MSDK_E_STATE, "msdk_session_get_local_sdp"); /* nothing was offered */
  CHECK_ERROR(describe(&bob, MSDK_SDP_OFFER, NULL), MSDK_E_INVALID, "sdp");
  CHECK_RESULT(msdk_session_connect(bob.session), MSDK_E_STATE);
  CHECK_RESULT(msdk_session_connect(alice.session), MSDK_E_STATE); /* not answered yet */
  CHECK_OK(describe(&bob, MSDK_SDP_OFFER, offer));
  CHECK_ERROR(describe(&bob, MSDK_SDP_ANSWER, offer), MSDK_E_STATE, "offer"); /* its own turn to answer */
  char *answer = description(&bob);
  CHECK_OK(describe(&bob, MSDK_SDP_OFFER, offer)); /* another time, with an answer of its own */
  char *other = description(&bob);
  CHECK(answer != NULL && other != NULL && strcmp(answer, other) != 0);
  CHECK_OK(describe(&alice, MSDK_SDP_ANSWER, other));
  NEED(end_connect(&bob) && end_connect(&alice));
  show film = show_start(engine, &alice, &bob);
  CHECK(show_play(&film, 3));
  show_end(&film);
  free(offer);
  free(answer);
  free(other);
  msdk_session_destroy(alice.session);
  msdk_session_destroy(bob.session);
}

typedef struct bad_text {
  uint32_t type;
  const char *text, *word;
} bad_text;

#define HEAD "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"

/* Each is refused with words, and the session takes a good one afterwards. */
static void texts_that_are_wrong(void) {
  static const bad_text list[] = {
    {MSDK_SDP_OFFER, "", "SDP"},
    {MSDK_SDP_OFFER, "hello", "line 1"},
    {MSDK_SDP_OFFER, "v=1\r\n", "line 1"},
    {MSDK_SDP_OFFER, "v=0\r\no=x\r\n", "line 2"},
    {MSDK_SDP_OFFER, HEAD "m=video\r\n", "line 6"},
    {MSDK_SDP_OFFER, HEAD "m=video 99999 RTP/AVP 96\r\n", "line 6"},
    {MSDK_SDP_OFFER, HEAD "m=video 5004 RTP/AVP 96\r\na=rtpmap:96 VP8/90000\r\nnonsense\r\n", "line 8"},
    {MSDK_SDP_OFFER, "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=video 5004 RTP/AVP 96\r\na=rtpmap:96 VP8/90000\r\n", "c="},
    {MSDK_SDP_OFFER, "v=0\r\no=- 1 1 IN IP4 a.b\r\ns=-\r\nc=IN IP4 a.b\r\nt=0 0\r\nm=video 5004 RTP/AVP 96\r\na=rtpmap:96 VP8/90000\r\n", "a.b"},
    {MSDK_SDP_ANNOUNCED, HEAD, "announcement"},
    {MSDK_SDP_ANNOUNCED, HEAD "m=video 5004 RTP/AVP 97\r\na=rtpmap:97 H264/90000\r\n", "VP8"},
    {MSDK_SDP_ANNOUNCED, HEAD "m=video 5004 RTP/SAVP 96\r\na=rtpmap:96 VP8/90000\r\n", "a=crypto"},
    {MSDK_SDP_ANNOUNCED,
     HEAD "m=video 5004 RTP/SAVP 96\r\na=rtpmap:96 VP8/90000\r\na=crypto:1 F8_128_HMAC_SHA1_80 "
          "inline:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n",
     "AES_CM_128_HMAC_SHA1_80"},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    end bob = end_new(engine, "rtp:?host=127.0.0.1"), alice = end_new(engine, "rtp:?host=127.0.0.1");
    int ok = CHECK_RESULT(describe(&bob, list[i].type, list[i].text), MSDK_E_INVALID) & CHECK_STR_CONTAINS(msdk_last_error(), list[i].word);
    if (!ok) fprintf(stderr, "  of %s", list[i].text);
    CHECK_RESULT(msdk_session_connect(bob.session), MSDK_E_STATE);
    CHECK(agree(&alice, &bob));
    msdk_session_destroy(alice.session);
    msdk_session_destroy(bob.session);
  }
}

/* Answers that do not belong to the offer; the right one can still be given. */
static void answers_that_do_not_fit(void) {
  static const bad_text list[] = {
    {0, HEAD, "0 media"},
    {0, HEAD "m=video 5004 RTP/AVPF 96\r\na=rtpmap:96 VP8/90000\r\n", "1 media"},
    {0, HEAD "m=audio 5004 RTP/AVPF 111\r\na=rtpmap:111 opus/48000/2\r\nm=video 5004 RTP/AVPF 96\r\na=rtpmap:96 VP8/90000\r\n", "m=video"},
    {0, HEAD "m=video 5004 TCP/WHATEVER x\r\nm=audio 5006 RTP/AVPF 111\r\na=rtpmap:111 opus/48000/2\r\n", "not offered"},
  };
  end alice = end_new(engine, "rtp:?host=127.0.0.1"), bob = end_new(engine, "rtp:?host=127.0.0.1");
  char *offer = description(&alice);
  NEED(offer != NULL);
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    int ok = CHECK_RESULT(describe(&alice, MSDK_SDP_ANSWER, list[i].text), MSDK_E_INVALID) & CHECK_STR_CONTAINS(msdk_last_error(), list[i].word);
    if (!ok) fprintf(stderr, "  of %s", list[i].text);
    CHECK_RESULT(msdk_session_connect(alice.session), MSDK_E_STATE);
  }
  free(offer);
  CHECK(agree(&alice, &bob));
  msdk_session_destroy(alice.session);
  msdk_session_destroy(bob.session);
}

/* As long as is accepted, and a byte longer; and what is no text. */
static void lengths(void) {
  end it = end_new(engine, "rtp:");
  char *text = malloc(MSDK_SDP_MAX + 2);
  if (text == NULL) abort();
  int at = snprintf(text, 256, HEAD "m=video %u RTP/AVP 96\r\na=rtpmap:96 VP8/90000\r\n", wire_ports(2));
  while (at + 102 <= MSDK_SDP_MAX) at += snprintf(text + at, 103, "a=x:%096d\r\n", 0);
  memcpy(text + at, "a=y:", 4);
  memset(text + at + 4, 'y', (size_t)(MSDK_SDP_MAX - at - 4));
  text[MSDK_SDP_MAX] = 0;
  msdk_result result = describe(&it, MSDK_SDP_ANNOUNCED, text);
  CHECK(result == MSDK_OK || (result == MSDK_E_INVALID && strstr(msdk_last_error(), "SDP") != NULL)); /* so many lines may be too many */
  text[MSDK_SDP_MAX] = 'y';
  text[MSDK_SDP_MAX + 1] = 0;
  CHECK_ERROR(describe(&it, MSDK_SDP_ANNOUNCED, text), MSDK_E_INVALID, "65536");
  CHECK_ERROR(describe(&it, MSDK_SDP_ANNOUNCED, "v=0\r\ns=\xff\xfe\r\n"), MSDK_E_INVALID, "sdp");
  free(text);
  msdk_session_destroy(it.session);
}

int main(int argc, char **argv) {
  engine = engine_new(MSDK_CLOCK_SYSTEM);
  RUN(offer_and_answer);
  RUN(directions_and_media);
  RUN(announced_by_a_url);
  RUN(announced_by_others);
  RUN(buffers);
  RUN(types_and_times);
  RUN(texts_that_are_wrong);
  RUN(answers_that_do_not_fit);
  RUN(lengths);
  msdk_engine_destroy(engine);
  return check_finish();
}
