/* It keeps a reference to an encoded frame. */
#define ON_MADE if (self->count == 3) self->host->encoded_frame_ref(*out)
#include "encoded.h"
