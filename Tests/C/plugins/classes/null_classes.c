/* No list of classes. */
#define SOUND_MODULE .classes = NULL, .class_count = 1
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
