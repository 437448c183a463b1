/* Parameters that overlap. */
#define SOUND_CLASS .param_stride = 3
#include "sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
