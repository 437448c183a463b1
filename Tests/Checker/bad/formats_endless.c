/* Its list of formats has no end. */
#define HELPERS \
  static msdk_result endless(msdk_self *self, uint32_t index, msdk_video_format *out) { \
    *out = self->format; \
    return index == UINT32_MAX ? MSDK_E_NOT_FOUND : MSDK_OK; \
  }
#define PRODUCER .enum_formats = endless
#include "good.h"
