/* Nothing is wrong with it: a thread of its own delivers. */
#define IS_PUSH
#include "good.h"
