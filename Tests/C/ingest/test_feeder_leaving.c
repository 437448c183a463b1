/* A feeder that closes: the session receives what was sent, and BYE, however late it reads, and whatever it says meanwhile. */
#include "feeding.h"

enum { HELLO_SIZE = 56, WIDTH = 1024, FRAME_MAX = 8 + 64 + WIDTH * 1023 };

typedef struct peer {
  door where;
  int socket, by_path;
  atomic_int is_left; /* the feeder's close has returned */
  uint8_t *heard;     /* after the handshake */
  size_t heard_size;
  int is_reset;
  pthread_t thread;
} peer;

/* By hand, so that it reads when the test wants it to. */
static void *is_the_session(void *argument) {
  peer *it = argument;
  uint8_t bytes[512], proof[32];
  int fd = accept(it->socket, NULL, NULL);
  CHECK(raw_read(fd, bytes, HELLO_SIZE));
  exchange with = exchange_of(fd, it->by_path, 0);
  memcpy(with.feeder_nonce, bytes + 24, 32);
  exchange_prove(&with, "MSDKFEED session", feeding_answer, sizeof feeding_answer, proof);
  uint8_t *end = raw32(raw32(raw_head(bytes, 72, 20), 2), 0);
  memcpy(end, with.session_nonce, 32);
  memcpy(end + 32, proof, 32);
  CHECK(raw_send(fd, bytes, 80, NULL, 0) && raw_read(fd, bytes, 40));
  raw64(raw32(raw32(raw_head(bytes, 16, 16), 2), it->by_path ? 16 : 0), 1 << 20);
  CHECK(raw_send(fd, bytes, 24, NULL, 0));
  /* A feeder that does not wait for the session has gone by now, and what is said to it next finds nobody. */
  struct pollfd frame = {fd, POLLIN, 0};
  CHECK(poll(&frame, 1, 60000) == 1);
  for (int tries = 0; tries < 20 && !atomic_load(&it->is_left); tries++) sleep_ms(5);
  raw_head(bytes, 0, 19);
  raw_send(fd, bytes, 8, NULL, 0);
  sleep_ms(5);
  for (ssize_t got = 1; got > 0;) {
    got = read(fd, it->heard + it->heard_size, FRAME_MAX + 64 - it->heard_size);
    if (got > 0) it->heard_size += (size_t)got;
    it->is_reset = got < 0;
  }
  close(fd);
  return NULL;
}

static void leaves(int by_path, uint32_t height) {
  peer it = {.by_path = by_path, .heard = malloc(FRAME_MAX + 64)};
  struct sockaddr_in inside = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  struct sockaddr_un path = {.sun_family = AF_UNIX};
  socklen_t size = by_path ? sizeof path : sizeof inside;
  snprintf(it.where.path, sizeof it.where.path, "leaving-%d", (int)getpid());
  snprintf(path.sun_path, sizeof path.sun_path, "%s", it.where.path);
  struct sockaddr *address = by_path ? (struct sockaddr *)&path : (struct sockaddr *)&inside;
  it.socket = socket(by_path ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(bind(it.socket, address, size) == 0 && listen(it.socket, 8) == 0 && getsockname(it.socket, address, &size) == 0);
  it.where.port = ntohs(inside.sin_port);
  CHECK(pthread_create(&it.thread, NULL, is_the_session, &it) == 0);

  msdk_feeder *feeder = feeder_new(&it.where, by_path);
  NEED(feeder != NULL);
  msdk_feeder_frame picture = picture_of(MSDK_PIXEL_GRAY8, WIDTH, height, 7);
  CHECK_OK(msdk_feeder_send(feeder, &picture));
  msdk_feeder_close(feeder);
  atomic_store(&it.is_left, 1);
  pthread_join(it.thread, NULL);
  close(it.socket);
  if (by_path) unlink(it.where.path);

  size_t whole = 8 + 64 + (size_t)WIDTH * height;
  uint8_t bye[8];
  raw_head(bye, 0, 6);
  CHECK(!it.is_reset);
  if (CHECK_EQ(it.heard_size, whole + 8)) {
    CHECK_EQ(raw_get(it.heard), whole - 8);
    CHECK(it.heard[whole - 1] == 7 && memcmp(it.heard + whole, bye, 8) == 0);
  }
  free(it.heard);
}

/* More than the buffers of a Unix socket take, so that the close comes in the middle of it. */
static void a_frame_on_its_way_by_unix_socket(void) { leaves(1, 1023); }
/* In the kernel's buffers, which TCP forgets when something comes to a socket that was closed. */
static void a_frame_on_its_way_by_tcp(void) { leaves(0, 1023); }

/* From well below what the buffers take to well above: where the frame just fits there is no room for BYE. */
static void a_frame_that_fills_the_socket(void) {
  for (uint32_t height = 150; height <= 230; height += 10) {
    int before = check_failed;
    leaves(1, height);
    if (check_failed != before) fprintf(stderr, "  %u rows\n", height);
  }
}

int main(int argc, char **argv) {
  (void)argc;
  RUN(a_frame_on_its_way_by_unix_socket);
  RUN(a_frame_on_its_way_by_tcp);
  RUN(a_frame_that_fills_the_socket);
  return check_finish();
}
