/* Who listens where a feeder connects: what they hear before they have proved the reception token, and what after. */
#include "feeding.h"

enum { HELLO_SIZE = 56, CHALLENGE_SIZE = 80, HEARD_MAX = 65536 };

typedef struct listener listener;
/* What it does with a feeder whose HELLO it has heard; afterwards it listens until the feeder goes. */
typedef void play(listener *it, int fd, exchange *with);

struct listener {
  door where; /* its port or path */
  int socket, by_path, number;
  play *plays;
  const door *session; /* a real one, for those who know where it is */
  pthread_t thread;
  uint8_t heard[HEARD_MAX];
  size_t heard_size;
};

/* Whether any 8 bytes of a token are in what was said. */
static int has_token(const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i + 8 <= sizeof feeding_token; i++) {
    if (memmem(bytes, size, feeding_token + i, 8) != NULL) return 1;
  }
  for (size_t i = 0; i + 8 <= sizeof feeding_answer; i++) {
    if (memmem(bytes, size, feeding_answer + i, 8) != NULL) return 1;
  }
  return 0;
}

static int hear(listener *it, int fd, size_t size) {
  size_t before = it->heard_size;
  while (it->heard_size - before < size && it->heard_size < HEARD_MAX) {
    size_t left = size - (it->heard_size - before), room = HEARD_MAX - it->heard_size;
    ssize_t got = read(fd, it->heard + it->heard_size, left < room ? left : room);
    if (got <= 0) return 0;
    it->heard_size += (size_t)got;
  }
  return 1;
}

static void *listen_to_one(void *argument) {
  listener *it = argument;
  int fd = accept(it->socket, NULL, NULL);
  if (hear(it, fd, HELLO_SIZE)) {
    exchange with = exchange_of(fd, it->by_path, 0);
    memcpy(with.feeder_nonce, it->heard + 24, 32);
    it->plays(it, fd, &with);
    hear(it, fd, HEARD_MAX);
  }
  close(fd);
  return NULL;
}

