/* The plugin's side of the wire: whatever the calls' socket brings, its process answers or leaves; it never dies of it. The library is no
 * enemy of its, but may be of another build. */
#include "call.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

static char program[4096], plugin[4096];

typedef struct other_side {
  int calls, events, control;
  pid_t process;
} other_side;

static other_side begin(void) {
  int calls[2], events[2], control[2];
  CHECK_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, calls), 0);
  CHECK_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, events), 0);
  CHECK_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control), 0);
  other_side it = {calls[0], events[0], control[0], fork()};
  if (it.process == 0) {
    int moved[3] = {fcntl(calls[1], F_DUPFD, 20), fcntl(events[1], F_DUPFD, 20), fcntl(control[1], F_DUPFD, 20)};
    for (int i = 0; i < 3; i++) dup2(moved[i], 3 + i);
    for (int i = 6; i < 64; i++) close(i);
    int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, 2);
    execl(program, program, "--isolate", "6", (char *)NULL);
    _exit(99);
  }
  close(calls[1]);
  close(events[1]);
  close(control[1]);
  return it;
}

/* How the plugin's process ended, once it is wanted to. */
static int end(other_side *it) {
  int status = -1;
  struct pollfd wait = {it->control, POLLIN, 0};
  shutdown(it->calls, SHUT_RDWR);
  if (poll(&wait, 1, 10000) > 0 && recv(it->control, &status, sizeof status, 0) != (ssize_t)sizeof status) status = -1;
  close(it->calls);
  close(it->events);
  close(it->control);
  waitpid(it->process, NULL, 0);
  return status;
}

static size_t put_text(unsigned char *at, const char *text) {
  uint32_t size = (uint32_t)strlen(text);
  memcpy(at, &size, 4);
  memcpy(at + 4, text, size);
  return size + 4;
}

typedef struct call_head {
  uint32_t op, id;
  int64_t now;
  uint32_t generation, granted;
} call_head;

static size_t put_create(unsigned char *message, const char *id) {
  call_head head = {1, 1, 0, 0, 0};
  uint32_t limits[4] = {0, 0, 1024, 0};
  size_t size = sizeof head;
  memcpy(message, &head, sizeof head);
  size += put_text(message + size, plugin);
  size += put_text(message + size, id);
  memcpy(message + size, limits, sizeof limits);
  return size + sizeof limits;
}

static void one(unsigned seed) {
  static const char *const ids[] = {"org.mediasdk.faulty.pull", "org.mediasdk.faulty.renderer", "org.mediasdk.faulty.filter",
                                    "org.mediasdk.faulty.sound", "org.mediasdk.nothing"};
  static const uint32_t ops[] = {2,     3,     4,     5,     6,     7,     8,     9,     0x100, 0x101, 0x102, 0x103, 0x104, 0x105, 0x106,
                                 0x107, 0x108, 0x200, 0x201, 0x202, 0x203, 0x204, 0x205, 0x206, 0x207, 0x208, 0x209, 0x20a, 0x20b, 0x300,
                                 0x301, 0x302, 0x303, 0x304, 0x600, 0x601, 0x606, 0x700, 0x704, 0x705, 0x707, 0x800, 0x801, 0x802, 0x803,
                                 0x804};
  srandom(seed);
  other_side it = begin();
  unsigned char message[2048], answer[100000];
  if (random() % 4 != 0) {
    size_t size = put_create(message, ids[random() % 5]);
    if (random() % 4 == 0) message[(size_t)random() % size] ^= (unsigned char)random();
    send(it.calls, message, random() % 8 == 0 ? (size_t)random() % size + 1 : size, MSG_NOSIGNAL);
  }
  for (int i = 0; i < 60; i++) {
    call_head head = {random() % 16 == 0 ? (uint32_t)random() % 2600 : ops[(size_t)random() % (sizeof ops / sizeof ops[0])], (uint32_t)i, i,
                      (uint32_t)random() % 3, (uint32_t)random() % 512};
    if (random() % 20 != 0 && head.op == 2) head.op = 0x107;
    size_t size = sizeof head + (size_t)random() % 200;
    for (size_t n = 0; n < size; n++) message[n] = (unsigned char)(random() >> (random() % 8));
    memcpy(message, &head, sizeof head);
    uint32_t length = (uint32_t)random() % 60;
    if (random() % 2) memcpy(message + sizeof head, &length, 4);
    if (send(it.calls, message, size, MSG_NOSIGNAL) < 0) break;
    struct pollfd wait[2] = {{it.calls, POLLIN, 0}, {it.events, POLLIN, 0}};
    while (poll(wait, 2, 5000) > 0 && wait[0].revents == 0) {
      /* What it asks for is refused, in noise too. */
      ssize_t got = recv(it.events, answer, sizeof answer, 0);
      if (got < 8) break;
      uint32_t down[6] = {1, 0, (uint32_t)-2, (uint32_t)random() % 3, (uint32_t)random(), (uint32_t)random() % 99};
      memcpy(&down[1], answer + 4, 4);
      send(it.events, down, random() % 10 == 0 ? 7 : 20, MSG_NOSIGNAL);
    }
    if (recv(it.calls, answer, sizeof answer, MSG_DONTWAIT) <= 0) break;
  }
  int status = end(&it);
  if (!CHECK(WIFEXITED(status))) fprintf(stderr, "  seed %u: signal %d\n", seed, WTERMSIG(status));
}

static void test_noise(void) {
  for (unsigned seed = 1; seed <= (under_tools() ? 20u : 150u); seed++) one(seed);
}

int main(int argc, char **argv) {
  const char *host = getenv("MSDK_TEST_PLUGIN_HOST"), *lib = getenv("MSDK_LIB_DIR"), *built = getenv("MSDK_TEST_ISOLATED");
  if (host != NULL) snprintf(program, sizeof program, "%s", host);
  else snprintf(program, sizeof program, "%s/msdk-plugin-host", lib != NULL ? lib : ".");
  snprintf(plugin, sizeof plugin, "%s/faulty.so", built != NULL ? built : ".");
  RUN(test_noise);
  return check_finish();
}
