/* Writes into every descriptor there is, the one that the answer goes through among them. */
#include <unistd.h>
#define NAME "garbles"
#define BEFORE_ENTRY for (int i = 3; i < 1024; i++) if (write(i, "{}\n", 3) < 0) continue;
#include "bad.h"
