/* The filters of the tests as a plugin file. */
#include "../filter_classes.h"

/* What the checks in it would say, in a process without the library. */
const char *msdk_last_error(void) { return ""; }

MSDK_DEFINE_ENTRY(&filter_module)
