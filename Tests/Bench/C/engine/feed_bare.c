/* The limit for feeding frames: bytes through a socket of the loopback interface or a Unix socket to a thread that reads them, or memcpy.
 *
 *   feed_bare tcp|unix|memcpy throughput|latency COUNT RATE */
#include "feed.h"
#include "measure.h"

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static struct feed feed;

static void *reader(void *argument) {
  int fd = *(int *)argument;
  uint8_t *memory;
  if (posix_memalign((void **)&memory, 4096, FEED_BYTES) != 0) die("no memory");
  for (;;) {
    int64_t at = 0;
    if (recv(fd, &at, sizeof at, MSG_WAITALL) != sizeof at) return NULL;
    for (size_t got = 0; got < FEED_BYTES;) {
      ssize_t some = recv(fd, memory + got, FEED_BYTES - got, 0);
      if (some <= 0) return NULL;
      got += (size_t)some;
    }
    feed_arrived(&feed, at);
  }
}

static void loopback(int ends[2]) {
  int one = 1, size = 262144, listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof address;
  setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &size, sizeof size); /* as the session's */
  ends[0] = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 1) != 0 ||
      getsockname(listener, (struct sockaddr *)&address, &length) != 0 || connect(ends[0], (struct sockaddr *)&address, length) != 0) {
    die("no loopback connection");
  }
  ends[1] = accept(listener, NULL, NULL);
  setsockopt(ends[0], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

static void write_whole(int fd, const void *bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t some = send(fd, (const uint8_t *)bytes + done, size - done, 0);
    if (some <= 0) die("the socket broke");
    done += (size_t)some;
  }
}

int main(int argc, char **argv) {
  if (argc != 5) die("usage: feed_bare tcp|unix|memcpy throughput|latency COUNT RATE");
  feed_open(&feed, argv[2], argv[3], argv[4]);
  if (strcmp(argv[1], "memcpy") == 0) {
    uint8_t *memory;
    if (posix_memalign((void **)&memory, 4096, FEED_BYTES) != 0) die("no memory");
    memset(memory, 1, FEED_BYTES);
    while (feed_next(&feed)) {
      int64_t at = now_ns();
      memcpy(memory, feed.picture, FEED_BYTES);
      __asm__ volatile("" : : "r"(memory) : "memory");
      feed_arrived(&feed, at);
    }
    feed_report(&feed);
    return 0;
  }
  int ends[2];
  if (strcmp(argv[1], "unix") == 0 ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 : (loopback(ends), 0)) die("no socket");
  pthread_t thread;
  if (pthread_create(&thread, NULL, reader, &ends[1]) != 0) die("no thread");
  while (feed_next(&feed)) {
    int64_t at = now_ns();
    write_whole(ends[0], &at, sizeof at);
    write_whole(ends[0], feed.picture, FEED_BYTES);
    int waiting = 1;
    while (!feed.latency && ioctl(ends[0], SIOCOUTQ, &waiting) == 0 && waiting > 0) sched_yield();
  }
  shutdown(ends[0], SHUT_WR);
  pthread_join(thread, NULL);
  feed_report(&feed);
  return 0;
}
