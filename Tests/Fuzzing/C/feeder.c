/* What a feeder reads: the answers to its greeting, of whoever listens there, and what its session says afterwards.
 *
 * An input: a byte of flags, a byte that says how much of the rest is there at once, and the rest, which is what is said to the feeder.
 *
 * sources: ../Feeder/connect.c ../Feeder/greet.c ../Feeder/link.c ../Feeder/prove.c ../Feeder/sha256.c ../Feeder/wire.c ../Feeder/words.c
 */
#include "../../../Sources/Feeder/self.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HELLO_SIZE = HEAD_SIZE + 48, CHALLENGE_SIZE = HEAD_SIZE + 72, PROOF_SIZE = HEAD_SIZE + 32, SAID_MAX = 65536 };
enum { SAYS_CHALLENGE = 1, SAYS_WELCOME = 2, HAS_SENT_SLOTS = 4, BREAKS_OFF = 8 };

static const uint8_t shown[] = "shown to the session", expected[] = "expected of the listener";

#define EXPECT(condition) ((condition) ? (void)0 : (fprintf(stderr, "a property does not hold: %s\n", #condition), abort()))

/* In the place of random.c: a nonce that an input can know. */
msdk_result random_bytes(uint8_t *bytes, size_t size) {
  memset(bytes, 7, size);
  return MSDK_OK;
}

/* The listener's proof over the nonce of the CHALLENGE that is there. */
static void session_proof(const uint8_t *challenge, uint8_t proof[SHA256_SIZE]) {
  exchange it = {.transport = 2};
  random_bytes(it.feeder_nonce, NONCE_SIZE);
  memcpy(it.session_nonce, challenge + HEAD_SIZE + 8, NONCE_SIZE);
  prove(&it, ROLE_SESSION, expected, sizeof expected, proof);
}

static bool is_right_challenge(const uint8_t *said, size_t size) {
  uint8_t proof[SHA256_SIZE];
  if (size < CHALLENGE_SIZE || get32(said) != 72 || get32(said + 4) != HEAR_CHALLENGE) return false;
  if ((get32(said + HEAD_SIZE) & 0xFFFF) != WIRE_VERSION) return false;
  session_proof(said, proof);
  return memcmp(said + CHALLENGE_SIZE - SHA256_SIZE, proof, sizeof proof) == 0;
}

static size_t say_right_things(uint8_t *said, uint8_t flags) {
  uint8_t *end = said;
  if ((flags & SAYS_CHALLENGE) != 0) {
    end = put32(put32(put_head(said, 72, HEAR_CHALLENGE), WIRE_VERSION), 0);
    memset(end, 9, NONCE_SIZE);
    session_proof(said, end + NONCE_SIZE);
    end += NONCE_SIZE + SHA256_SIZE;
  }
  if ((flags & SAYS_WELCOME) != 0) end = put64(put32(put32(put_head(end, 16, HEAR_WELCOME), WIRE_VERSION), 16), 1 << 24);
  return (size_t)(end - said);
}

static void say(int end, const uint8_t *bytes, size_t size) {
  ssize_t sent = size > 0 ? send(end, bytes, size, MSG_NOSIGNAL) : 0;
  EXPECT(sent == (ssize_t)size);
}

static void check_link(const msdk_feeder *feeder, uint8_t flags) {
  EXPECT(feeder->ended != MSDK_OK || feeder->in_size < sizeof feeder->in);
  size_t length = strnlen(feeder->why, sizeof feeder->why);
  EXPECT(length < sizeof feeder->why && (feeder->ended == MSDK_OK) == (length == 0));
  for (size_t i = 0; i < length; i++) EXPECT((uint8_t)feeder->why[i] >= 0x20 && feeder->why[i] != 0x7F);
  for (int i = 0; i < SLOTS_MAX; i++) {
    slot_state state = feeder->slots[i].state;
    EXPECT((flags & HAS_SENT_SLOTS) != 0 && i < 4 ? state == SLOT_SENT || state == SLOT_FREE : state == SLOT_NONE);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static uint8_t said[SAID_MAX];
  if (size < 2 || size > SAID_MAX / 2) return 0;
  uint8_t flags = data[0];
  size_t all = say_right_things(said, flags);
  memcpy(said + all, data + 2, size - 2);
  all += size - 2;
  size_t at_once = all * data[1] / 255;

  int ends[2];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
  msdk_feeder *feeder = calloc(1, sizeof *feeder);
  *feeder = (msdk_feeder){.socket = ends[0], .wake = -1, .pass = -1, .is_unix = true, .slot_count = 4};
  pthread_mutex_init(&feeder->lock, NULL);
  pthread_cond_init(&feeder->changed, NULL);
  for (int i = 0; i < 4; i++) feeder->slots[i].state = (flags & HAS_SENT_SLOTS) != 0 ? SLOT_SENT : SLOT_NONE;
  msdk_feeder_options options = {.transmission_token = shown, .transmission_token_size = sizeof shown, .reception_token = expected,
                                 .reception_token_size = sizeof expected};

  say(ends[1], said, at_once);
  if ((flags & BREAKS_OFF) != 0) shutdown(ends[1], SHUT_WR);
  msdk_result result = greet(&options, 0, feeder); /* what is not there now comes too late */
  uint8_t heard[256];
  ssize_t count = recv(ends[1], heard, sizeof heard, 0);
  bool was_right = is_right_challenge(said, at_once);
  EXPECT(count == (was_right ? HELLO_SIZE + PROOF_SIZE : HELLO_SIZE));
  EXPECT(memmem(heard, (size_t)count, shown, 8) == NULL && memmem(heard, (size_t)count, expected, 8) == NULL);
  if (result == MSDK_OK) {
    EXPECT(was_right && feeder->slot_count <= 4);
    link_read(feeder);
    check_link(feeder, flags);
    if ((flags & BREAKS_OFF) == 0) say(ends[1], said + at_once, all - at_once);
    for (int n = 0; n < 3; n++) link_read(feeder);
    check_link(feeder, flags);
  } else {
    const char *words = msdk_feeder_last_error();
    for (size_t i = 0; words[i] != 0; i++) EXPECT((uint8_t)words[i] >= 0x20 && words[i] != 0x7F);
    EXPECT(words[0] != 0);
  }
  close(ends[0]);
  close(ends[1]);
  pthread_mutex_destroy(&feeder->lock);
  pthread_cond_destroy(&feeder->changed);
  free(feeder);
  return 0;
}
