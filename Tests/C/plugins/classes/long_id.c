/* A class id of 130 bytes. */
#define TEN "abcdefghi."
#define SOUND_ID TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#include "../sound.h"

MSDK_DEFINE_ENTRY(&sound_module)
