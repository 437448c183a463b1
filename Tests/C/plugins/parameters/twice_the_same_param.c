/* Two parameters of one name. */
#define LEVEL(kind) {.struct_size = sizeof(msdk_param), .name = "level", .def = {.type = kind}}
#define SOUND_PARAMS LEVEL(MSDK_T_I32), LEVEL(MSDK_T_BOOL)
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
