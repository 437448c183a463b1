/* Parameters, but no function to set them. */
#define SOUND_CLASS .set_param = NULL
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
