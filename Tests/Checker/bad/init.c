/* It cannot be initialised. */
#define ON_INIT return say(self, MSDK_E_IO, "there is no such device")
#include "good.h"
