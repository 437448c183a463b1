/* The device is opened in create. */
#define ON_CREATE self->device = open("/dev/null", O_RDONLY | O_CLOEXEC)
#define ON_DESTROY close(self->device)
#define MEMBERS int device;
#include "good.h"
