/* Leaves a process behind that has all its descriptors. */
#include <unistd.h>
#define NAME "forks"
#define BEFORE_ENTRY if (getenv("MSDK_TEST_NO_FORK") == NULL && fork() == 0) for (;;) pause();
#include "bad.h"
