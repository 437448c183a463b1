/* It says that it is a renderer, too, and has no table for that. */
#define CLASS .kinds = MSDK_KIND_VIDEO_PRODUCER | MSDK_KIND_VIDEO_RENDERER
#include "good.h"
