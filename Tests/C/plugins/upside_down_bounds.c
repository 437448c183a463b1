/* Bounds with the greater one first. */
#define SOUND_PARAMS {.struct_size = sizeof(msdk_param), .name = "level", .def = {.type = MSDK_T_I32}, .min = 9, .max = 0}
#include "sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
