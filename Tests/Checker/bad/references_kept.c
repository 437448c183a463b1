/* It takes a reference for itself and forgets it. */
#define ON_DELIVER if (self->count == 3) self->host->video_frame_ref(frame)
#include "good.h"
