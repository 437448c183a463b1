/* Writes to address 8 when it is loaded. */
#define NAME "crashes"
#define BEFORE_ENTRY
#include <stdio.h>
#include "bad.h"

__attribute__((constructor)) static void crash(void) {
  volatile int *volatile nowhere = (int *)8;
  fputs("about to write to address 8\n", stderr);
  *nowhere = 1;
}
