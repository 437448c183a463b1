#include "self.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

enum { CHALLENGE_SIZE = 8 + NONCE_SIZE + SHA256_SIZE, WELCOME_SIZE = 16, ANSWER_MAX = 1024 };

static msdk_result broke_off(void) { return fail(MSDK_E_IO, "the session closed the connection during the handshake"); }

static msdk_result read_whole(msdk_feeder *feeder, uint8_t *bytes, size_t size, int64_t deadline) {
  for (size_t got = 0; got < size;) {
    ssize_t some = recv(feeder->socket, bytes + got, size - got, 0);
    if (some > 0) {
      got += (size_t)some;
      continue;
    }
    if (some == 0 || (errno != EAGAIN && errno != EINTR)) return broke_off();
    msdk_result waited = wait_for(feeder->socket, POLLIN, deadline);
    if (waited < 0) return waited;
  }
  return MSDK_OK;
}

/* A new socket has room for it. */
static bool say(msdk_feeder *feeder, const uint8_t *bytes, size_t size) {
  return send(feeder->socket, bytes, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static msdk_result refused(msdk_feeder *feeder, const uint8_t *body, uint32_t size) {
  uint32_t reason = feeder->reason = get32(body);
  static const msdk_result results[] = {MSDK_E_IO,      MSDK_E_PERMISSION, MSDK_E_EXISTS, MSDK_E_ABI,     MSDK_E_CORRUPT, MSDK_E_RANGE,
                                        MSDK_E_INVALID, MSDK_E_INVALID,    MSDK_E_TIMEOUT, MSDK_E_FULL, MSDK_E_CLOSED};
  char why[REFUSAL_MAX];
  return fail(reason < sizeof results / sizeof results[0] ? results[reason] : MSDK_E_FAIL, "the session refused: %s",
              refusal_text(body, size, why));
}

/* The message that must come now, of exactly that size; a REFUSED in its place is the error. */
static msdk_result hear_one(msdk_feeder *feeder, uint32_t type, uint32_t size, uint8_t body[ANSWER_MAX], int64_t deadline) {
  uint8_t head[HEAD_SIZE];
  msdk_result result = read_whole(feeder, head, sizeof head, deadline);
  if (result < 0) return result;
  uint32_t length = get32(head), got = get32(head + 4);
  bool is_refusal = got == HEAR_REFUSED && length >= 8 && length <= ANSWER_MAX;
  if (!is_refusal && (got != type || length != size)) {
    return fail(MSDK_E_CORRUPT, "the peer is not a session: message %u of %u bytes", got, length);
  }
  if ((result = read_whole(feeder, body, length, deadline)) < 0) return result;
  return is_refusal ? refused(feeder, body, length) : MSDK_OK;
}

msdk_result greet(const msdk_feeder_options *options, int64_t deadline, msdk_feeder *feeder) {
  exchange it;
  msdk_result result = exchange_begin(feeder, &it);
  if (result < 0) return result;
  uint8_t hello[HEAD_SIZE + 16 + NONCE_SIZE], *end = put_head(hello, 16 + NONCE_SIZE, SAY_HELLO);
  memcpy(end, "MSDKFEED", 8);
  end = put32(put16(put16(end + 8, WIRE_VERSION), 0), 0);
  memcpy(end, it.feeder_nonce, NONCE_SIZE);
  if (!say(feeder, hello, sizeof hello)) return broke_off();

  /* Whoever listens must prove that they know the reception token before they are sent anything that depends on a secret. */
  uint8_t body[ANSWER_MAX], proof[SHA256_SIZE];
  if ((result = hear_one(feeder, HEAR_CHALLENGE, CHALLENGE_SIZE, body, deadline)) < 0) return result;
  uint32_t version = get32(body) & 0xFFFF;
  if (version != WIRE_VERSION) return fail(MSDK_E_ABI, "the session uses protocol version %u; this feeder uses %u", version, WIRE_VERSION);
  memcpy(it.session_nonce, body + 8, NONCE_SIZE);
  prove(&it, ROLE_SESSION, options->reception_token, options->reception_token_size, proof);
  if (!is_same_mac(proof, body + 8 + NONCE_SIZE)) {
    return fail(MSDK_E_UNTRUSTED,
                "what listens there did not prove the reception token: it is not the session, or has another reception token, or something in "
                "between forwards the connection; nothing was sent to it");
  }

  uint8_t answer[HEAD_SIZE + SHA256_SIZE];
  prove(&it, ROLE_FEEDER, options->transmission_token, options->transmission_token_size, put_head(answer, SHA256_SIZE, SAY_PROOF));
  bool is_said = say(feeder, answer, sizeof answer);
  /* Where it was not, a refusal may wait to be read. */
  result = hear_one(feeder, HEAR_WELCOME, WELCOME_SIZE, body, is_said ? deadline : now_ns());
  if (result < 0) return result;
  feeder->largest = get64(body + 8);
  uint32_t most = get32(body + 4);
  if (most > SLOTS_MAX) most = SLOTS_MAX;
  if (feeder->slot_count > most) feeder->slot_count = most;
  return MSDK_OK;
}
