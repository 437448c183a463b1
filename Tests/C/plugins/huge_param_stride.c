/* Parameters further apart than the address space is wide. */
#define SOUND_CLASS .param_count = 2, .param_stride = UINT64_MAX - 7
#include "sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
