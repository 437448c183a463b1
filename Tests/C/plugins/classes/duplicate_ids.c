/* Two classes of one id in a module. */
#define SOUND_MODULE .classes = both, .class_count = MSDK_COUNT(both)
#include <mediasdk/plugin.h>
static const msdk_class *const both[2];
#include "../sound.h"
static const msdk_class *const both[2] = {&sound_class, &sound_class};

MSDK_DEFINE_ENTRY(&sound_module)
