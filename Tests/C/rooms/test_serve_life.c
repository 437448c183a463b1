/* serve.h: how serving begins and ends. Closed with members in, opened again, closed from inside a callback and from many threads, fifty
 * times, and nothing stays. */
#include "hosting.h"

#include <pthread.h>

/* Whoever came over the network is told and out; whoever is of the process stays. With TLS the certificate is another one then, which who knew
 * the former one does not trust. */
static void close_with_members(house it, const char *addresses) {
  end alice = inmate(&it, "alice"), bob = guest(&it, "bob", ""), carol = guest(&it, "carol", "");
  show film = show_start(it.away, &bob, &alice);
  CHECK(show_play(&film, 3));
  msdk_serve_info before = it.info;
  CHECK_OK(msdk_room_stop_serving(it.host, it.room));
  CHECK_EQ(end_reason(&bob), MSDK_E_CLOSED);
  CHECK_STR_CONTAINS(end_words(&bob), "the server is closed");
  CHECK_EQ(end_reason(&carol), MSDK_E_CLOSED);
  CHECK(end_wait(&alice, MSDK_EVENT_PARTICIPANT_LEFT, 2) && end_wait(&alice, MSDK_EVENT_INCOMING_VIDEO_REMOVED, 1));
  CHECK(end_state(&alice, MSDK_SESSION_CONNECTED));
  CHECK_EQ(end_people(&alice), 1);
  CHECK_RESULT(msdk_room_get_serve_info(it.host, it.room, &it.info), MSDK_E_NOT_FOUND);
  end late = guest_at(it.away, it.url, "late", NULL); /* nobody listens */
  CHECK_EQ(end_reason(&late), MSDK_E_IO);
  msdk_serve_options options = serve_options(addresses); /* again, at the same port, which is free */
  options.port = before.port;
  NEED(house_open(&it, &options));
  CHECK_EQ(it.info.port, before.port);
  uint32_t others = before.fingerprint[0] == '\0' ? 2 : 1;
  CHECK_OK(msdk_session_connect(carol.session)); /* at the same url */
  if (others == 2) {
    CHECK(end_state(&carol, MSDK_SESSION_CONNECTED));
    CHECK_EQ(it.info.fingerprint[0], '\0');
  } else {
    CHECK(strcmp(it.info.fingerprint, before.fingerprint) != 0);
    CHECK_EQ(end_reason(&carol), MSDK_E_UNTRUSTED);
  }
  end dave = guest(&it, "dave", "");
  CHECK(end_wait(&alice, MSDK_EVENT_PARTICIPANT_JOINED, 2 + others));
  CHECK(end_wait(&dave, MSDK_EVENT_PARTICIPANT_JOINED, others)); /* who is there is told after the connection */
  CHECK_EQ(end_people(&dave), 1 + others);
  show_end(&film);
  house_close(&it);
}

static void closed_with_members(void) { close_with_members(house_new("127.0.0.1"), "127.0.0.1"); }
static void closed_with_members_over_tls(void) { close_with_members(house_sealed(), "0.0.0.0"); }

/* Media of all at one port of UDP, which is free again when the room is served no longer. */
static void one_media_port(void) {
  house it = house_new("127.0.0.1");
  CHECK_EQ(it.info.media_port, 0);
  CHECK_OK(msdk_room_stop_serving(it.host, it.room));
  msdk_serve_options options = serve_options("127.0.0.1");
  options.media_port = MSDK_PORT_ANY;
  end alice = inmate(&it, "alice");
  static const char *const names[] = {"bob", "carol", "dave"};
  for (int round = 0; round < 3 && atomic_load(&check_failed) == 0; round++) {
    NEED(house_open(&it, &options));
    CHECK(it.info.media_port > 0 && it.info.media_port < 65536);
    if (round > 0) CHECK_EQ(it.info.media_port, options.media_port);
    options.port = it.info.port;
    options.media_port = it.info.media_port;
    msdk_serve_options other = serve_options("127.0.0.1");
    other.media_port = it.info.media_port;
    CHECK_RESULT(msdk_room_serve(it.host, "loopback:another", &other, NULL), MSDK_E_EXISTS);
    CHECK_STR_CONTAINS(msdk_last_error(), "the UDP port for media");
    end one = guest(&it, names[round], ""), another = guest(&it, "another", "");
    show film = show_start(it.away, &one, &alice);
    CHECK(show_play(&film, 3));
    show_end(&film);
    show back = show_start(it.host, &alice, &another);
    CHECK(show_play(&back, 3));
    show_end(&back);
    CHECK_OK(msdk_room_stop_serving(it.host, it.room));
    CHECK_EQ(end_reason(&one), MSDK_E_CLOSED);
    CHECK_EQ(end_reason(&another), MSDK_E_CLOSED);
  }
  house_close(&it);
}

