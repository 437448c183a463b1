#include "self.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static msdk_result wait_for(int socket, short events, int64_t deadline) {
  for (;;) {
    int64_t left = (deadline - now_ns() + 999999) / 1000000;
    struct pollfd one = {socket, events, 0};
    int ready = poll(&one, 1, left > 0 ? (int)left : 0);
    if (ready > 0) return MSDK_OK;
    if (ready == 0) return fail(MSDK_E_TIMEOUT, "the session did not answer in time");
    if (errno != EINTR) return fail(MSDK_E_IO, "poll: %s", strerror(errno));
  }
}

static msdk_result connect_to(const msdk_feeder_options *options, int64_t deadline, msdk_feeder *feeder) {
  struct sockaddr_in inside = {.sin_family = AF_INET, .sin_port = htons((uint16_t)options->port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  struct sockaddr_un path = {.sun_family = AF_UNIX};
  if (feeder->is_unix) memcpy(path.sun_path, options->socket_path, strlen(options->socket_path));
  feeder->socket = socket(feeder->is_unix ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (feeder->socket < 0) return fail(MSDK_E_NOMEM, "no descriptor is left: %s", strerror(errno));
  const struct sockaddr *address = feeder->is_unix ? (struct sockaddr *)&path : (struct sockaddr *)&inside;
  socklen_t size = feeder->is_unix ? sizeof path : sizeof inside;
  int code = 0;
  /* A Unix socket whose queue is full says so at once, and has nothing to poll. */
  while (connect(feeder->socket, address, size) != 0) {
    code = errno;
    if (code != EAGAIN && code != EINTR) break;
    if (now_ns() >= deadline) return fail(MSDK_E_TIMEOUT, "the session did not answer in time");
    struct timespec moment = {0, 5000000};
    nanosleep(&moment, NULL);
    code = 0;
  }
  if (code == EINPROGRESS) {
    msdk_result waited = wait_for(feeder->socket, POLLOUT, deadline);
    if (waited < 0) return waited;
    socklen_t length = sizeof code;
    getsockopt(feeder->socket, SOL_SOCKET, SO_ERROR, &code, &length);
  }
  if (code == 0) return MSDK_OK;
  msdk_result result = code == ECONNREFUSED || code == ENOENT ? MSDK_E_NOT_FOUND : code == EACCES ? MSDK_E_PERMISSION : MSDK_E_IO;
  if (feeder->is_unix) return fail(result, "no session listens on %s: %s", options->socket_path, strerror(code));
  return fail(result, "no session listens on port %u: %s", options->port, strerror(code));
}

static msdk_result read_whole(msdk_feeder *feeder, uint8_t *bytes, size_t size, int64_t deadline) {
  for (size_t got = 0; got < size;) {
    ssize_t some = recv(feeder->socket, bytes + got, size - got, 0);
    if (some > 0) {
      got += (size_t)some;
      continue;
    }
    if (some == 0 || (errno != EAGAIN && errno != EINTR)) return fail(MSDK_E_IO, "the session broke off while it was greeted");
    msdk_result waited = wait_for(feeder->socket, POLLIN, deadline);
    if (waited < 0) return waited;
  }
  return MSDK_OK;
}

static bool same(const uint8_t *given, size_t given_size, const uint8_t *wanted, size_t wanted_size) {
  volatile uint8_t difference = given_size != wanted_size;
  for (size_t i = 0; i < TOKEN_MAX; i++) {
    difference |= (uint8_t)((i < given_size ? given[i] : 0) ^ (i < wanted_size ? wanted[i] : 0));
  }
  return difference == 0;
}

static msdk_result refused(const uint8_t *body, size_t size) {
  size_t length = get32(body + 4);
  if (length > size - 8) length = size - 8;
  uint32_t reason = get32(body);
  static const msdk_result results[] = {MSDK_E_IO,      MSDK_E_PERMISSION, MSDK_E_EXISTS, MSDK_E_ABI,     MSDK_E_CORRUPT, MSDK_E_RANGE,
                                        MSDK_E_INVALID, MSDK_E_INVALID,    MSDK_E_TIMEOUT, MSDK_E_NOMEM, MSDK_E_CLOSED};
  return fail(reason < sizeof results / sizeof results[0] ? results[reason] : MSDK_E_FAIL, "the session refuses: %.*s", (int)length,
              (const char *)body + 8);
}

msdk_result greet(const msdk_feeder_options *options, int64_t deadline, msdk_feeder *feeder) {
  msdk_result result = connect_to(options, deadline, feeder);
  if (result < 0) return result;
  int one = 1;
  if (!feeder->is_unix) setsockopt(feeder->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  uint8_t hello[HEAD_SIZE + 16 + TOKEN_MAX];
  uint32_t token = options->transmission_token_size;
  uint8_t *end = put_head(hello, 16 + token, SAY_HELLO);
  memcpy(end, "MSDKFEED", 8);
  end = put32(put16(put16(end + 8, 1), (uint16_t)token), 0);
  memcpy(end, options->transmission_token, token);
  size_t size = (size_t)(end - hello) + token;
  /* A new socket has room for it. */
  if (send(feeder->socket, hello, size, MSG_NOSIGNAL) != (ssize_t)size) {
    return fail(MSDK_E_IO, "the session broke off while it was greeted");
  }

  uint8_t head[HEAD_SIZE], body[1024];
  if ((result = read_whole(feeder, head, sizeof head, deadline)) < 0) return result;
  uint32_t length = get32(head), type = get32(head + 4);
  bool is_welcome = type == HEAR_WELCOME && length >= 16 + TOKEN_MIN && length <= 16 + TOKEN_MAX;
  if (!is_welcome && !(type == HEAR_REFUSED && length >= 8 && length <= sizeof body)) {
    return fail(MSDK_E_CORRUPT, "what answers is no session: message %u of %u bytes", type, length);
  }
  if ((result = read_whole(feeder, body, length, deadline)) < 0) return result;
  if (!is_welcome) return refused(body, length);
  if (!same(body + 16, length - 16, options->reception_token, options->reception_token_size)) {
    return fail(MSDK_E_PERMISSION, "the session showed another reception token; nothing was sent to it");
  }
  if ((get32(body) & 0xFFFF) != 1) return fail(MSDK_E_ABI, "the session speaks version %u; this feeder speaks 1", get32(body) & 0xFFFF);
  feeder->largest = get64(body + 8);
  uint32_t most = get32(body + 4);
  if (most > SLOTS_MAX) most = SLOTS_MAX;
  if (feeder->slot_count > most) feeder->slot_count = most;
  return MSDK_OK;
}
