/* network.h: the file of what a session sends and what comes, read back. */
#include "hosting.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { MOST = 4096 };

typedef struct packet {
  int64_t time;
  uint32_t source, target; /* ports */
  uint32_t size;
  const uint8_t *bytes; /* of UDP */
} packet;

typedef struct capture {
  uint8_t *memory;
  packet packets[MOST];
  uint32_t count;
} capture;

static uint32_t little(const uint8_t *bytes) { return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t)bytes[3] << 24; }
static uint32_t big16(const uint8_t *bytes) { return (uint32_t)bytes[0] << 8 | bytes[1]; }

static capture *capture_read(const char *path) {
  capture *it = calloc(1, sizeof *it);
  enum { MUCH = 8 << 20 };
  if (it == NULL || (it->memory = calloc(1, MUCH)) == NULL) abort();
  FILE *file = fopen(path, "re");
  if (!CHECK(file != NULL)) return it;
  size_t size = fread(it->memory, 1, MUCH, file), place = 24;
  fclose(file);
  CHECK_EQ(little(it->memory), 0xA1B23C4D);
  CHECK_EQ(little(it->memory + 20), 101);
  while (place + 16 <= size && it->count < MOST) {
    const uint8_t *record = it->memory + place, *ip = record + 16;
    uint32_t length = little(record + 8);
    if (!CHECK(place + 16 + length <= size && length >= 28 && ip[0] == 0x45 && ip[9] == 17)) break;
    CHECK_EQ(big16(ip + 2), length);
    CHECK_EQ(big16(ip + 24), length - 20);
    it->packets[it->count++] = (packet){.time = little(record) * INT64_C(1000000000) + little(record + 4),
                                        .source = big16(ip + 20), .target = big16(ip + 22), .size = length - 28, .bytes = ip + 28};
    place += 16 + length;
  }
  CHECK_EQ(place, size);
  return it;
}

static void capture_end(capture *it) {
  free(it->memory);
  free(it);
}

static uint32_t capture_count(const capture *it, uint32_t source, uint32_t target, int isControl) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < it->count; i++) {
    const packet *one = &it->packets[i];
    int looks = one->size > 1 && one->bytes[1] >= 192 && one->bytes[1] <= 223;
    if (one->source == source && one->target == target && looks == isControl && one->bytes[0] >> 6 == 2) count++;
  }
  return count;
}

static msdk_result captured(msdk_engine *engine, const char *url, const char *path, uint32_t flags, msdk_session **out) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = url;
  options.user_id = "somebody";
  options.capture_path = path;
  options.capture_flags = flags;
  return msdk_session_create(engine, &options, out);
}

/* Of a call both ends write the same, each from its own side. */
static void both_ends_write_the_same(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  uint16_t port = wire_ports(4);
  char url[256];
  end alice = {0}, bob = {0};
  snprintf(url, sizeof url, "rtp://127.0.0.1:%u?local=%u&rtcp-mux=1", port + 2, port);
  CHECK_OK(captured(engine, url, "alice.pcap", 0, &alice.session));
  snprintf(url, sizeof url, "rtp://127.0.0.1:%u?local=%u&rtcp-mux=1", port, port + 2);
  CHECK_OK(captured(engine, url, "bob.pcap", 0, &bob.session));
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  int64_t start = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
  NEED(end_connect(&bob) && end_connect(&alice));
  show film = show_start(engine, &alice, &bob);
  CHECK(show_play(&film, 30));
  msdk_outbound_stats stats = MSDK_INIT(msdk_outbound_stats);
  CHECK_OK(msdk_outgoing_video_get_network_stats(film.stream, &stats));
  CHECK_OK(msdk_session_disconnect(alice.session));
  CHECK(end_state(&alice, MSDK_SESSION_DISCONNECTED));
  CHECK(end_wait(&bob, MSDK_EVENT_INCOMING_VIDEO_REMOVED, 1));
  CHECK_OK(msdk_session_disconnect(bob.session));
  CHECK(end_state(&bob, MSDK_SESSION_DISCONNECTED));
  capture *here = capture_read("alice.pcap"), *there = capture_read("bob.pcap");
  uint32_t sent = capture_count(here, port, port + 2, 0), came = capture_count(there, port, port + 2, 0);
  CHECK(sent >= stats.packets_sent);
  CHECK(came > 0 && came <= sent && came + 3 >= sent);
  CHECK(capture_count(here, port, port + 2, 1) >= 1); /* a goodbye at the least */
  CHECK(capture_count(there, port, port + 2, 1) >= 1);
  CHECK_EQ(capture_count(here, port + 2, port, 0), 0);
  clock_gettime(CLOCK_REALTIME, &now);
  int64_t last = start;
  for (uint32_t i = 0; i < here->count; i++) {
    CHECK(here->packets[i].time >= last);
    last = here->packets[i].time;
  }
  CHECK(last <= now.tv_sec * INT64_C(1000000000) + now.tv_nsec);
  /* To the byte. */
  const packet *first = NULL, *same = NULL;
  for (uint32_t i = 0; i < there->count && first == NULL; i++) {
    if (there->packets[i].target == port + 2u) first = &there->packets[i];
  }
  for (uint32_t i = 0; first != NULL && i < here->count && same == NULL; i++) {
    const packet *one = &here->packets[i];
    if (one->size == first->size && memcmp(one->bytes, first->bytes, one->size) == 0) same = one;
  }
  CHECK(same != NULL && same->source == port);
  capture_end(here);
  capture_end(there);
  struct stat status;
  CHECK_EQ(stat("alice.pcap", &status), 0);
  CHECK_EQ(status.st_mode & 0777, 0600);
  /* The next connection begins it anew. */
  CHECK_OK(msdk_session_connect(alice.session));
  CHECK(end_state(&alice, MSDK_SESSION_CONNECTED));
  CHECK_OK(msdk_session_disconnect(alice.session));
  CHECK(end_state(&alice, MSDK_SESSION_DISCONNECTED));
  capture *again = capture_read("alice.pcap");
  CHECK(again->count < 10);
  capture_end(again);
  show_end(&film);
  msdk_engine_destroy(engine);
}

