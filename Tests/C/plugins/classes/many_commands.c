/* More commands than memory could hold, at an address that is none. */
#define SOUND_CLASS .commands = (const msdk_command *)16, .command_count = UINT32_MAX
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
