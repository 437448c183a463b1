/* More parameters than memory could hold. */
#define SOUND_CLASS .param_count = UINT32_MAX
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
