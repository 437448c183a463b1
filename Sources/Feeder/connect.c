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

msdk_result wait_for(int socket, short events, int64_t deadline) {
  for (;;) {
    int64_t left = (deadline - now_ns() + 999999) / 1000000;
    struct pollfd one = {socket, events, 0};
    int ready = poll(&one, 1, left > 0 ? (int)left : 0);
    if (ready > 0) return MSDK_OK;
    if (ready == 0) return fail(MSDK_E_TIMEOUT, "the session did not answer in time");
    if (errno != EINTR) return fail(MSDK_E_IO, "poll: %s", strerror(errno));
  }
}

msdk_result connect_to(const msdk_feeder_options *options, int64_t deadline, msdk_feeder *feeder) {
  struct sockaddr_in inside = {.sin_family = AF_INET, .sin_port = htons((uint16_t)options->port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  struct sockaddr_un path = {.sun_family = AF_UNIX};
  if (feeder->is_unix) memcpy(path.sun_path, options->socket_path, strlen(options->socket_path));
  feeder->socket = socket(feeder->is_unix ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (feeder->socket < 0) return fail(MSDK_E_NOMEM, "out of file descriptors: %s", strerror(errno));
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
  int one = 1;
  if (code == 0 && !feeder->is_unix) setsockopt(feeder->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (code == 0) return MSDK_OK;
  msdk_result result = code == ECONNREFUSED || code == ENOENT ? MSDK_E_NOT_FOUND : code == EACCES ? MSDK_E_PERMISSION : MSDK_E_IO;
  if (feeder->is_unix) return fail(result, "no session listens at %s: %s", options->socket_path, strerror(code));
  return fail(result, "no session listens on port %u: %s", options->port, strerror(code));
}