static void listener_open(listener *it, int by_path, play *plays) {
  static int counter;
  memset(it, 0, sizeof *it);
  it->by_path = by_path;
  it->plays = plays;
  it->socket = socket(by_path ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in inside = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  struct sockaddr_un path = {.sun_family = AF_UNIX};
  socklen_t size = by_path ? sizeof path : sizeof inside;
  snprintf(it->where.path, sizeof it->where.path, "rogue-%d-%d", (int)getpid(), counter++);
  snprintf(path.sun_path, sizeof path.sun_path, "%s", it->where.path);
  struct sockaddr *address = by_path ? (struct sockaddr *)&path : (struct sockaddr *)&inside;
  CHECK(bind(it->socket, address, size) == 0 && listen(it->socket, 8) == 0 && getsockname(it->socket, address, &size) == 0);
  it->where.port = ntohs(inside.sin_port);
}

/* A feeder comes to it: what that makes of it. *out is its own to close. */
static msdk_result meet(listener *it, uint32_t timeout_ms, msdk_feeder **out) {
  CHECK(pthread_create(&it->thread, NULL, listen_to_one, it) == 0);
  msdk_feeder_options options = feeder_options(&it->where, it->by_path);
  if (timeout_ms != 0) options.timeout_ms = timeout_ms;
  return msdk_feeder_open(&options, out);
}

static void listener_close(listener *it) {
  pthread_join(it->thread, NULL);
  close(it->socket);
  if (it->by_path) unlink(it->where.path);
}

/* ------------------------------------------------------------------------------------------- what listeners without the token do */

static void challenge(int fd, const exchange *with, uint32_t version, const uint8_t proof[32]) {
  uint8_t bytes[CHALLENGE_SIZE], *end = raw32(raw32(raw_head(bytes, 72, 20), version), 0);
  memcpy(end, with->session_nonce, 32);
  memcpy(end + 32, proof, 32);
  CHECK(raw_send(fd, bytes, sizeof bytes, NULL, 0));
}

static void guesses(listener *it, int fd, exchange *with) {
  static const uint8_t zeros[32];
  (void)it;
  challenge(fd, with, 2, zeros);
}

static void reflects(listener *it, int fd, exchange *with) {
  (void)it;
  memcpy(with->session_nonce, with->feeder_nonce, 32);
  challenge(fd, with, 2, with->feeder_nonce);
}

static void proves_another_token(listener *it, int fd, exchange *with) {
  uint8_t proof[32], token[sizeof feeding_answer + 1] = {0};
  memcpy(token, feeding_answer, sizeof feeding_answer);
  (void)it;
  exchange_prove(with, "MSDKFEED session", token, sizeof token, proof);
  challenge(fd, with, 2, proof);
}

/* Of another feeder's connection to the real session: the challenge as it was. */
static void replays(listener *it, int fd, exchange *with) {
  uint8_t proof[32];
  exchange old;
  int other = raw_challenged(it->session, it->by_path, &old);
  close(other);
  (void)with;
  exchange_prove(&old, "MSDKFEED session", feeding_answer, sizeof feeding_answer, proof);
  challenge(fd, &old, 2, proof);
}

/* The session answers for it: HELLO goes there and its CHALLENGE comes back, for this very feeder. Strangers reach it by TCP only. */
static void forwards(listener *it, int fd, exchange *with) {
  uint8_t bytes[CHALLENGE_SIZE];
  int there = raw_connect(it->session, 0);
  (void)with;
  CHECK(raw_send(there, it->heard, HELLO_SIZE, NULL, 0) && raw_read(there, bytes, sizeof bytes));
  CHECK(raw_send(fd, bytes, sizeof bytes, NULL, 0));
  hear(it, fd, HEARD_MAX);
  close(there);
}

static void welcomes(listener *it, int fd, exchange *with) {
  uint8_t bytes[24] = {0};
  (void)it, (void)with;
  raw_head(bytes, 16, 16);
  raw32(bytes + 8, 2);
  CHECK(raw_send(fd, bytes, sizeof bytes, NULL, 0));
}

static void says_refused(int fd, uint32_t reason, const char *text) {
  uint8_t bytes[512], *end = raw32(raw_head(bytes, 8 + (uint32_t)strlen(text), 17), reason);
  end = raw32(end, UINT32_MAX); /* more than there is */
  memcpy(end, text, strlen(text));
  CHECK(raw_send(fd, bytes, 16 + strlen(text), NULL, 0));
}

static void is_of_version_1(listener *it, int fd, exchange *with) {
  (void)it, (void)with;
  says_refused(fd, MSDK_FEED_VERSION, "version 2; this session speaks 1");
}

static void is_of_version_3(listener *it, int fd, exchange *with) {
  uint8_t proof[32];
  (void)it;
  exchange_prove(with, "MSDKFEED session", feeding_answer, sizeof feeding_answer, proof);
  challenge(fd, with, 3, proof);
}

static void writes_to_the_terminal(listener *it, int fd, exchange *with) {
  (void)it, (void)with;
  says_refused(fd, MSDK_FEED_NOT_ADMITTED, "\x1b[2J\r\n\x07gone\x7f");
}

static void says_a_head(listener *it, int fd, exchange *with) {
  static const struct { uint32_t size, type; } heads[] = {
      {UINT32_MAX, 20}, {71, 20}, {73, 20}, {1025, 17}, {7, 17}, {0, 19}, {72, 0x10014}};
  uint8_t bytes[8];
  (void)with;
  raw_head(bytes, heads[it->number].size, heads[it->number].type);
  CHECK(raw_send(fd, bytes, sizeof bytes, NULL, 0));
}
enum { HEADS = 7 };

static void breaks_off(listener *it, int fd, exchange *with) {
  static const size_t cuts[] = {0, 1, 8, 9, CHALLENGE_SIZE - 1};
  uint8_t bytes[CHALLENGE_SIZE] = {0};
  (void)with;
  raw_head(bytes, 72, 20);
  CHECK(raw_send(fd, bytes, cuts[it->number], NULL, 0) || cuts[it->number] == 0);
  shutdown(fd, SHUT_WR);
}
enum { CUTS = 5 };

static void is_silent(listener *it, int fd, exchange *with) { (void)it, (void)fd, (void)with; }

/* A byte at a time, until the feeder has had enough: each is progress, and all together not. */
static void dribbles(listener *it, int fd, exchange *with) {
  uint8_t bytes[CHALLENGE_SIZE] = {0};
  (void)it, (void)with;
  raw_head(bytes, 72, 20);
  for (size_t i = 0; i + 1 < sizeof bytes && raw_send(fd, bytes + i, 1, NULL, 0); i++) sleep_ms(20);
}

static void nobody_hears_the_token_without_it(void) {
  static const struct { play *plays; int numbers; uint32_t timeout_ms; msdk_result result; const char *words; } cases[] = {
      {guesses, 1, 0, MSDK_E_UNTRUSTED, "did not prove the reception token"},
      {reflects, 1, 0, MSDK_E_UNTRUSTED, "did not prove the reception token"},
      {proves_another_token, 1, 0, MSDK_E_UNTRUSTED, "did not prove the reception token"},
      {replays, 1, 0, MSDK_E_UNTRUSTED, "did not prove the reception token"},
      {forwards, 1, 0, MSDK_E_UNTRUSTED, "did not prove the reception token"},
      {welcomes, 1, 0, MSDK_E_CORRUPT, "not a session: message 16 of 16 bytes"},
      {is_of_version_1, 1, 0, MSDK_E_ABI, "version 2; this session speaks 1"},
      {is_of_version_3, 1, 0, MSDK_E_ABI, "version 3; this feeder uses 2"},
      {writes_to_the_terminal, 1, 0, MSDK_E_PERMISSION, "the session refused:  [2J   gone "},
      {says_a_head, HEADS, 0, MSDK_E_CORRUPT, "not a session"},
      {breaks_off, CUTS, 0, MSDK_E_IO, "closed the connection"},
      {is_silent, 1, 100, MSDK_E_TIMEOUT, "in time"},
      {dribbles, 1, 300, MSDK_E_TIMEOUT, "in time"}};
  static listener it;
  static uint8_t nonces[64][32];
  int count = 0;
  door session = door_open(MSDK_CODEC_RAW);
  for (int by_path = 0; by_path < 2; by_path++) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      for (int number = 0; number < cases[i].numbers; number++) {
        listener_open(&it, by_path, cases[i].plays);
        it.session = &session;
        it.number = number;
        msdk_feeder *feeder = NULL;
        int before = check_failed;
        CHECK_RESULT(meet(&it, cases[i].timeout_ms, &feeder), cases[i].result);
        CHECK(feeder == NULL);
        CHECK_STR_CONTAINS(msdk_feeder_last_error(), cases[i].words);
        msdk_feeder_close(feeder);
        listener_close(&it);
        /* A HELLO, of which nothing but 32 random bytes is the feeder's own; no more came. */
        uint8_t hello[HELLO_SIZE];
        raw_hello(hello, 2, it.heard + 24, 32);
        CHECK_EQ(it.heard_size, HELLO_SIZE);
        CHECK(memcmp(it.heard, hello, sizeof hello) == 0);
        CHECK(!has_token(it.heard, it.heard_size));
        for (int n = 0; n < count; n++) CHECK(memcmp(nonces[n], it.heard + 24, 32) != 0);
        memcpy(nonces[count++], it.heard + 24, 32);
        if (check_failed != before) fprintf(stderr, "  case %zu, number %d, %s\n", i, number, by_path ? "unix" : "tcp");
      }
    }
  }
  /* Nor was anybody let in by what they heard. */
  msdk_event event = MSDK_INIT(msdk_event);
  while (event_take(session.host, MSDK_EVENT_INGEST, &event)) CHECK(event.state != MSDK_INGEST_FEEDER_CONNECTED);
  door_close(&session);
}

