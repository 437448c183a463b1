/* A class with an empty id. */
#define SOUND_ID ""
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
