/* Talks on both streams, which harms nobody. */
#include <stdio.h>
#define NAME "prints"
#define BEFORE_ENTRY puts("mediasdk-scan 1"), fputs("hello\n", stderr), fflush(NULL);
#include "bad.h"
