/* It keeps the first encoded frame for good. */
#define MORE int has_one;
#define ON_PACKET if (!self->has_one) self->host->encoded_frame_ref(packet), self->has_one = 1
#include "inputs.h"
