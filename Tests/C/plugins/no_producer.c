/* A producer without its table. */
#define SOUND_CLASS .video_producer = NULL
#include "sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
