/* It keeps the first picture, and never gives it back. */
#define ON_ENCODE if (self->count == 0) self->host->video_frame_ref(frame)
#include "codec.h"
