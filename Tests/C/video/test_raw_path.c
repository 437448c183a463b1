/* incoming_video.h: what a raw frame costs from send to a direct callback: locks and allocations, which this program counts on its own thread. */
#include "sending.h"

#include <dlfcn.h>
#include <pthread.h>

static _Thread_local unsigned long long locks, allocations;

/* The sanitizers have functions of their own in these places. */
#if !UNDER_ASAN && !UNDER_TSAN
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);

void *malloc(size_t size) {
  allocations++;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  allocations++;
  return __libc_calloc(count, size);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static int (*_Atomic next)(pthread_mutex_t *);
  int (*lock)(pthread_mutex_t *) = atomic_load(&next);
  if (lock == NULL) {
    *(void **)&lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    atomic_store(&next, lock);
  }
  locks++;
  return lock(mutex);
}
#endif

typedef struct counted_frames {
  atomic_uint count;
  pthread_t thread;
} counted_frames;

static void on_frame(void *user, const msdk_video_frame *frame) {
  counted_frames *counted = user;
  CHECK(frame->plane[0].data != NULL);
  counted->thread = pthread_self();
  atomic_fetch_add(&counted->count, 1);
}

/* The sender's lock when the frame is accepted, when its outcome is counted and when the next one is looked for; the receiver's when it arrives. */
enum { LOCKS = 4, FRAMES = 1000 };

static void send_many(call *it, const msdk_external_frame *external, outcomes *counted) {
  for (int n = 0; n < FRAMES; n++) {
    msdk_video_frame *frame = NULL;
    CHECK_OK(msdk_video_frame_wrap(external, &frame));
    CHECK_OK(msdk_frame_sender_send(it->sender, frame, 0, on_report, counted));
    CHECK_OK(msdk_video_frame_unref(frame));
  }
}

static void a_frame_takes_few_locks(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_GRAY8, 64, 64, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  options.queue_policy = MSDK_POLICY_WAIT; /* not paced */
  msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
  receive.delivery = MSDK_DELIVERY_DIRECT;
  call it = call_open(MSDK_CLOCK_SYSTEM, &options, &receive);
  counted_frames frames = {0};
  outcomes counted = {0};
  CHECK_OK(msdk_incoming_video_set_frame_callback(it.incoming, on_frame, &frames));
  static uint8_t memory[64 * 64];
  msdk_external_frame external = MSDK_INIT(msdk_external_frame);
  external.format = &format;
  external.plane_count = 1;
  external.plane[0] = (msdk_plane){.data = memory, .size = sizeof memory, .stride = 64};
  send_many(&it, &external, &counted);
  unsigned long long locks_before = locks, allocations_before = allocations;
  send_many(&it, &external, &counted);
  unsigned long long locks_taken = locks - locks_before, allocated = allocations - allocations_before;
  CHECK_EQ(atomic_load(&frames.count), 2 * FRAMES);
  CHECK(pthread_equal(frames.thread, pthread_self()));
  CHECK_EQ(atomic_load(&counted.by_outcome[MSDK_OUTCOME_SENT]), 2 * FRAMES);
  msdk_incoming_video_stats stats = incoming_stats(it.incoming);
  CHECK_EQ(stats.frames_delivered, 2 * FRAMES);
  if (!under_tools()) {
    CHECK_RANGE(locks_taken, FRAMES, (unsigned long long)LOCKS * FRAMES);
    CHECK_EQ(allocated, 0);
  }
  call_close(&it);
}

int main(int argc, char **argv) {
  RUN(a_frame_takes_few_locks);
  return check_finish();
}
