/* A class id of letters that are not allowed. */
#define SOUND_ID "Org.Example/Upper Case"
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
