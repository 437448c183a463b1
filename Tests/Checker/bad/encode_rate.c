/* Its rate cannot be changed, and it says that it can. */
#define ON_RATE return say(self, MSDK_E_UNSUPPORTED, "the rate stays")
#include "codec.h"
