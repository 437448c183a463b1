/* rtp.h: how sessions over RTP live and end. Many at once on one thread, destroyed in every state, a thousand times, and nothing stays. */
#include "wire.h"

#include <pthread.h>

/* Thirty-two sessions, sixteen calls: the sockets of all are one thread's. */
static void many_at_once(void) {
  enum { CALLS = 16 };
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  static end ends[2 * CALLS];
  static show films[CALLS];
  uint32_t before = engine_stats(engine).threads, first = 0;
  for (int i = 0; i < CALLS; i++) {
    uint16_t port = wire_ports(4);
    for (int side = 0; side < 2; side++) {
      char url[128];
      snprintf(url, sizeof url, "rtp://127.0.0.1:%u?local=127.0.0.1:%u", port + 2 * (1 - side), port + 2 * side);
      ends[2 * i + side] = end_new(engine, url);
      NEED(end_connect(&ends[2 * i + side]));
    }
    if (i == 0) first = engine_stats(engine).threads;
  }
  CHECK(first > before);
  CHECK_RANGE(engine_stats(engine).threads, first, first); /* the others cost none */
  for (int i = 0; i < CALLS; i++) films[i] = show_start(engine, &ends[2 * i], &ends[2 * i + 1]);
  int done = 0;
  for (int tries = under_tools() ? 2000 : 800; tries > 0 && done < CALLS; tries--) {
    done = 0;
    for (int i = 0; i < CALLS; i++) {
      if (films[i].received < 3 && send_picture(films[i].sender, films[i].sent, 0, NULL) >= 0) films[i].sent++;
      show_look(&films[i]);
      done += films[i].received >= 3;
    }
    sleep_ms(20);
  }
  for (int i = 0; i < CALLS; i++) {
    CHECK(films[i].received >= 3);
    CHECK_EQ(films[i].strange, 0);
    CHECK_EQ(end_people(&ends[2 * i + 1]), 2);
    show_end(&films[i]);
  }
  for (int i = 0; i < 2 * CALLS; i++) msdk_session_destroy(ends[i].session);
  msdk_engine_destroy(engine);
}

/* Two packets of Opus, by which a source is known. */
static void somebody_speaks_to(uint16_t port) {
  uint8_t bytes[15] = {0x80, 111, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9, 0xF8, 0xFF, 0xFE};
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  for (bytes[3] = 1; bytes[3] <= 2; bytes[3]++) sendto(fd, bytes, sizeof bytes, 0, (struct sockaddr *)&address, sizeof address);
  close(fd);
}

enum { STATES = 8 };

/* One session, brought to a state, and destroyed there; or its engine is. */
static void live_and_end(int state, int by_engine) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  uint16_t port = wire_ports(2);
  char url[128], text[8192];
  if (state == 1 || state == 2) snprintf(url, sizeof url, "rtp:?host=127.0.0.1");
  else snprintf(url, sizeof url, "rtp://127.0.0.1:%u?local=127.0.0.1:%u&feedback=1&rtcp-mux=1", port + 1, port);
  end it = end_new(engine, url);
  msdk_outgoing_audio *voice = NULL;
  static const int16_t silence[960];
  switch (state) {
  case 0: break; /* idle */
  case 1: CHECK_OK(msdk_session_get_local_sdp(it.session, text, sizeof text, NULL)); break; /* offered, not answered */
  case 2: CHECK_RESULT(msdk_session_set_remote_sdp(it.session, MSDK_SDP_OFFER, "v=0\r\n"), MSDK_E_INVALID); break;
  case 3: CHECK_OK(msdk_session_connect(it.session)); break; /* connecting, or already connected */
  case 4: end_connect(&it); break;
  case 5: /* sends to nobody, who answers with ICMP */
    if (!end_connect(&it)) break;
    msdk_outgoing_audio_options options = sound_options(48000, 1, MSDK_SAMPLE_S16, 20);
    options.codec = MSDK_CODEC_OPUS;
    CHECK_OK(msdk_outgoing_audio_create(engine, &options, &voice));
    CHECK_OK(msdk_session_start_audio(it.session, voice));
    for (int i = 0; i < 3; i++) msdk_outgoing_audio_send(voice, silence, sizeof silence, 0, 0, NULL, NULL);
    break;
  case 6: /* hears somebody */
    if (!end_connect(&it)) break;
    somebody_speaks_to(port);
    CHECK(end_wait(&it, MSDK_EVENT_PARTICIPANT_JOINED, 1));
    break;
  default: /* disconnecting, or already gone */
    if (end_connect(&it)) CHECK_OK(msdk_session_disconnect(it.session));
    break;
  }
  if (by_engine) msdk_engine_destroy(engine);
  msdk_session_destroy(it.session);
  msdk_outgoing_audio_destroy(voice);
  if (!by_engine) msdk_engine_destroy(engine);
  int again = wire_bind(&port); /* the port is free when destroy has returned */
  if (!CHECK(again >= 0 || state == 1 || state == 2)) fprintf(stderr, "  state %d%s\n", state, by_engine ? " by its engine" : "");
  if (again >= 0) close(again);
}

