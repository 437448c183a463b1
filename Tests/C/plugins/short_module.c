/* A module whose struct ends before its classes. */
#define SOUND_MODULE .struct_size = 16
#include "sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
