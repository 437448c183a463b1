/* A parameter of a type that nobody knows. */
#define SOUND_PARAMS {.struct_size = sizeof(msdk_param), .name = "level", .def = {.type = 99}}
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