static void destroyed_in_every_state(void) {
  for (int state = 0; state < STATES; state++) {
    live_and_end(state, 0);
    live_and_end(state, 1);
  }
}

/* From inside an event callback, which the session's own thread is in. */
static atomic_int destroyed;
static void destroy_inside(void *user, const msdk_event *event) {
  if (event->type != MSDK_EVENT_PARTICIPANT_JOINED) return;
  msdk_session_destroy(*(msdk_session **)user);
  atomic_store(&destroyed, 1);
}

static void destroyed_by_its_own_event(void) {
  for (int round = 0; round < 20; round++) {
    msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
    uint16_t port = wire_ports(2);
    char url[128];
    snprintf(url, sizeof url, "rtp://127.0.0.1:%u?local=127.0.0.1:%u&rtcp-mux=1", port + 1, port);
    end it = end_new(engine, url);
    NEED(end_connect(&it));
    atomic_store(&destroyed, 0);
    CHECK_OK(msdk_session_set_event_callback(it.session, destroy_inside, &it.session));
    somebody_speaks_to(port);
    PATIENTLY(atomic_load(&destroyed));
    CHECK_EQ(atomic_load(&destroyed), 1);
    uint32_t state;
    CHECK_RESULT(msdk_session_get_state(it.session, &state), MSDK_E_HANDLE);
    msdk_engine_destroy(engine);
  }
}

static void one_cycle(int number) {
  static const char *more[] = {"", "&rtcp-mux=1", "&feedback=1", "&rtcp-mux=1&feedback=1&rtx=97"};
  wire *it = wire_open("127.0.0.1", more[number % 4]);
  show film = show_start(it->engine, &it->alice, &it->bob);
  for (int tries = 0; tries < 2000 && film.incoming == NULL; tries++) {
    if (tries % 4 == 0) send_picture(film.sender, 0, 0, NULL);
    sleep_ms(5);
    show_look(&film);
  }
  CHECK(film.incoming != NULL);
  if (number % 5 == 0) CHECK_OK(msdk_session_disconnect(it->alice.session)); /* in ever other orders */
  if (number % 3 == 0) msdk_session_destroy(it->bob.session);
  if (number % 7 == 0) msdk_engine_destroy(it->engine);
  show_end(&film);
  wire_close(it);
}

static void nothing_stays(void) {
  int count = under_tools() ? 20 : 150, threads = 0, descriptors = 0;
  int64_t resident = 0;
  for (int i = 0; i < 2 * count && atomic_load(&check_failed) < 20; i++) {
    if (i == count) {
      threads = process_threads();
      descriptors = process_descriptors();
      resident = process_resident_kib();
    }
    one_cycle(i);
  }
  CHECK_COMES_BACK(process_threads(), threads);
  CHECK_COMES_BACK(process_descriptors(), descriptors);
  if (!under_tools()) CHECK_RANGE(process_resident_kib() - resident, -100000, 8192);
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_EQ(engine_stats(engine).frames, 0);
  CHECK_EQ(engine_stats(engine).encoded_frames, 0);
  CHECK_EQ(engine_stats(engine).audio_frames, 0);
  msdk_engine_destroy(engine);
}

