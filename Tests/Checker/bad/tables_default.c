/* A default that it does not accept itself. */
#define PARAMS {.struct_size = sizeof(msdk_param), .name = "level", .def = {.type = MSDK_T_U32, .u.u32 = 10}, .min = 0, .max = 9}
#include "good.h"
