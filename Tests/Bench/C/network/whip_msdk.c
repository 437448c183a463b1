/* From the start of two programs to the first picture that a member of a room has decoded: this one serves the room and receives, the
 * other one, which it starts when the room is open, joins by WHIP and sends 720p VP8, 30 pictures a second.
 *
 *   whip_msdk             serves, starts the sender, and reports
 *   whip_msdk send URL    until it is killed */
#include "call.h"
#include "measure.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FPS = 30 };

static atomic_int_least64_t first_ns;
static pid_t sender;

static void came(void *unused, const msdk_video_frame *frame) {
  (void)unused, (void)frame;
  if (atomic_load(&first_ns) == 0) atomic_store(&first_ns, since_start_ns());
}

static void heard(void *unused, const msdk_event *event) {
  (void)unused;
  if (event->type != MSDK_EVENT_INCOMING_VIDEO_ADDED) return;
  must(msdk_incoming_video_set_frame_callback(event->incoming_video, came, NULL), "setting the frame callback");
  must(msdk_incoming_video_start(event->incoming_video, NULL), "msdk_incoming_video_start");
}

static void start_sender(const char *program, unsigned port) {
  char url[128];
  snprintf(url, sizeof url, "whip+http://127.0.0.1:%u/whip/bench", port);
  sender = fork();
  if (sender < 0) die("no process");
  if (sender != 0) return;
  execl(program, program, "send", url, (char *)NULL);
  die("%s cannot be started", program);
}

static int serve(const char *program) {
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  msdk_serve_options options = MSDK_INIT(msdk_serve_options);
  options.addresses = "127.0.0.1";
  options.port = MSDK_PORT_ANY;
  msdk_serve_info info = MSDK_INIT(msdk_serve_info);
  must(msdk_room_serve(engine, "loopback:bench", &options, &info), "msdk_room_serve");
  start_sender(program, info.port);
  msdk_session *session = session_open(engine, "here");
  must(msdk_session_set_event_callback(session, heard, NULL), "setting the event callback");
  int64_t since = now_ns();
  while (atomic_load(&first_ns) == 0 && now_ns() - since < 10000000000) sleep_until(now_ns() + 1000000);
  kill(sender, SIGKILL);
  waitpid(sender, NULL, 0);
  if (atomic_load(&first_ns) == 0) die("no picture came within 10 s");
  report("first_ms", (double)atomic_load(&first_ns) / 1e6);
  msdk_session_destroy(session);
  msdk_engine_destroy(engine);
  return 0;
}

static void send_picture(msdk_frame_sender *to, int64_t at) {
  msdk_video_frame *frame = NULL;
  if (msdk_frame_sender_acquire(to, 0, &frame) < 0) return;
  for (uint32_t plane = 0; plane < frame->plane_count; plane++) memset(frame->plane[plane].data, 128, frame->plane[plane].size);
  msdk_frame_sender_send(to, frame, at, NULL, NULL); /* nobody may be there yet */
  msdk_video_frame_unref(frame);
}

/* Reports how long connecting took, with all that WHIP says. */
static int send(const char *url) {
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = url;
  options.user_id = "sender";
  msdk_session *session = NULL;
  must(msdk_session_create(engine, &options, &session), url);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 1280, 720, FPS);
  msdk_outgoing_video_options video = MSDK_INIT(msdk_outgoing_video_options);
  video.codec = MSDK_CODEC_VP8;
  video.formats = &format;
  video.format_count = 1;
  msdk_outgoing_video *outgoing = NULL;
  must(msdk_outgoing_video_create(engine, &video, &outgoing), "msdk_outgoing_video_create");
  must(msdk_session_start_video(session, outgoing), "msdk_session_start_video");
  int64_t begin = now_ns();
  must(msdk_session_connect(session), url);
  msdk_frame_sender *to = NULL;
  for (uint64_t i = 0;; i++) {
    int64_t next = begin + (int64_t)(i * 1000000000 / FPS);
    while (now_ns() < next) {
      msdk_event event = MSDK_INIT(msdk_event);
      if (msdk_session_next_event(session, (uint32_t)((next - now_ns()) / 1000000 + 1), &event) < 0) continue;
      if (event.type == MSDK_EVENT_FRAME_SENDER_CHANGED) to = event.sender;
      if (event.type != MSDK_EVENT_SESSION_STATE) continue;
      if (event.state == MSDK_SESSION_DISCONNECTED) die("%s: %s", url, event.text);
      if (event.state != MSDK_SESSION_CONNECTED) continue;
      report("connected_ms", (double)(now_ns() - begin) / 1e6);
      fflush(stdout);
    }
    if (to != NULL) send_picture(to, next);
  }
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "send") == 0) return send(argv[2]);
  if (argc != 1) die("usage: whip_msdk [send URL]");
  return serve("/proc/self/exe");
}
