/* Declines to run on any host. */
#include <mediasdk/plugin.h>

MSDK_DEFINE_ENTRY(NULL)
