/* poll() on the descriptors that announce what can be pulled. */
#ifndef WAITING_H
#define WAITING_H

#include "call.h"

#include <poll.h>

static inline int is_readable(int32_t descriptor, int timeout_ms) {
  struct pollfd entry = {.fd = descriptor, .events = POLLIN};
  return poll(&entry, 1, timeout_ms) == 1 && (entry.revents & POLLIN) != 0;
}

#endif
