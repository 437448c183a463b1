/* A list of classes that ends at once. */
#define SOUND_MODULE .classes = none
#include <mediasdk/plugin.h>
static const msdk_class *const none[] = {NULL};
#include "sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
