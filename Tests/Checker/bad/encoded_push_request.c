/* Its thread makes no key frame when one is requested. */
#define ON_REQUEST
#define IS_PUSH
#include "encoded.h"
