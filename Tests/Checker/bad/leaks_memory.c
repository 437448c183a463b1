/* What init took is not given back. */
#define MEMBERS void *memory;
#define ON_INIT self->memory = malloc(500)
#include "good.h"
