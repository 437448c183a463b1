/* The limit for handing frames over: a plain call, or a pointer through a mutex and a condition variable.
 *
 *   pass_bare call|thread (throughput COUNT WINDOW | turns COUNT 1 | latency COUNT RATE) */
#include "measure.h"
#include "meter.h"

#include <pthread.h>
#include <string.h>

enum { RING = 64 };

struct frame {
  int64_t at;
};

static struct meter meter;
static struct frame frames[RING];
static struct {
  pthread_mutex_t mutex;
  pthread_cond_t filled;
  struct frame *waiting[RING];
  uint64_t in, out;
} ring = {.mutex = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER};

static __attribute__((noinline)) void receive(struct frame *frame) { meter_arrived(&meter, frame->at); }

static void hand_over(struct frame *frame) {
  pthread_mutex_lock(&ring.mutex);
  ring.waiting[ring.in++ % RING] = frame;
  pthread_cond_signal(&ring.filled);
  pthread_mutex_unlock(&ring.mutex);
}

static void *receiver(void *unused) {
  (void)unused;
  for (uint64_t taken = 0; taken < meter.count; taken++) {
    pthread_mutex_lock(&ring.mutex);
    while (ring.in == ring.out) pthread_cond_wait(&ring.filled, &ring.mutex);
    struct frame *frame = ring.waiting[ring.out++ % RING];
    pthread_mutex_unlock(&ring.mutex);
    receive(frame);
  }
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 5) die("usage: pass_bare call|thread throughput|turns|latency COUNT WINDOW|RATE");
  meter_open(&meter, argv + 2);
  bool threaded = strcmp(argv[1], "thread") == 0;
  void (*volatile send)(struct frame *) = threaded ? hand_over : receive;
  pthread_t thread;
  if (threaded && pthread_create(&thread, NULL, receiver, NULL) != 0) die("no thread");
  int64_t at;
  for (uint64_t i = 0; meter_next(&meter, &at); i++) {
    frames[i % RING].at = at;
    send(&frames[i % RING]);
  }
  if (threaded) pthread_join(thread, NULL);
  meter_close(&meter);
  return 0;
}
