#define NAME "declines"
#define BEFORE_ENTRY if (host_abi_minor < 1000) return NULL;
#include "bad.h"
