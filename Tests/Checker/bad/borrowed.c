/* It looks at the last frame again, of which it kept the pointer and no reference. */
#define IS_RENDERER
#define MEMBERS const msdk_video_frame *last;
#define ON_RENDER if (self->last != NULL) self->count += self->last->plane_count; self->last = frame
#define ON_RELEASE self->last = NULL
#include "good.h"
