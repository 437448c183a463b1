/* A parameter whose struct ends before its name. */
#define SOUND_PARAMS {.struct_size = 8, .name = "level", .def = {.type = MSDK_T_I32}}
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
