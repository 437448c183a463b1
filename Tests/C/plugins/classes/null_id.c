/* A class without an id. */
#define SOUND_ID NULL
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
