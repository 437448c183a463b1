#include <unistd.h>
#define NAME "exits"
#define BEFORE_ENTRY _exit(0);
#include "bad.h"
