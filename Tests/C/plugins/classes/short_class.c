/* A class whose struct ends before its functions. */
#define SOUND_CLASS .struct_size = 32
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
