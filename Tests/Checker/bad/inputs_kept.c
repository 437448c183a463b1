/* It keeps the last picture of an input that is gone. */
#define ON_REMOVE
#include "inputs.h"
