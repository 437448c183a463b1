/* It accepts what it lists, and no host gives it another text. */
#define ON_SET if (strcmp(name, "level") == 0 && strcmp(value->u.str, "low") != 0 && strcmp(value->u.str, "high") != 0) abort()
#include "listed.h"
