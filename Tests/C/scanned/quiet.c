#define NAME "quiet"
#define BEFORE_ENTRY
#include "bad.h"
