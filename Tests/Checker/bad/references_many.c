/* It keeps the last six frames. */
#define IS_RENDERER
#define MEMBERS const msdk_video_frame *kept[6]; uint32_t next;
#define ON_RENDER \
  if (self->kept[self->next % 6] != NULL) self->host->video_frame_unref(self->kept[self->next % 6]); \
  self->host->video_frame_ref(frame); \
  self->kept[self->next++ % 6] = frame
#define ON_RELEASE \
  for (int i = 0; i < 6; i++) { \
    if (self->kept[i] != NULL) self->host->video_frame_unref(self->kept[i]); \
    self->kept[i] = NULL; \
  }
#include "good.h"
