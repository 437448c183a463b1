/* It writes all that a packet holds, whatever there is room for. */
#define ROOM 1
#include "codec.h"
