/* It exports a second function. */
#include "good.h"

MSDK_EXPORT int helper(void);
int helper(void) { return 1; }
