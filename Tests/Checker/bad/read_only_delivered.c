/* It goes on drawing in a frame that it has delivered. */
#define MEMBERS msdk_video_frame *last;
#define ON_PICTURE \
  if (self->last != NULL) { \
    self->last->plane[0].data[0] = 9; \
    self->host->video_frame_unref(self->last); \
  } \
  paint(self, frame); \
  self->host->video_frame_ref(frame)
#define ON_DELIVER self->last = frame
#define ON_RELEASE \
  if (self->last != NULL) self->host->video_frame_unref(self->last); \
  self->last = NULL
#include "good.h"
