/* It looks at the last encoded frame again, of which it kept the pointer and no reference. */
#define MORE const msdk_encoded_frame *former;
#define ON_PACKET if (self->former != NULL) self->count += (uint32_t)self->former->size; self->former = packet
#define ON_END self->former = NULL
#include "inputs.h"
