/* What it begins with builds on frames that nobody has. */
#define FIRST_IS_KEY 0
#include "encoded.h"
