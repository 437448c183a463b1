/* An empty list of classes. */
#define SOUND_MODULE .class_count = 0
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
