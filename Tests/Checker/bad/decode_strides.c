/* It takes rows to be width apart. */
#define STRIDE head->width
#include "codec.h"
