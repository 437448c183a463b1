#include <unistd.h>
#define NAME "hangs"
#define BEFORE_ENTRY for (;;) pause();
#include "bad.h"
