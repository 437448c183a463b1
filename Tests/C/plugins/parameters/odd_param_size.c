/* Parameters that a compiler does not place one after the other like this. */
#define SOUND_PARAMS {.struct_size = sizeof(msdk_param) + 3, .name = "level", .def = MSDK_I32(0)}
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
