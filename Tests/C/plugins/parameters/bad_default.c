/* A default outside its own bounds. */
#define SOUND_PARAMS {.struct_size = sizeof(msdk_param), .name = "level", .def = MSDK_I32(50), .min = MSDK_I32(0), .max = MSDK_I32(9)}
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
