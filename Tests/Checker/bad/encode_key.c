/* It makes one key frame, and no other. */
#define IS_KEY (self->count == 0)
#include "codec.h"
