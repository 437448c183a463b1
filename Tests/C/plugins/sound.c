/* Nothing is wrong with this one. */
#include "sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
