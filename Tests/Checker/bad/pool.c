/* No frame, no stream. */
#define ON_AGAIN return say(self, MSDK_E_NOMEM, "there is no frame")
#include "good.h"
