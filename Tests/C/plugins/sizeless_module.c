/* A module without a struct_size. */
#define SOUND_MODULE .struct_size = 0
#include "sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
