/* A class that cannot be destroyed. */
#define SOUND_CLASS .destroy = NULL
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
