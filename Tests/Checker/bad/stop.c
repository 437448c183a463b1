/* Its thread is told to end, and not waited for. */
#define IS_PUSH
#define MEMBERS volatile int is_late, rounds, is_running;
#define ON_START while (self->is_running) pause_ms(1); self->is_late = self->rounds = 0; self->is_running = 1
#define ON_STOP pthread_detach(self->thread); self->is_late = 1
#define ON_DELIVER \
  if (self->is_late && ++self->rounds > 3) { \
    self->host->video_frame_unref(frame); \
    self->is_running = 0; \
    pthread_exit(NULL); \
  }
/* So that nothing else is wrong: the memory, and the next thread, wait for this one. */
#define ON_RELEASE while (self->is_running) pause_ms(1)
#include "good.h"