/* Who has just come and who is there for a moment: all are told before the engine has gone. */
static void closed_by_its_engine(void) {
  for (int round = 0; round < 20 && atomic_load(&check_failed) == 0; round++) {
    house it = house_new("127.0.0.1");
    if (round % 2 == 0) inmate(&it, "alice");
    end bob = guest(&it, "bob", "");
    if (round % 4 == 0) sleep_ms(5 * round);
    msdk_engine_destroy(it.host);
    CHECK_EQ(end_reason(&bob), MSDK_E_CLOSED);
    msdk_engine_destroy(it.away);
  }
}

/* Whoever is connecting, waits for an answer or has just come is out as well. */
static void closed_while_they_come(void) {
  for (int round = 0; round < 6; round++) {
    house it = house_new("127.0.0.1");
    msdk_room_options options = MSDK_INIT(msdk_room_options);
    options.pulled = 1; /* nobody answers */
    if (round % 2 == 0) CHECK_OK(msdk_room_configure(it.host, it.room, &options));
    end bob = guest_at(it.away, it.url, "bob", NULL);
    msdk_access_request request = MSDK_INIT(msdk_access_request);
    if (round == 0) CHECK_OK(msdk_room_next_request(it.host, it.room, 20000, &request)); /* waits for the answer */
    else if (round == 3) PATIENTLY(house_members(&it) == 1);
    else sleep_ms(round);
    CHECK_OK(msdk_room_stop_serving(it.host, it.room));
    msdk_result reason = end_reason(&bob);
    CHECK(reason == MSDK_E_CLOSED || (round % 3 != 0 && (reason == MSDK_E_IO || reason == MSDK_E_PERMISSION)));
    house_close(&it);
  }
}

/* Whoever leaves is out at once, and not when they do not come back. */
static void leaving_is_said(void) {
  house it = house_new("127.0.0.1");
  for (int i = 0; i < (under_tools() ? 20 : 200) && atomic_load(&check_failed) == 0; i++) {
    end bob = guest(&it, "bob", "");
    if (i % 2 == 0) CHECK_OK(msdk_session_disconnect(bob.session));
    int64_t began = msdk_engine_now(it.host);
    msdk_session_destroy(bob.session);
    PATIENTLY(house_members(&it) == 0);
    CHECK_RANGE(msdk_engine_now(it.host) - began, 0, INT64_C(10000000000));
  }
  house_close(&it);
}

static atomic_int closed;

static void close_inside(void *user, const msdk_event *event) {
  house *it = user;
  if (event->type != MSDK_EVENT_PARTICIPANT_JOINED) return;
  CHECK_OK(msdk_room_stop_serving(it->host, it->room));
  atomic_store(&closed, 1);
}

static void closed_inside_a_callback(void) {
  house it = house_new("127.0.0.1");
  end alice = inmate(&it, "alice");
  CHECK_OK(msdk_session_set_event_callback(alice.session, close_inside, &it));
  end bob = guest_at(it.away, it.url, "bob", NULL);
  PATIENTLY(atomic_load(&closed));
  CHECK_EQ(atomic_load(&closed), 1);
  CHECK_EQ(end_reason(&bob), MSDK_E_CLOSED);
  house_close(&it);
}

/* -------------------------------------------------------------------------------------------------------------- many threads */

static atomic_int hammering, opened;

