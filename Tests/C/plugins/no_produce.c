/* A pull producer without produce_frame. */
#define SOUND_PRODUCER .produce_frame = NULL
#include "sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