/* ----------------------------------------------------------------------------------------------------------- and those with it */

static void proves(int fd, exchange *with) {
  uint8_t proof[32];
  exchange_prove(with, "MSDKFEED session", feeding_answer, sizeof feeding_answer, proof);
  challenge(fd, with, 2, proof);
}

/* Its proof, and nothing that anybody could have known before. */
static void hears_the_proof(listener *it, int fd, const exchange *with) {
  uint8_t right[40];
  raw_proof(right, with, feeding_token, sizeof feeding_token);
  CHECK(hear(it, fd, sizeof right) && memcmp(it->heard + HELLO_SIZE, right, sizeof right) == 0);
}

static void is_the_session(listener *it, int fd, exchange *with) {
  proves(fd, with);
  hears_the_proof(it, fd, with);
  uint8_t welcome[24] = {0};
  raw64(raw32(raw32(raw_head(welcome, 16, 16), 2), it->by_path ? 16 : 0), 1 << 20);
  CHECK(raw_send(fd, welcome, sizeof welcome, NULL, 0));
}

/* And takes no frame, however long one waits. */
static void is_the_session_and_reads_nothing(listener *it, int fd, exchange *with) {
  is_the_session(it, fd, with);
  struct pollfd gone = {fd, POLLRDHUP, 0};
  while (poll(&gone, 1, -1) < 0) continue;
}

