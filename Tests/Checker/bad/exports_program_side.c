/* It uses a function that is for programs. */
#define HELPERS extern const char *msdk_version(void) __attribute__((weak));
#define ON_INIT if (msdk_version != NULL) self->count = (uint32_t)strlen(msdk_version())
#include "good.h"
