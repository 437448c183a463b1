/* It shows what it has, whether it has a key frame or not. */
#define ON_DECODE self->has_key = 1
#include "codec.h"
