/* It counts starts in too small a place. */
#define ON_START if (++self->starts > 60) return say(self, MSDK_E_NOMEM, "no room for another start")
#define MEMBERS int starts;
#include "good.h"
