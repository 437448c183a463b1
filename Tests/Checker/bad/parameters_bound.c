/* It refuses what it declares as accepted. */
#define ON_SET if (strcmp(name, "level") == 0 && value->u.u32 > 8) return say(self, MSDK_E_RANGE, "too much")
#include "good.h"
