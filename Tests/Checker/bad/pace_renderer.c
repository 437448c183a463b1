/* Every picture takes it more than a second, from the second one on and only where pictures come fast. */
#define IS_RENDERER
#define MEMBERS int64_t last;
#define ON_RENDER if (frame->timestamp_ns - self->last > 1000000000) pause_ms(1200); self->last = frame->timestamp_ns
#define ON_INIT self->last = self->host->now_ns(self->context)
#include "good.h"
