/* Nothing is wrong with it. */
#include "codec.h"
