/* What finding the object behind a handle costs: asking a stream for its state, against a call into the same library that has no handle
 * (msdk_version), and against a C call that does nothing. Nanoseconds a call, in rounds of the three in turn. */
#include "bare.h"
#include "call.h"
#include "measure.h"

enum { CALLS = 200000 };

static double per_call(int64_t since) { return (double)(now_ns() - since) / CALLS; }

static double state_calls(msdk_outgoing_video *stream) {
  uint32_t state = 0;
  int64_t since = now_ns();
  for (int i = 0; i < CALLS; i++) msdk_outgoing_video_get_state(stream, &state);
  double ns = per_call(since);
  if (state != MSDK_OUTGOING_STARTED) die("the stream's state is %u", state);
  return ns;
}

static double format_calls(msdk_frame_sender *sender) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  int64_t since = now_ns();
  for (int i = 0; i < CALLS; i++) msdk_frame_sender_get_format(sender, &format);
  double ns = per_call(since);
  if (format.width != 1280) die("the sender's width is %u", format.width);
  return ns;
}

static double version_calls(void) {
  const char *text = "";
  int64_t since = now_ns();
  for (int i = 0; i < CALLS; i++) text = msdk_version();
  double ns = per_call(since);
  if (text[0] == '\0') die("no version");
  return ns;
}

static double bare_calls(void *handle) {
  uint32_t state = 0;
  int64_t since = now_ns();
  for (int i = 0; i < CALLS; i++) bare_state(handle, &state);
  return per_call(since);
}

int main(int argc, char **argv) {
  if (argc != 2) die("usage: lookup_msdk ROUNDS");
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 1280, 720, 25);
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.formats = &format;
  options.format_count = 1;
  struct call call;
  call_open(&call, &options, 0);
  for (uint64_t round = count_from(argv[1]); round > 0; round--) {
    report("state_ns", state_calls(call.outgoing));
    report("format_ns", format_calls(call.sender));
    report("version_ns", version_calls());
    report("bare_ns", bare_calls(call.outgoing));
  }
  call_close(&call);
  return 0;
}
