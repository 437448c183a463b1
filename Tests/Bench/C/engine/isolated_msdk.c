/* isolated_msdk inside|isolated PLUGIN SECONDS: pictures of 1080p NV12 from a pull producer, 60 a second, from the moment one is due to the
 * receiver's code. isolated_msdk killed PLUGIN TIMES: from kill -9 to the event, and to the next picture. */
#include "call.h"
#include "measure.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 100000 };
static int64_t late[MOST];
static atomic_int count;
static atomic_llong killed_at, event_at, picture_at;

static void take(void *user, const msdk_video_frame *frame) {
  (void)user;
  int64_t now = now_ns();
  int index = atomic_fetch_add(&count, 1);
  if (index < MOST) late[index] = now - frame->timestamp_ns;
  if (atomic_load(&event_at) != 0 && atomic_load(&picture_at) == 0) atomic_store(&picture_at, now);
}

static void hear(void *user, const msdk_event *event) {
  (void)user;
  if (event->type == MSDK_EVENT_PLUGIN && event->value == MSDK_PLUGIN_EVENT_DIED) atomic_store(&event_at, now_ns());
}

/* Of the program, and of the plugin's process beside it, whose start is none of the frames'. */
static double cpu_of(msdk_instance *producer) {
  struct timespec own, other = {0, 0};
  msdk_value pid;
  must(msdk_instance_get_param(producer, "pid", &pid, NULL, 0, NULL), "get_param");
  clockid_t clock;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  if (pid.u.i32 != getpid() && (clock_getcpuclockid(pid.u.i32, &clock) != 0 || clock_gettime(clock, &other) != 0)) die("no clock of the plugin's");
  return (double)(own.tv_sec + other.tv_sec) + (double)(own.tv_nsec + other.tv_nsec) / 1e9;
}

int main(int argc, char **argv) {
  if (argc != 4) die("isolated_msdk inside|isolated|killed PLUGIN SECONDS|TIMES");
  uint64_t number = count_from(argv[3]);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 1920, 1080, 60);
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.limits = MSDK_LIMITS_EXTENDED;
  options.formats = &format;
  options.format_count = 1;
  struct call call;
  call_open(&call, &options, 1);
  must(msdk_engine_load_plugin(call.engine, argv[2]), "load");
  msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
  receive.delivery = MSDK_DELIVERY_DIRECT;
  call_receive(&call, &receive);
  must(msdk_incoming_video_set_frame_callback(call.incoming, take, NULL), "set_frame_callback");
  must(msdk_session_set_event_callback(call.here, hear, NULL), "set_event_callback");
  msdk_instance_options where = MSDK_INIT(msdk_instance_options);
  where.isolation = strcmp(argv[1], "inside") == 0 ? MSDK_ISOLATION_NONE : MSDK_ISOLATION_PROCESS;
  msdk_instance *producer;
  must(msdk_instance_create(call.engine, "org.mediasdk.bench.blank", &where, &producer), "create");
  must(msdk_outgoing_video_attach_producer(call.outgoing, producer), "attach");
  sleep_until(now_ns() + INT64_C(500000000));
  if (strcmp(argv[1], "killed") == 0) {
    int64_t *events = calloc(number, sizeof *events), *pictures = calloc(number, sizeof *pictures);
    if (events == NULL || pictures == NULL) die("no memory");
    for (uint64_t i = 0; i < number; i++) {
      msdk_value pid;
      must(msdk_instance_get_param(producer, "pid", &pid, NULL, 0, NULL), "get_param");
      atomic_store(&event_at, 0);
      atomic_store(&picture_at, 0);
      atomic_store(&killed_at, now_ns());
      kill((pid_t)pid.u.i32, SIGKILL);
      for (int tries = 0; tries < 10000 && atomic_load(&picture_at) == 0; tries++) sleep_until(now_ns() + 1000000);
      if (atomic_load(&picture_at) == 0) die("no picture came after death %d", (int)i);
      events[i] = atomic_load(&event_at) - atomic_load(&killed_at);
      pictures[i] = atomic_load(&picture_at) - atomic_load(&killed_at);
      sleep_until(now_ns() + INT64_C(2200000000)); /* so that the next is the first again */
    }
    report_quantiles("event", events, number);
    report_quantiles("picture", pictures, number);
  } else {
    double before = cpu_of(producer);
    atomic_store(&count, 0);
    sleep_until(now_ns() + (int64_t)number * INT64_C(1000000000));
    int frames = atomic_load(&count);
    double cpu = cpu_of(producer) - before;
    msdk_instance_destroy(producer);
    if (frames < 10 || frames > MOST) die("%d frames", frames);
    report("cpu_us", cpu * 1e6 / frames);
    report_quantiles("latency", late, (size_t)frames);
  }
  call_close(&call);
  return 0;
}
