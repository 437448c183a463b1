/* A class that cannot be created. */
#define SOUND_CLASS .create = NULL
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
