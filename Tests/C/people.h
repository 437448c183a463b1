/* The participants of a room, as an array. */
#ifndef PEOPLE_H
#define PEOPLE_H

#include "check.h"

/* Fills up to `capacity` of them; how many there are. */
static inline uint32_t people_of(msdk_session *session, msdk_participant *array, uint32_t capacity) {
  for (uint32_t count = 0;; count++) {
    msdk_participant one = MSDK_INIT(msdk_participant);
    msdk_result result = msdk_session_participant_at(session, count, &one);
    if (result < 0) {
      CHECK(result == MSDK_E_NOT_FOUND || result == MSDK_E_HANDLE);
      return count;
    }
    if (count < capacity) array[count] = one;
  }
}

#endif
