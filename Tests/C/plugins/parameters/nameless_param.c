/* A parameter without a name. */
#define SOUND_PARAMS {.struct_size = sizeof(msdk_param), .def = {.type = MSDK_T_I32}}
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
