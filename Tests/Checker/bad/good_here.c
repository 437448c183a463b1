/* Nothing is wrong with it: it cannot live in a process of its own, and says so. */
#define CLASS .flags = MSDK_CLASS_NO_ISOLATION
#include "good.h"
