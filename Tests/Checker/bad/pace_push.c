/* Its thread delivers 12 frames a second, of the 30 that it offers. */
#define IS_PUSH
#define ON_DELIVER pause_ms(80)
#include "good.h"
