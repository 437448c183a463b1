/* For any processor: the compiler makes two vectors of 16 bytes of each. */
#define NAME(function) cresampler_plain_##function
#include "sums.h"
