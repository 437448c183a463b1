/* network.h: grades of a wire that is good, loses, and is good again; each told once. */
#include "wire.h"

#include <pthread.h>
#include <stdatomic.h>

/* Between two ends: what one sends goes to the other, but of so many in a hundred nothing. */
typedef struct relay {
  int socket;
  uint16_t port, alice, bob;
  atomic_int lost_percent, is_over;
  pthread_t thread;
} relay;

static void *relay_run(void *user) {
  relay *it = user;
  uint8_t datagram[2048];
  uint32_t random = 1;
  while (!atomic_load(&it->is_over)) {
    struct sockaddr_in from, to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof from;
    ssize_t count = recvfrom(it->socket, datagram, sizeof datagram, 0, (struct sockaddr *)&from, &size);
    if (count <= 0) continue;
    random = random * 1664525 + 1013904223;
    if ((int)((random >> 16) % 100) < atomic_load(&it->lost_percent)) continue;
    to.sin_port = htons(ntohs(from.sin_port) == it->alice ? it->bob : it->alice);
    sendto(it->socket, datagram, (size_t)count, 0, (struct sockaddr *)&to, sizeof to);
  }
  return NULL;
}

static void relay_begin(relay *it) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(it->port)};
  struct timeval wait = {.tv_usec = 100000};
  it->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  NEED(bind(it->socket, (struct sockaddr *)&address, sizeof address) == 0);
  setsockopt(it->socket, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  NEED(pthread_create(&it->thread, NULL, relay_run, it) == 0);
}

static void relay_end(relay *it) {
  atomic_store(&it->is_over, 1);
  pthread_join(it->thread, NULL);
  close(it->socket);
}

/* Events of one direction. */
typedef struct grades {
  uint32_t count, last;
} grades;

static void look(end *it, grades *outgoing, grades *incoming) {
  for (;;) {
    msdk_event event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(it->session, 0, &event) < 0) return;
    if (event.type < END_TYPES) {
      it->count[event.type]++;
      it->last[event.type] = event;
    }
    if (event.type != MSDK_EVENT_NETWORK_QUALITY) continue;
    CHECK(event.direction == MSDK_DIRECTION_OUTGOING || event.direction == MSDK_DIRECTION_INCOMING);
    grades *which = event.direction == MSDK_DIRECTION_OUTGOING ? outgoing : incoming;
    CHECK(event.state <= MSDK_QUALITY_GOOD && event.state != which->last); /* only what changes is told */
    which->count++;
    which->last = event.state;
  }
}

static void grades_follow_the_wire(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  uint16_t port = wire_ports(6);
  relay between = {.port = port + 4, .alice = port, .bob = port + 2};
  relay_begin(&between);
  char url[256];
  snprintf(url, sizeof url, "rtp://127.0.0.1:%u?local=127.0.0.1:%u&rtcp-mux=1&feedback=1&rtx=97", between.port, between.alice);
  end alice = end_new(engine, url);
  snprintf(url, sizeof url, "rtp://127.0.0.1:%u?local=127.0.0.1:%u&rtcp-mux=1&feedback=1&rtx=97", between.port, between.bob);
  end bob = end_new(engine, url);
  NEED(end_connect(&bob) && end_connect(&alice));
  CHECK_EQ(session_stats(alice.session).outgoing_quality, MSDK_QUALITY_UNKNOWN);
  show film = show_start(engine, &alice, &bob);
  grades out = {0}, none = {0}, in = {0}, unused = {0};
  static const uint32_t wanted[] = {MSDK_QUALITY_GOOD, MSDK_QUALITY_BAD, MSDK_QUALITY_GOOD};
  for (int step = 0; step < 3; step++) {
    atomic_store(&between.lost_percent, wanted[step] == MSDK_QUALITY_BAD ? 40 : 0);
    for (int tries = 0; tries < 4000 && (in.last != wanted[step] || (step == 0 && out.last != wanted[step])); tries++) {
      send_picture(film.sender, film.sent++, 0, NULL);
      sleep_ms(15);
      look(&alice, &out, &none);
      look(&bob, &unused, &in);
    }
    CHECK_EQ(in.last, wanted[step]);
    CHECK_EQ(session_stats(bob.session).incoming_quality, wanted[step]);
    if (step == 0) {
      CHECK_EQ(out.last, MSDK_QUALITY_GOOD);
      CHECK_EQ(session_stats(alice.session).outgoing_quality, MSDK_QUALITY_GOOD);
      CHECK(alice.last[MSDK_EVENT_NETWORK_QUALITY].value == session_stats(alice.session).available_outgoing_bitrate
            || alice.count[MSDK_EVENT_ESTIMATE] > 0);
    }
  }
  CHECK(in.count >= 3 && in.count <= 6);
  /* Bob sends nothing, alice receives nothing. */
  CHECK_EQ(none.count + unused.count, 0);
  CHECK_EQ(session_stats(bob.session).outgoing_quality, MSDK_QUALITY_UNKNOWN);
  CHECK_OK(msdk_session_disconnect(alice.session));
  CHECK(end_state(&alice, MSDK_SESSION_DISCONNECTED));
  CHECK_EQ(session_stats(alice.session).outgoing_quality, MSDK_QUALITY_UNKNOWN);
  show_end(&film);
  msdk_engine_destroy(engine);
  relay_end(&between);
}

static void a_loopback_room_has_none(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  end alice = end_new(engine, "loopback:noquality");
  CHECK_OK(msdk_session_connect(alice.session));
  for (int i = 0; i < 100; i++) CHECK_OK(msdk_engine_advance_clock(engine, 300000000));
  end_look(&alice);
  CHECK_EQ(alice.last[MSDK_EVENT_SESSION_STATE].state, MSDK_SESSION_CONNECTED);
  CHECK_EQ(alice.count[MSDK_EVENT_NETWORK_QUALITY], 0);
  CHECK_EQ(session_stats(alice.session).outgoing_quality, MSDK_QUALITY_UNKNOWN);
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  RUN(grades_follow_the_wire);
  RUN(a_loopback_room_has_none);
  return check_finish();
}
