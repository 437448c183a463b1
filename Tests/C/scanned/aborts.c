#include <stdlib.h>
#define NAME "aborts"
#define BEFORE_ENTRY abort();
#include "bad.h"
