/* Parameters are counted, but there is no list. */
#define SOUND_CLASS .params = NULL
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
