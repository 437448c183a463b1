/* A room that one engine serves, and another engine that knows of it by its url alone, as if it were elsewhere. */
#ifndef HOSTING_H
#define HOSTING_H

#include "access.h"
#include "wire.h"

typedef struct house {
  msdk_engine *host, *away;
  char room[64];
  const char *address;
  msdk_serve_info info;
  char url[600];
} house;

static inline msdk_serve_options serve_options(const char *addresses) {
  msdk_serve_options options = MSDK_INIT(msdk_serve_options);
  options.addresses = addresses;
  options.port = MSDK_PORT_ANY;
  return options;
}

static inline void house_url(const house *it, const char *more, char *out, size_t size) {
  const char *name = it->room + strlen("loopback:");
  const char *print = it->info.fingerprint;
  snprintf(out, size, "livekit+%s://%s:%" PRIu32 "#room=%s%s%s%s", print[0] ? "wss" : "ws", it->address, it->info.port, name,
           print[0] ? "&fingerprint=" : "", print, more);
}

static inline int house_open(house *it, const msdk_serve_options *options) {
  it->info = MSDK_INIT(msdk_serve_info);
  int ok = CHECK_OK(msdk_room_serve(it->host, it->room, options, &it->info));
  house_url(it, "", it->url, sizeof it->url);
  return ok;
}

/* address as it stands in a url, "[::1]" say. With addresses of others there is TLS, at 127.0.0.1 too. */
static inline house house_at(const char *addresses, const char *address) {
  house it = {.host = engine_new(MSDK_CLOCK_SYSTEM), .away = engine_new(MSDK_CLOCK_SYSTEM), .address = address};
  snprintf(it.room, sizeof it.room, "%s", room_new());
  msdk_serve_options options = serve_options(addresses);
  house_open(&it, &options);
  return it;
}

static inline house house_new(const char *address) { return house_at(address[0] == '[' ? "::1" : address, address); }
static inline house house_sealed(void) { return house_at("0.0.0.0", "127.0.0.1"); }

static inline uint32_t house_members(const house *it) {
  msdk_serve_info info = MSDK_INIT(msdk_serve_info);
  CHECK_OK(msdk_room_get_serve_info(it->host, it->room, &info));
  return info.member_count;
}

static inline void house_close(house *it) {
  msdk_engine_destroy(it->away);
  msdk_engine_destroy(it->host);
}

/* Somebody on his way in. */
static inline end guest_at(msdk_engine *engine, const char *url, const char *user, const char *token) {
  return (end){.session = session_with(engine, url, user, token)};
}

static inline end guest(house *it, const char *user, const char *more) {
  char url[600];
  house_url(it, more, url, sizeof url);
  end made = guest_at(it->away, url, user, NULL);
  CHECK(end_state(&made, MSDK_SESSION_CONNECTED));
  return made;
}

static inline end inmate(house *it, const char *user) {
  end made = guest_at(it->host, it->room, user, NULL);
  CHECK(end_state(&made, MSDK_SESSION_CONNECTED));
  return made;
}

/* Waits for the end of a session, whose last event of state says why. */
static inline msdk_result end_reason(end *it) {
  if (!CHECK(end_state(it, MSDK_SESSION_DISCONNECTED))) return 1;
  PATIENTLY((end_look(it), it->last[MSDK_EVENT_SESSION_STATE].state == MSDK_SESSION_DISCONNECTED));
  return it->last[MSDK_EVENT_SESSION_STATE].status;
}

static inline const char *end_words(const end *it) { return it->last[MSDK_EVENT_SESSION_STATE].text; }

/* Who somebody is to another one; user_id is empty if nobody. */
static inline msdk_participant end_sees(end *it, const char *user) {
  msdk_participant people[8], nobody = MSDK_INIT(msdk_participant);
  uint32_t count = people_of(it->session, people, 8);
  for (uint32_t i = 0; i < count && i < 8; i++) {
    if (strcmp(people[i].user_id, user) == 0) return people[i];
  }
  return nobody;
}

#endif
