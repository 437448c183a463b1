/* A class id that another module has. */
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
