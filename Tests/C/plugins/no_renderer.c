/* A renderer without its table. */
#define SOUND_CLASS .kinds = MSDK_KIND_VIDEO_RENDERER
#include "sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
