/* It takes rows to be width apart. */
#define ON_PICTURE memset(frame->plane[0].data, 7, (size_t)self->format.width * self->format.height)
#include "good.h"
