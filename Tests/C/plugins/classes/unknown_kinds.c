/* A class of kinds that nobody knows. */
#define SOUND_CLASS .kinds = 0xF000
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
