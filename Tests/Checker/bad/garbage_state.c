/* One damaged frame, and all that come after it are refused. */
#define MEMBERS int is_lost;
#define ON_CORRUPT self->is_lost = 1
#define ON_DECODE if (self->is_lost) return say(self, MSDK_E_CORRUPT, "something was damaged before")
#include "codec.h"
