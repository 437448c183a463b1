/* Its frames are larger than agreed on. */
#define HELPERS \
  static msdk_result larger(msdk_self *self, msdk_video_frame **frame) { \
    msdk_video_format format = self->format; \
    self->host->video_frame_unref(*frame); \
    format.width += 2; \
    return self->host->video_frame_acquire(self->context, &format, 0, frame); \
  }
#define ON_PICTURE if (larger(self, &frame) < 0) return MSDK_E_AGAIN; paint(self, frame)
#define ON_DELIVER memset(frame->plane[0].data, 3, 1)
#include "good.h"
