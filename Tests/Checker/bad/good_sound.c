/* Nothing is wrong with it. */
#include "sound.h"
