/* It greets when it is loaded. */
#include "good.h"

#include <stdio.h>

__attribute__((constructor)) static void greet(void) { puts("hello"); }
