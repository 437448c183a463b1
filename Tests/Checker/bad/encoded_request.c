/* Whoever needs a key frame waits in vain. */
#define ON_REQUEST
#include "encoded.h"
