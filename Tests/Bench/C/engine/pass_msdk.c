/* MediaSDK's way of handing frames over: 1080p NV12 that is in memory already is wrapped, sent, received and given back, never copied.
 *
 *   pass_msdk direct|queued|read (throughput COUNT WINDOW | turns COUNT 1 | latency COUNT RATE) */
#include "call.h"
#include "measure.h"
#include "meter.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1920, HEIGHT = 1080, BYTES = WIDTH * HEIGHT * 3 / 2 };

static struct meter meter;
static struct call call;
static atomic_uint_fast64_t released, reported;

static void release(void *unused) {
  (void)unused;
  atomic_fetch_add_explicit(&released, 1, memory_order_relaxed);
}

static void completed(void *unused, const msdk_frame_report *frame) {
  (void)unused;
  if (frame->outcome != MSDK_OUTCOME_SENT) die("a frame was not sent: outcome %u, reason %u", frame->outcome, frame->reason);
  atomic_fetch_add_explicit(&reported, 1, memory_order_relaxed);
}

static void called_back(void *unused, const msdk_video_frame *frame) {
  (void)unused;
  meter_arrived(&meter, frame->timestamp_ns);
}

static void *reader(void *unused) {
  (void)unused;
  for (uint64_t taken = 0; taken < meter.count; taken++) {
    msdk_video_frame *frame = NULL;
    must(msdk_incoming_video_read(call.incoming, 5000, &frame), "msdk_incoming_video_read");
    int64_t at = frame->timestamp_ns;
    msdk_video_frame_unref(frame);
    meter_arrived(&meter, at);
  }
  return NULL;
}

static void send(const msdk_external_frame *picture, int64_t at) {
  msdk_video_frame *frame = NULL;
  must(msdk_video_frame_wrap(picture, &frame), "msdk_video_frame_wrap");
  must(msdk_frame_sender_send(call.sender, frame, at, completed, NULL), "msdk_frame_sender_send");
  msdk_video_frame_unref(frame);
}

static msdk_external_frame picture_of(const msdk_video_format *format) {
  uint8_t *memory = malloc(BYTES);
  if (memory == NULL) die("no memory");
  memset(memory, 128, BYTES);
  msdk_external_frame picture = MSDK_INIT(msdk_external_frame);
  picture.plane_count = 2;
  picture.plane[0] = (msdk_plane){.data = memory, .size = WIDTH * HEIGHT, .stride = WIDTH};
  picture.plane[1] = (msdk_plane){.data = memory + WIDTH * HEIGHT, .size = WIDTH * HEIGHT / 2, .stride = WIDTH};
  picture.format = format;
  picture.release = release;
  return picture;
}

int main(int argc, char **argv) {
  if (argc != 5) die("usage: pass_msdk direct|queued|read throughput|turns|latency COUNT WINDOW|RATE");
  meter_open(&meter, argv + 2);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, WIDTH, HEIGHT, 60);
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.limits = MSDK_LIMITS_EXTENDED;
  options.formats = &format;
  options.queue_policy = MSDK_POLICY_WAIT; /* not paced */
  options.format_count = 1;
  call_open(&call, &options, 1);

  msdk_incoming_video_options wanted = MSDK_INIT(msdk_incoming_video_options);
  wanted.delivery = strcmp(argv[1], "direct") == 0 ? MSDK_DELIVERY_DIRECT : MSDK_DELIVERY_QUEUED;
  wanted.queue_capacity = 16; /* more than any window here, so that nothing is dropped */
  int reads = strcmp(argv[1], "read") == 0;
  if (!reads) must(msdk_incoming_video_set_frame_callback(call.incoming, called_back, NULL), "setting the frame callback");
  call_receive(&call, &wanted);
  pthread_t thread;
  if (reads && pthread_create(&thread, NULL, reader, NULL) != 0) die("no thread");

  msdk_external_frame picture = picture_of(&format);
  int64_t at;
  while (meter_next(&meter, &at)) send(&picture, at);
  meter_close(&meter);
  if (reads) pthread_join(thread, NULL);
  call_close(&call);
  if (reported != meter.count) die("%llu of %llu frames were reported", (unsigned long long)reported, (unsigned long long)meter.count);
  if (released != meter.count) die("%llu of %llu frames were released", (unsigned long long)released, (unsigned long long)meter.count);
  free(picture.plane[0].data);
  return 0;
}