static void is_busy(listener *it, int fd, exchange *with) {
  proves(fd, with);
  hears_the_proof(it, fd, with);
  says_refused(fd, MSDK_FEED_BUSY, "another feeder is connected");
}

static void challenges_twice(listener *it, int fd, exchange *with) {
  proves(fd, with);
  hears_the_proof(it, fd, with);
  proves(fd, with);
}

static void proves_and_is_silent(listener *it, int fd, exchange *with) {
  (void)it;
  proves(fd, with);
}

/* A crowd took its place the first time. */
static void is_crowded_at_first(listener *it, int fd, exchange *with) {
  says_refused(fd, MSDK_FEED_CROWDED, "too many connections wait for the handshake");
  hear(it, fd, HEARD_MAX);
  CHECK_EQ(it->heard_size, HELLO_SIZE);
  it->heard_size = 0;
  int again = accept(it->socket, NULL, NULL);
  CHECK(hear(it, again, HELLO_SIZE) && memcmp(it->heard + 24, with->feeder_nonce, 32) != 0);
  *with = exchange_of(again, it->by_path, 0);
  memcpy(with->feeder_nonce, it->heard + 24, 32);
  is_the_session(it, again, with);
  hear(it, again, HEARD_MAX);
  close(again);
}

/* It had room for nobody the first time, and has none until the timeout. */
static void is_crowded(listener *it, int fd, exchange *with) {
  (void)with;
  says_refused(fd, MSDK_FEED_CROWDED, "too many connections wait for the handshake");
  hear(it, fd, HEARD_MAX);
  it->heard_size = 0;
  int again = accept(it->socket, NULL, NULL);
  hear(it, again, HEARD_MAX);
  close(again);
}

static void the_session_is_fed(void) {
  static listener it;
  for (int by_path = 0; by_path < 2; by_path++) {
    listener_open(&it, by_path, is_the_session);
    msdk_feeder *feeder = NULL;
    CHECK_OK(meet(&it, 0, &feeder));
    msdk_feeder_frame picture = picture_of(MSDK_PIXEL_NV12, 64, 32, 3);
    CHECK_OK(msdk_feeder_send(feeder, &picture));
    CHECK_OK(msdk_feeder_flush(feeder, 20000));
    msdk_feeder_close(feeder);
    listener_close(&it);
    CHECK_EQ(it.heard_size, HELLO_SIZE + 40 + 72 + RAW_PAYLOAD + 8);
    CHECK(!has_token(it.heard, it.heard_size));
    listener_open(&it, by_path, is_crowded_at_first);
    CHECK_OK(meet(&it, 0, &feeder));
    CHECK_EQ(feeder_reason(feeder), MSDK_FEED_NONE);
    msdk_feeder_close(feeder);
    listener_close(&it);
    CHECK_EQ(it.heard_size, HELLO_SIZE + 40 + 8);
    if (by_path) { /* whose buffers are small; those of TCP grow with what is sent */
      listener_open(&it, by_path, is_the_session_and_reads_nothing);
      CHECK_OK(meet(&it, 0, &feeder));
      picture = picture_of(MSDK_PIXEL_GRAY8, 1024, 1023, 3);
      CHECK_OK(msdk_feeder_flush(feeder, 0)); /* nothing is on its way */
      CHECK_OK(msdk_feeder_send(feeder, &picture));
      CHECK_RESULT(msdk_feeder_flush(feeder, 0), MSDK_E_AGAIN);
      CHECK_RESULT(msdk_feeder_flush(feeder, 1), MSDK_E_TIMEOUT);
      CHECK_RESULT(msdk_feeder_send(feeder, &picture), MSDK_E_AGAIN);
      msdk_feeder_close(feeder);
      listener_close(&it);
    }
    listener_open(&it, by_path, is_crowded);
    feeder = NULL;
    CHECK_RESULT(meet(&it, 3000, &feeder), MSDK_E_FULL);
    CHECK_STR_CONTAINS(msdk_feeder_last_error(), "too many connections");
    CHECK(feeder == NULL);
    listener_close(&it);
    CHECK_EQ(it.heard_size, HELLO_SIZE);
    static const struct { play *plays; uint32_t timeout_ms; msdk_result result; } cases[] = {
        {is_busy, 0, MSDK_E_EXISTS}, {challenges_twice, 0, MSDK_E_CORRUPT}, {proves_and_is_silent, 100, MSDK_E_TIMEOUT}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      listener_open(&it, by_path, cases[i].plays);
      feeder = NULL;
      CHECK_RESULT(meet(&it, cases[i].timeout_ms, &feeder), cases[i].result);
      CHECK(feeder == NULL);
      listener_close(&it);
      CHECK(it.heard_size == HELLO_SIZE + 40 || cases[i].timeout_ms != 0);
      CHECK(!has_token(it.heard, it.heard_size));
    }
  }
}

