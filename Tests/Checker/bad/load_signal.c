/* It thinks that the process is its own. */
#include "good.h"

__attribute__((constructor)) static void ignore_pipes(void) { signal(SIGPIPE, SIG_IGN); }
