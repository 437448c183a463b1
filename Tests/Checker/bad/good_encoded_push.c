/* A thread of its own delivers encoded frames, and nothing is wrong with them. */
#define IS_PUSH
#include "encoded.h"
