/* A producer whose table ends before its functions. */
#define SOUND_PRODUCER .struct_size = 8
#include "sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
