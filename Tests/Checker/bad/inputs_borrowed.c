/* It keeps the pointer to a name, not the name. */
#define MORE const char *name;
#define ON_UPDATE if (self->name != NULL) self->count += (uint32_t)strlen(self->name); self->name = told->display_name
#include "inputs.h"