/* Of a session that keeps: connects and leaves, describes itself, a hundred times. */
static void a_session_that_goes_on(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  uint16_t port = wire_ports(4);
  char url[128], text[8192];
  snprintf(url, sizeof url, "rtp://127.0.0.1:%u?local=127.0.0.1:%u", port + 2, port);
  end it = end_new(engine, url), other = end_new(engine, "rtp:?host=127.0.0.1");
  int threads = 0, descriptors = 0;
  for (int i = 0; i < (under_tools() ? 20 : 100); i++) {
    if (i == 10) {
      threads = process_threads();
      descriptors = process_descriptors();
    }
    NEED(end_connect(&it));
    CHECK_OK(msdk_session_get_local_sdp(it.session, text, sizeof text, NULL));
    CHECK_OK(msdk_session_disconnect(it.session));
    CHECK_OK(msdk_session_set_remote_sdp(other.session, MSDK_SDP_OFFER, text)); /* sockets of its own for each */
    CHECK_OK(msdk_session_get_local_sdp(other.session, text, sizeof text, NULL));
  }
  CHECK_COMES_BACK(process_threads(), threads);
  CHECK_COMES_BACK(process_descriptors(), descriptors);
  msdk_engine_destroy(engine);
}

static atomic_int hammering;

static void *hammer(void *user) {
  end it = *(end *)user;
  uint8_t key[30] = {0};
  char text[8192];
  for (uint32_t i = 0; atomic_load(&hammering); i++) {
    uint32_t state;
    switch (i % 7) {
    case 0: msdk_session_connect(it.session); break;
    case 1: msdk_session_get_local_sdp(it.session, text, sizeof text, NULL); break;
    case 2: msdk_session_set_remote_sdp(it.session, 1 + i % 3, i % 2 ? text : "v=0"); break;
    case 3: msdk_session_set_srtp_keys(it.session, key, 30, key, 30); break;
    case 4: msdk_session_disconnect(it.session); break;
    case 5: end_people(&it); break;
    default: msdk_session_get_state(it.session, &state); break;
    }
    end_look(&it);
  }
  return NULL;
}

/* All functions at once, on several threads, while the session is destroyed. */
static void from_many_threads(void) {
  static const char *urls[] = {"rtp:?host=127.0.0.1", "rtp:?host=127.0.0.1&srtp=AEAD_AES_128_GCM", "rtp://127.0.0.1:9?srtp=AES_CM_128_HMAC_SHA1_80",
                               "rtp://127.0.0.1:9?local=0"};
  for (int round = 0; round < (under_tools() ? 4 : 12); round++) {
    msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
    static end it[4];
    pthread_t threads[4];
    it[0] = end_new(engine, urls[round % 4]);
    atomic_store(&hammering, 1);
    for (int i = 0; i < 4; i++) {
      it[i] = it[0];
      CHECK_EQ(pthread_create(&threads[i], NULL, hammer, &it[i]), 0);
    }
    sleep_ms(100);
    if (round % 2 == 0) msdk_session_destroy(it[0].session);
    else msdk_engine_destroy(engine);
    sleep_ms(20);
    atomic_store(&hammering, 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    if (round % 2 == 0) msdk_engine_destroy(engine);
  }
  CHECK(1);
}

int main(int argc, char **argv) {
  RUN(many_at_once);
  RUN(destroyed_in_every_state);
  RUN(destroyed_by_its_own_event);
  RUN(a_session_that_goes_on);
  RUN(from_many_threads);
  RUN(nothing_stays);
  return check_finish();
}
