/* A class of no kind. */
#define SOUND_CLASS .kinds = 0
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
