/* It sleeps 33 ms for each frame of 30 a second, whenever that is due. */
#define ON_PRODUCE pause_ms(33)
#include "good.h"
