/* What it opened is remembered for the thread, not for the instance. */
#define HELPERS static __thread int is_open;
#define ON_INIT is_open = 1
#define ON_START if (!is_open) return say(self, MSDK_E_STATE, "it is not open")
#include "good.h"
