/* It takes rows to be width apart. */
#define IS_RENDERER
#define ON_LOOK for (uint32_t i = 0; i < frame->format->width * frame->format->height; i++) self->count += frame->plane[0].data[i]
#include "good.h"
