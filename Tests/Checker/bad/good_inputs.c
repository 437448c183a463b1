/* Nothing is wrong with it. */
#include "inputs.h"
