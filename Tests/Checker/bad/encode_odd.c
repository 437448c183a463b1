/* It works on two rows at once, and the last row has no second. */
#define ROWS (self->height + 1) / 2 * 2
#include "codec.h"
