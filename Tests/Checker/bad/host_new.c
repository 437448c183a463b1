/* It knows structs of one size only. */
#define ON_FORMAT if (format->struct_size != sizeof *format) return say(self, MSDK_E_ABI, "another version")
#include "good.h"
