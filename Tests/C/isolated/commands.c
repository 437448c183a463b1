/* The commands of the tests as a plugin file. */
#include "../command_classes.h"

/* What the checks in it would say, in a process without the library. */
const char *msdk_last_error(void) { return ""; }

MSDK_DEFINE_ENTRY(&commands_module)
