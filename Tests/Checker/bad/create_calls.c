/* create takes a frame ahead. */
#define ON_CREATE if (host->video_frame_acquire(context, &self->format, 0, &self->frame) < 0) self->frame = NULL
#define ON_DESTROY if (self->frame != NULL) self->host->video_frame_unref(self->frame)
#define MEMBERS msdk_video_frame *frame;
#include "good.h"
