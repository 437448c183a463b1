#include <stdio.h>
#define NAME "floods"
#define BEFORE_ENTRY for (;;) fputs("and so on and so on and so on and so on and so on\n", stdout);
#include "bad.h"
