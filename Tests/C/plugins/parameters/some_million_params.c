/* A count that is wrong in a quieter way. */
#define SOUND_CLASS .param_count = 4000000
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
