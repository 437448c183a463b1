/* It has one life: a second init fails. */
#define ON_INIT if (self->lives++ > 0 && !self->was_started) return say(self, MSDK_E_STATE, "already used")
#define ON_START self->was_started = 1
#define MEMBERS int lives, was_started;
#include "good.h"
