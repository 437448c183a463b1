/* Its module cannot be initialised. */
#define MODULE .init = refuse
#define HELPERS static msdk_result refuse(const char *path) { return path == NULL ? MSDK_OK : MSDK_E_IO; }
#include "good.h"
