/* What start started never ends. */
#define HELPERS \
  static void *idle(void *nothing) { \
    for (;;) pause_ms(1000); \
    return nothing; \
  }
#define ON_START pthread_create(&(pthread_t){0}, NULL, idle, NULL)
#include "good.h"
