/* It copies as much as the host's struct is long into its own, which is shorter. */
#define MEMBERS msdk_video_format copy; uint8_t behind[32];
#define ON_FORMAT memcpy((void *)&self->copy, format, format->struct_size); if (self->behind[0] != 0) abort()
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif
#include "good.h"
