/* Nothing is wrong with it. */
#define IS_RENDERER
#include "good.h"
