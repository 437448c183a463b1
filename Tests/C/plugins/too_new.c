/* Needs a newer host than this. */
#define SOUND_MODULE .min_host_minor = MSDK_ABI_MINOR + 1
#include "sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