/* As it is sent, or as it can be looked into: one end writes each. */
static void protected_and_plain(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  uint16_t port = wire_ports(4);
  char url[256];
  uint8_t own[30], theirs[30];
  for (int i = 0; i < 30; i++) {
    own[i] = (uint8_t)(i * 7 + 3);
    theirs[i] = (uint8_t)(i * 11 + 5);
  }
  end alice = {0}, bob = {0};
  snprintf(url, sizeof url, "rtp://127.0.0.1:%u?local=%u&rtcp-mux=1&srtp=AES_CM_128_HMAC_SHA1_80", port + 2, port);
  CHECK_OK(captured(engine, url, "sealed.pcap", 0, &alice.session));
  snprintf(url, sizeof url, "rtp://127.0.0.1:%u?local=%u&rtcp-mux=1&srtp=AES_CM_128_HMAC_SHA1_80", port, port + 2);
  CHECK_OK(captured(engine, url, "plain.pcap", MSDK_CAPTURE_PLAIN, &bob.session));
  CHECK_OK(msdk_session_set_srtp_keys(alice.session, own, 30, theirs, 30));
  CHECK_OK(msdk_session_set_srtp_keys(bob.session, theirs, 30, own, 30));
  NEED(end_connect(&bob) && end_connect(&alice));
  show film = show_start(engine, &alice, &bob);
  CHECK(show_play(&film, 10));
  CHECK_OK(msdk_session_disconnect(alice.session));
  CHECK(end_state(&alice, MSDK_SESSION_DISCONNECTED));
  CHECK_OK(msdk_session_disconnect(bob.session));
  CHECK(end_state(&bob, MSDK_SESSION_DISCONNECTED));
  capture *sealed = capture_read("sealed.pcap"), *plain = capture_read("plain.pcap");
  /* The same packets by their numbers: ten bytes of tag longer, and none of the payload the same. */
  uint32_t found = 0;
  for (uint32_t i = 0; i < plain->count; i++) {
    const packet *one = &plain->packets[i];
    if (one->target != port + 2u || one->size < 100 || (one->bytes[1] >= 192 && one->bytes[1] <= 223)) continue;
    for (uint32_t j = 0; j < sealed->count; j++) {
      const packet *other = &sealed->packets[j];
      if (other->source != port || other->size < 12 || memcmp(other->bytes, one->bytes, 12) != 0) continue;
      CHECK_EQ(other->size, one->size + 10);
      CHECK(memcmp(other->bytes + 40, one->bytes + 40, 32) != 0);
      found++;
    }
  }
  CHECK(found >= 1);
  capture_end(sealed);
  capture_end(plain);
  show_end(&film);
  msdk_engine_destroy(engine);
}

