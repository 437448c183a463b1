/* A class that is NULL. */
#define SOUND_MODULE .classes = none, .class_count = MSDK_COUNT(none)
#include <mediasdk/plugin.h>
static const msdk_class *const none[] = {NULL};
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
