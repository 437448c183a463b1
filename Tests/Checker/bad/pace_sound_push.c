/* Its thread takes 40 ms for 10 ms of sound. */
#define IS_PUSH
#define ON_BUFFER pause_ms(30)
#include "sound.h"
