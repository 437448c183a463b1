#define _POSIX_C_SOURCE 200809L
/* A program that ends without releasing its renderers would leave the terminal on its alternate screen, without a cursor. Plugins are
 * never unloaded, so that a function of theirs may run at exit. A program that is killed, or ends by _exit, is not helped by it. */
#include "self.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static msdk_self *open_ones;
static atomic_int process; /* the one that opened the last; a child that was forked off must leave its parent's terminals alone */

/* Under the lock. */
static void end(msdk_self *self) {
  if (self->joined) return;
  pthread_mutex_lock(&self->lock);
  self->quit = true;
  pthread_mutex_unlock(&self->lock);
  uint64_t one = 1;
  if (write(self->wake_fd, &one, sizeof one) < 0) self->joined = false; /* it is full: the thread is already called */
  if (pthread_equal(self->thread, pthread_self())) return; /* exit was called by what the thread called */
  pthread_join(self->thread, NULL);
  self->joined = true;
}

static void at_exit(void) {
  if (atomic_load(&process) != (int)getpid()) return;
  pthread_mutex_lock(&lock);
  for (msdk_self *self = open_ones; self != NULL; self = self->next_open) {
    if (self->process == getpid()) end(self);
  }
  pthread_mutex_unlock(&lock);
}

static void register_at_exit(void) { atexit(at_exit); }

void tm_note_open(msdk_self *self) {
  pthread_once(&once, register_at_exit);
  self->process = getpid();
  atomic_store(&process, (int)self->process);
  pthread_mutex_lock(&lock);
  self->joined = false;
  self->next_open = open_ones;
  open_ones = self;
  pthread_mutex_unlock(&lock);
}

void tm_end(msdk_self *self) {
  pthread_mutex_lock(&lock);
  msdk_self **at = &open_ones;
  while (*at != NULL && *at != self) at = &(*at)->next_open;
  if (*at != NULL) *at = self->next_open;
  end(self);
  pthread_mutex_unlock(&lock);
}
