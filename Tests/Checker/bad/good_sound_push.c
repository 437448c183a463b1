/* Nothing is wrong with it: a thread of its own delivers sound. */
#define IS_PUSH
#include "sound.h"
