/* It takes the rows of the frame that it is to fill to be width apart. */
#define SNAPSHOT_STRIDE self->width
#include "inputs.h"
