/* room.h, session.h: sessions that ask to be let in, with a token, and what became of that. */
#ifndef ACCESS_H
#define ACCESS_H

#include "call.h"

#define TOKEN "s3cret-of-alice"

static inline msdk_session *session_with(msdk_engine *engine, const char *url, const char *user, const char *token) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = url;
  options.user_id = user;
  options.access_token = token;
  msdk_session *session = NULL;
  CHECK_OK(msdk_session_create(engine, &options, &session));
  CHECK_OK(msdk_session_connect(session));
  return session;
}

/* Waits until the session is disconnected; the event that says why. */
static inline msdk_event refusal(msdk_engine *engine, msdk_session *session) {
  msdk_event event = MSDK_INIT(msdk_event);
  do {
    if (!CHECK(event_wait(engine, session, MSDK_EVENT_SESSION_STATE, &event))) break;
  } while (event.state != MSDK_SESSION_DISCONNECTED);
  return event;
}

static inline void configure(msdk_engine *engine, const char *url, uint32_t capacity, uint32_t duplicates, uint32_t permissions) {
  msdk_room_options options = MSDK_INIT(msdk_room_options);
  options.capacity = capacity;
  options.duplicates = duplicates;
  options.permissions = permissions;
  CHECK_OK(msdk_room_configure(engine, url, &options));
}

static inline uint32_t permissions_of(msdk_session *session, const char *user) {
  msdk_participant people[8];
  uint32_t count = people_of(session, people, 8);
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(people[i].user_id, user) == 0) return people[i].permissions;
  }
  return UINT32_MAX;
}

static inline int is_state(msdk_session *session, uint32_t expected) {
  uint32_t state = UINT32_MAX;
  return CHECK_OK(msdk_session_get_state(session, &state)) && state == expected;
}

#endif
