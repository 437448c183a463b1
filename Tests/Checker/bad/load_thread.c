/* It starts a thread when it is loaded. */
#include "good.h"

static void *idle(void *nothing) {
  for (;;) pause_ms(1000);
  return nothing;
}

__attribute__((constructor)) static void begin(void) { pthread_create(&(pthread_t){0}, NULL, idle, NULL); }
