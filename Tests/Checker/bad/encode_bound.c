/* A frame that would be longer than its bound is not made at all. */
#define ON_ENCODE \
  if (self->bytes_max > 0 && sizeof head + (uint64_t)self->width * self->height > self->bytes_max) return MSDK_E_AGAIN
#include "codec.h"
