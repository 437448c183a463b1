/* A producer that cannot be started. */
#define SOUND_PRODUCER .start_capture = NULL
#include "sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
