/* Bounds with the greater one first. */
#define SOUND_PARAMS {.struct_size = sizeof(msdk_param), .name = "level", .def = {.type = MSDK_T_I32}, .min = MSDK_I32(9), .max = MSDK_I32(0)}
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
