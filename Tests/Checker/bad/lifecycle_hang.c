/* A second release without a start before it never returns. */
#define ON_RELEASE while (!self->was_started && self->lives > 1) pause_ms(100)
#define ON_INIT self->lives++
#define ON_START self->was_started = 1
#define MEMBERS int was_started, lives;
#include "good.h"