/* ------------------------------------------------------------------------------------------------------- both ends as they are */

static uint8_t answered[HEARD_MAX];
static size_t answered_size;

/* Everything goes on, in both directions, and is kept. */
static void records(listener *it, int fd, exchange *with) {
  int there = raw_connect(it->session, it->by_path);
  size_t passed = 0;
  (void)with;
  for (int is_open = 1; is_open;) {
    if (!raw_send(there, it->heard + passed, it->heard_size - passed, NULL, 0)) break;
    passed = it->heard_size;
    struct pollfd both[2] = {{fd, POLLIN, 0}, {there, POLLIN, 0}};
    poll(both, 2, -1);
    if (both[0].revents != 0) {
      ssize_t got = read(fd, it->heard + it->heard_size, HEARD_MAX - it->heard_size);
      if (got > 0) it->heard_size += (size_t)got;
      else is_open = 0;
    }
    if (both[1].revents != 0) {
      ssize_t got = read(there, answered + answered_size, HEARD_MAX - answered_size);
      if (got > 0 && raw_send(fd, answered + answered_size, (size_t)got, NULL, 0)) answered_size += (size_t)got;
      else is_open = 0;
    }
  }
  close(there);
}

/* By a Unix socket whoever may connect is this user, who may stand in between: so what both ends say can be recorded. */
static void no_token_in_either_direction(void) {
  static listener it;
  door session = door_open(MSDK_CODEC_RAW);
  listener_open(&it, 1, records);
  it.session = &session;
  msdk_feeder *feeder = NULL;
  CHECK_OK(meet(&it, 0, &feeder));
  NEED(feeder != NULL);
  msdk_feeder_frame picture = picture_of(MSDK_PIXEL_NV12, 64, 32, 3);
  CHECK_OK(feed(feeder, &picture));
  msdk_event event;
  CHECK(door_event(&session, MSDK_INGEST_SHARING, &event));
  msdk_feeder_close(feeder);
  listener_close(&it);
  CHECK(door_event(&session, MSDK_INGEST_FEEDER_DISCONNECTED, &event));
  CHECK_EQ(it.heard_size, HELLO_SIZE + 40 + 72 + RAW_PAYLOAD + 8);
  CHECK_EQ(answered_size, CHALLENGE_SIZE + 24);
  CHECK(!has_token(it.heard, it.heard_size));
  CHECK(!has_token(answered, answered_size));
  /* By TCP it may be anybody: the session's proof is of another connection than the feeder's. */
  listener_open(&it, 0, records);
  it.session = &session;
  answered_size = 0;
  CHECK_RESULT(meet(&it, 0, &feeder), MSDK_E_UNTRUSTED);
  listener_close(&it);
  CHECK_EQ(it.heard_size, HELLO_SIZE);
  CHECK_EQ(answered_size, CHALLENGE_SIZE);
  door_close(&session);
}

int main(int argc, char **argv) {
  (void)argv;
  RUN(nobody_hears_the_token_without_it);
  RUN(the_session_is_fed);
  RUN(no_token_in_either_direction);
  return check_finish();
}
