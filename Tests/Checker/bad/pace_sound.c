/* It sleeps 8 ms for each buffer of 10 ms. */
#define ON_BUFFER pause_ms(8)
#include "sound.h"
