/* It copies the table that it was built for, not the one that is there. */
#define MEMBERS msdk_host mine;
#define ON_CREATE self->mine = *host; self->host = &self->mine
#include "good.h"
