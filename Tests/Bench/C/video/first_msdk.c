/* How long a MediaSDK program takes from its start to the first received picture, everything included: engine, two sessions in a room, the
 * offered stream, negotiation, the received stream, one flat 720p picture.
 *
 *   first_msdk raw|vp8 [SECONDS]     with SECONDS it then waits so long, and says what the idle sessions cost */
#include "call.h"
#include "measure.h"

#include <string.h>
#include <sys/resource.h>

static void fill(msdk_video_frame *frame) {
  for (uint32_t plane = 0; plane < frame->plane_count; plane++) memset(frame->plane[plane].data, 128, frame->plane[plane].size);
}

static long wakeups(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return use.ru_nvcsw;
}

static void stay_idle(uint64_t seconds) {
  sleep_until(now_ns() + 500000000); /* what the first frame set going has ended */
  double cpu = cpu_seconds();
  long before = wakeups();
  int64_t since = now_ns();
  sleep_until(since + (int64_t)seconds * 1000000000);
  report("idle_percent", (cpu_seconds() - cpu) / ((double)(now_ns() - since) / 1e9) * 100);
  report("idle_wakeups", (double)(wakeups() - before - 1)); /* less this thread's own */
}

int main(int argc, char **argv) {
  int vp8 = argc >= 2 && strcmp(argv[1], "vp8") == 0;
  if (argc < 2 || argc > 3 || (!vp8 && strcmp(argv[1], "raw") != 0)) die("usage: first_msdk raw|vp8 [SECONDS]");
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 1280, 720, 25);
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.codec = vp8 ? MSDK_CODEC_VP8 : MSDK_CODEC_RAW;
  options.formats = &format;
  options.format_count = 1;
  struct call call;
  call_open(&call, &options, 1);
  call_receive(&call, NULL);
  msdk_video_frame *frame = NULL, *received = NULL;
  must(msdk_frame_sender_acquire(call.sender, 1000, &frame), "msdk_frame_sender_acquire");
  fill(frame);
  must(msdk_frame_sender_send(call.sender, frame, 0, NULL, NULL), "msdk_frame_sender_send");
  must(msdk_incoming_video_read(call.incoming, 5000, &received), "msdk_incoming_video_read");
  if (argc == 2) report("first_ms", (double)since_start_ns() / 1e6);
  msdk_video_frame_unref(received);
  msdk_video_frame_unref(frame);
  if (argc == 3) stay_idle(count_from(argv[2]));
  call_close(&call);
  return 0;
}
