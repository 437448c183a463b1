/* No list of classes. */
#define SOUND_MODULE .classes = NULL
#include "sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
