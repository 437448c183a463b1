/* A default outside its own bounds. */
#define SOUND_PARAMS {.struct_size = sizeof(msdk_param), .name = "level", .def = {.type = MSDK_T_I32, .u.i32 = 50}, .min = 0, .max = 9}
#include "sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
