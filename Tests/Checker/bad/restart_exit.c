/* It ends the process. */
#define ON_START if (++self->starts > 60) exit(0)
#define MEMBERS int starts;
#include "good.h"
