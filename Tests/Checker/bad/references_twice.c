/* It gives back a reference that is the host's by then. */
#define MEMBERS msdk_video_frame *last;
#define ON_PICTURE if (self->last != NULL) self->host->video_frame_unref(self->last); paint(self, frame)
#define ON_DELIVER self->last = frame
#include "good.h"
