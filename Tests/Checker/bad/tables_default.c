/* A default that it does not accept itself. */
#define PARAMS {.struct_size = sizeof(msdk_param), .name = "level", .def = MSDK_U32(10), .min = MSDK_U32(0), .max = MSDK_U32(9)}
#include "good.h"
