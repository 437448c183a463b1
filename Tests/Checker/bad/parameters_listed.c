/* It refuses a value that it lists. */
#define ON_SET if (strcmp(name, "level") == 0 && strcmp(value->u.str, "low") != 0) return say(self, MSDK_E_RANGE, "accepted: low")
#include "listed.h"