static void *hammer(void *user) {
  house *it = user;
  msdk_serve_options options = serve_options("127.0.0.1");
  while (atomic_load(&hammering)) {
    msdk_serve_info info = MSDK_INIT(msdk_serve_info);
    msdk_result result = msdk_room_serve(it->host, it->room, &options, &info);
    CHECK(result >= 0 || result == MSDK_E_EXISTS || result == MSDK_E_HANDLE || result == MSDK_E_CLOSED);
    if (result >= 0) atomic_fetch_add(&opened, 1);
    msdk_room_get_serve_info(it->host, it->room, &info);
    result = msdk_room_stop_serving(it->host, it->room);
    CHECK(result >= 0 || result == MSDK_E_NOT_FOUND || result == MSDK_E_HANDLE || result == MSDK_E_CLOSED);
  }
  return NULL;
}

/* Opened and closed on three threads, while the engine goes. */
static void from_many_threads(void) {
  for (int round = 0; round < 3; round++) {
    house it = {.host = engine_new(MSDK_CLOCK_SYSTEM)};
    snprintf(it.room, sizeof it.room, "%s", room_new());
    pthread_t threads[3];
    atomic_store(&hammering, 1);
    atomic_store(&opened, 0);
    for (int i = 0; i < 3; i++) CHECK_EQ(pthread_create(&threads[i], NULL, hammer, &it), 0);
    PATIENTLY(atomic_load(&opened) >= 10);
    msdk_engine_destroy(it.host);
    sleep_ms(10);
    atomic_store(&hammering, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    CHECK(atomic_load(&opened) >= 10);
  }
}

/* -------------------------------------------------------------------------------------------------------------- nothing stays */

static void one_cycle(int number) {
  house it = number % 2 ? house_sealed() : house_new("127.0.0.1");
  end bob = guest(&it, "bob", "");
  if (number % 5 == 0) CHECK_OK(msdk_session_disconnect(bob.session)); /* in ever other orders */
  if (number % 3 == 0) CHECK_OK(msdk_room_stop_serving(it.host, it.room));
  if (number % 4 == 0) msdk_session_destroy(bob.session);
  if (number % 7 == 0) msdk_engine_destroy(it.host);
  house_close(&it);
}

static void nothing_stays(void) {
  /* What a process has once, such as the thread of SCTP, is there after a first call. */
  house first = house_new("127.0.0.1");
  end alice = inmate(&first, "alice"), bob = guest(&first, "bob", "");
  show film = show_start(first.away, &bob, &alice);
  CHECK(show_play(&film, 3));
  show_end(&film);
  house_close(&first);
  int count = under_tools() ? 10 : 50, threads = 0, descriptors = 0;
  for (int i = 0; i < 2 * count && atomic_load(&check_failed) < 20; i++) {
    if (i == count) {
      threads = process_threads();
      descriptors = process_descriptors();
    }
    one_cycle(i);
  }
  CHECK_COMES_BACK(process_threads(), threads);
  CHECK_COMES_BACK(process_descriptors(), descriptors);
}

/* The engines stay, the server does not. */
static void opened_and_closed_again(void) {
  house it = house_new("127.0.0.1");
  CHECK_OK(msdk_room_stop_serving(it.host, it.room));
  int threads = 0, descriptors = 0;
  for (int i = 0; i < (under_tools() ? 15 : 50); i++) {
    if (i == 5) {
      threads = process_threads();
      descriptors = process_descriptors();
    }
    msdk_serve_options options = serve_options("127.0.0.1");
    NEED(house_open(&it, &options));
    end bob = guest(&it, "bob", "");
    CHECK_OK(msdk_room_stop_serving(it.host, it.room));
    CHECK_EQ(end_reason(&bob), MSDK_E_CLOSED);
    msdk_session_destroy(bob.session);
  }
  CHECK_COMES_BACK(process_threads(), threads);
  CHECK_COMES_BACK(process_descriptors(), descriptors);
  house_close(&it);
}

int main(int argc, char **argv) {
  RUN(closed_with_members);
  RUN(closed_with_members_over_tls);
  RUN(one_media_port);
  RUN(closed_by_its_engine);
  RUN(closed_while_they_come);
  RUN(leaving_is_said);
  RUN(closed_inside_a_callback);
  RUN(from_many_threads);
  RUN(opened_and_closed_again);
  RUN(nothing_stays);
  return check_finish();
}
