/* rtp.h, a HOST of multicast: one sends to a group, and all who listen to it hear and see the same. In a network of the test's own, where nothing
 * leaves the machine. */
#include "test_classes.h"
#include "wire.h"

#include <net/if.h>
#include <net/route.h>
#include <sched.h>
#include <sys/ioctl.h>

static struct sockaddr address_of(const char *text) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  struct sockaddr out;
  inet_pton(AF_INET, text, &address.sin_addr);
  memcpy(&out, &address, sizeof out);
  return out;
}

/* A network with a loopback interface that carries groups. 0: this machine does not give us one. */
static int own_network(void) {
  if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return 0;
  struct ifreq request = {.ifr_name = "lo"};
  char name[] = "lo";
  struct rtentry route = {.rt_dst = address_of("239.0.0.0"), .rt_genmask = address_of("255.0.0.0"), .rt_flags = RTF_UP, .rt_dev = name};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  request.ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_MULTICAST;
  int ok = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0 && ioctl(fd, SIOCADDRT, &route) == 0;
  if (fd >= 0) close(fd);
  return ok;
}

enum { LISTENERS = 3 };

static void all_who_listen_see_the_same(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  end speaker = end_new(engine, "rtp://239.10.20.30:5004?direction=sendonly"), listeners[LISTENERS];
  show shows[LISTENERS];
  singing *songs[LISTENERS];
  for (int i = 0; i < LISTENERS; i++) {
    listeners[i] = end_new(engine, "rtp://239.10.20.30:5004?direction=recvonly");
    NEED(end_connect(&listeners[i]));
  }
  NEED(end_connect(&speaker));
  shows[0] = show_start(engine, &speaker, &listeners[0]);
  songs[0] = sing_start(engine, &speaker, &listeners[0], 440);
  CHECK(show_play(&shows[0], 10));
  CHECK(sing_on(engine, songs[0], 600));
  CHECK_RANGE(sing_likeness(songs[0], 440), -300, -20);
  for (int i = 1; i < LISTENERS; i++) {
    CHECK(end_wait(&listeners[i], MSDK_EVENT_INCOMING_AUDIO_ADDED, 1));
    shows[i] = (show){.from = &speaker, .to = &listeners[i], .stream = shows[0].stream, .sender = shows[0].sender, .sent = shows[i - 1].sent};
    CHECK(show_play(&shows[i], 10));
    CHECK_EQ(end_people(&listeners[i]), 2);
  }
  /* One who leaves takes nothing from the others. */
  msdk_session_destroy(listeners[1].session);
  CHECK(show_play(&shows[2], 10));
  /* The end of the stream is told to everybody. */
  show_end(&shows[0]);
  sing_end(songs[0]);
  CHECK(end_wait(&listeners[0], MSDK_EVENT_INCOMING_VIDEO_REMOVED, 1));
  CHECK(end_wait(&listeners[2], MSDK_EVENT_INCOMING_VIDEO_REMOVED, 1));
  CHECK(end_wait(&listeners[2], MSDK_EVENT_PARTICIPANT_LEFT, 1));
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  if (own_network()) {
    RUN(all_who_listen_see_the_same);
  } else {
    printf("skipped: this machine gives no network of our own\n");
  }
  return check_finish();
}
