/* It has two functions of three. */
#define RENDERER_TABLE .remove_input = NULL
#include "inputs.h"
