/* It makes encoded frames, and nothing is wrong with them. */
#include "encoded.h"
