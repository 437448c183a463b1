#include <mediasdk/plugin.h>
