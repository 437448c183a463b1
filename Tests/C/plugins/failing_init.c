/* A module whose init fails. */
#define SOUND_MODULE .init = fail
#include <mediasdk/plugin.h>
static msdk_result fail(const char *module_path) { return module_path != NULL ? MSDK_E_DEVICE_LOST : MSDK_E_FAIL; }
#include "sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
