/* What init opened stays open. */
#define MEMBERS int device;
#define ON_INIT self->device = open("/dev/null", O_RDONLY | O_CLOEXEC)
#include "good.h"
