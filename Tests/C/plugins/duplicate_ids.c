/* Two classes of one id in a module. */
#define SOUND_MODULE .classes = both
#include <mediasdk/plugin.h>
static const msdk_class *const both[3];
#include "sound.h"
static const msdk_class *const both[3] = {&sound_class, &sound_class, NULL};

MSDK_DEFINE_ENTRY(&sound_module)
