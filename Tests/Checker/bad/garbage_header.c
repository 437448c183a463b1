/* It reads a head, whether there is one or not. */
#define TOO_SHORT 0
#include "codec.h"
