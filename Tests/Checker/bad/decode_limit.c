/* It makes pictures of whatever size the data say. */
#define TOO_LARGE 0
#include "codec.h"