/* Packets from or to a port, or (0) any, and those of them in which a key frame of the film begins (RFC 6386, section 9.1). With its size, as three bytes alone
 * are in one of some thousand packets by chance. */
static void count_key_frames(const capture *it, uint32_t port, uint32_t *packets, uint32_t *key_frames) {
  static const uint8_t code[7] = {0x9D, 0x01, 0x2A, SHOW_WIDTH, 0, SHOW_HEIGHT, 0};
  *packets = *key_frames = 0;
  for (uint32_t i = 0; i < it->count; i++) {
    const packet *one = &it->packets[i];
    if (port != 0 && one->source != port && one->target != port) continue;
    (*packets)++;
    for (uint32_t at = 12; at + sizeof code <= one->size && at < 80; at++) {
      if (memcmp(one->bytes + at, code, sizeof code) == 0) (*key_frames)++;
    }
  }
}

/* The media of somebody in a served room, sealed of who sends and plain of who receives. */
static void a_member_of_a_served_room(void) {
  house it = house_new("127.0.0.1");
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  end alice = {0}, bob = {0};
  options.url = it.url;
  options.user_id = "alice";
  options.capture_path = "member.pcap";
  CHECK_OK(msdk_session_create(it.away, &options, &alice.session));
  options.user_id = "bob";
  options.capture_path = "opened.pcap";
  options.capture_flags = MSDK_CAPTURE_PLAIN;
  CHECK_OK(msdk_session_create(it.away, &options, &bob.session));
  NEED(end_connect(&bob) && end_connect(&alice));
  show film = show_start(it.away, &alice, &bob);
  CHECK(show_play(&film, 10));
  CHECK_OK(msdk_session_disconnect(alice.session));
  CHECK(end_state(&alice, MSDK_SESSION_DISCONNECTED));
  CHECK_OK(msdk_session_disconnect(bob.session));
  CHECK(end_state(&bob, MSDK_SESSION_DISCONNECTED));
  capture *sealed = capture_read("member.pcap"), *plain = capture_read("opened.pcap");
  uint32_t packets, key_frames;
  count_key_frames(sealed, 0, &packets, &key_frames);
  CHECK(packets >= 10 && packets == sealed->count);
  CHECK_EQ(key_frames, 0);
  count_key_frames(plain, 0, &packets, &key_frames);
  CHECK(packets >= 10 && packets == plain->count);
  CHECK(key_frames >= 1);
  capture_end(sealed);
  capture_end(plain);
  show_end(&film);
  house_close(&it);
}

static void what_is_refused(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  msdk_session *session = NULL;
  CHECK_ERROR(captured(engine, "loopback:captured", "room.pcap", 0, &session), MSDK_E_UNSUPPORTED, "capture_path");
  CHECK_ERROR(captured(engine, "rtp://127.0.0.1:9", "flags.pcap", 2, &session), MSDK_E_UNSUPPORTED, "capture_flags");
  CHECK(access("room.pcap", F_OK) != 0);
  CHECK_OK(captured(engine, "rtp://127.0.0.1:9", "/nonexistent/there.pcap", 0, &session));
  CHECK_ERROR(msdk_session_connect(session), MSDK_E_IO, "/nonexistent/there.pcap");
  uint32_t state = UINT32_MAX;
  CHECK_OK(msdk_session_get_state(session, &state));
  CHECK_EQ(state, MSDK_SESSION_IDLE);
  msdk_session_destroy(session);
  CHECK_OK(captured(engine, "loopback:captured", "", 0, &session));
  msdk_engine_destroy(engine);
}

/* A reader that goes away would reach the program as SIGPIPE, when the rest is written at the end. */
static void a_pipe_is_no_file(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  CHECK_EQ(mkfifo("pipe.pcap", 0600), 0);
  for (int is_read = 0; is_read < 2; is_read++) {
    int reader = is_read ? open("pipe.pcap", O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    msdk_session *session = NULL;
    CHECK_OK(captured(engine, "rtp://127.0.0.1:9", "pipe.pcap", 0, &session));
    CHECK_ERROR(msdk_session_connect(session), MSDK_E_INVALID, "regular file");
    if (reader >= 0) close(reader);
    msdk_session_disconnect(session);
    msdk_session_destroy(session);
  }
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  RUN(both_ends_write_the_same);
  RUN(protected_and_plain);
  RUN(a_member_of_a_served_room);
  RUN(what_is_refused);
  RUN(a_pipe_is_no_file);
  return check_finish();
}
