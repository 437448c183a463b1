/* It refuses without a word. */
#define ON_FORMAT if (format->pixel_format != MSDK_PIXEL_GRAY8) return MSDK_E_FORMAT
#include "good.h"
