/* To GStreamer and back: sends video over RTP to a GStreamer pipeline that mirrors it, and checks the video that comes back.
 *
 *     gcc rtp.c $(pkg-config --cflags --libs mediasdk) && ./a.out [--run] [seconds [OUR_PORT THEIR_PORT]]
 *
 * Prints the pipeline, to be started in another terminal; with --run it is started from here. */
#define _POSIX_C_SOURCE 200809L
#include <mediasdk/mediasdk.h>

#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { WIDTH = 640, HEIGHT = 360, FPS = 30, TIMEOUT_S = 30 };

static void must(msdk_result result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s: %s\n", what, msdk_status_string(result), msdk_last_error());
  exit(1);
}

/* Nobody signals here: what is sent where, and as what, is said to both sides. A key frame each second lets either begin at any time. */
static void make_pipeline(char *out, size_t size, int ours, int theirs) {
  snprintf(out, size,
           "gst-launch-1.0 -q udpsrc port=%d caps=application/x-rtp,media=video,encoding-name=VP8,clock-rate=90000,payload=96"
           " ! rtpjitterbuffer latency=50 ! rtpvp8depay ! vp8dec ! videoflip video-direction=horiz"
           " ! vp8enc deadline=1 target-bitrate=1000000 keyframe-max-dist=%d ! rtpvp8pay pt=96 ! udpsink host=127.0.0.1 port=%d sync=false",
           theirs, FPS, ours);
}

static pid_t start(const char *pipeline) {
  extern char **environ;
  char command[1024];
  snprintf(command, sizeof command, "exec %s", pipeline); /* the shell becomes it, so that the child is the pipeline */
  char *arguments[] = {"sh", "-c", command, NULL};
  pid_t child = 0;
  int error = posix_spawnp(&child, "sh", NULL, NULL, arguments, environ);
  if (error == 0) return child;
  fprintf(stderr, "cannot start the pipeline: %s\n", strerror(error));
  exit(1);
}

/* Dark on the left, bright on the right, and a grey bar that falls. */
static void draw(msdk_video_frame *frame, uint32_t number) {
  for (uint32_t y = 0; y < HEIGHT; y++) {
    uint8_t *row = frame->plane[0].data + (int64_t)y * frame->plane[0].stride;
    int is_bar = (y + HEIGHT - 4 * number % HEIGHT) % HEIGHT < 20;
    memset(row, is_bar ? 128 : 40, WIDTH / 2);
    memset(row + WIDTH / 2, is_bar ? 128 : 210, WIDTH / 2);
  }
  for (uint32_t y = 0; y < HEIGHT / 2; y++) memset(frame->plane[1].data + (int64_t)y * frame->plane[1].stride, 128, WIDTH);
}

/* Whether it is bright on the left: in the middle of both halves, of the sum over all rows. */
static int is_mirrored(const msdk_video_frame *frame) {
  int64_t difference = 0;
  for (uint32_t y = 0; y < frame->format->height; y++) {
    const uint8_t *row = frame->plane[0].data + (int64_t)y * frame->plane[0].stride;
    difference += row[frame->format->width / 4] - row[frame->format->width * 3 / 4];
  }
  return difference > 0;
}

static msdk_frame_sender *offer(msdk_engine *engine, msdk_session *session) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_NV12;
  format.width = WIDTH;
  format.height = HEIGHT;
  format.fps_num = FPS;
  format.fps_den = 1;
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.codec = MSDK_CODEC_VP8;
  options.formats = &format;
  options.format_count = 1;
  options.key_frame_interval_ms = 1000;
  msdk_outgoing_video *stream = NULL;
  must(msdk_outgoing_video_create(engine, &options, &stream), "msdk_outgoing_video_create");
  msdk_event event = MSDK_INIT(msdk_event);
  while (event.state != MSDK_SESSION_CONNECTED) must(msdk_session_next_event(session, 5000, &event), "msdk_session_next_event");
  must(msdk_session_start_video(session, stream), "msdk_session_start_video");
  while (event.type != MSDK_EVENT_FRAME_SENDER_CHANGED) must(msdk_session_next_event(session, 5000, &event), "msdk_session_next_event");
  return event.sender;
}

/* Sends and receives until `seconds` after the first received frame. Returns how many arrived; *mirrored of them are correct. */
static int mirror(msdk_engine *engine, msdk_session *session, msdk_frame_sender *sender, double seconds, int *mirrored) {
  msdk_incoming_video *video = NULL;
  int64_t next = msdk_engine_now(engine), end = next + TIMEOUT_S * INT64_C(1000000000);
  int frames = 0;
  for (uint32_t number = 0; next < end; number++) {
    msdk_video_frame *frame = NULL;
    if (msdk_frame_sender_acquire(sender, 0, &frame) >= 0) {
      draw(frame, number);
      must(msdk_frame_sender_send(sender, frame, next, NULL, NULL), "msdk_frame_sender_send");
      msdk_video_frame_unref(frame);
    }
    msdk_event event = MSDK_INIT(msdk_event);
    while (video == NULL && msdk_session_next_event(session, 0, &event) >= 0) {
      if (event.type != MSDK_EVENT_INCOMING_VIDEO_ADDED) continue;
      video = event.incoming_video;
      end = next + (int64_t)(seconds * 1e9);
      printf("%s sends %" PRIu32 "x%" PRIu32 "\n", event.user_id, event.format.width, event.format.height);
      must(msdk_incoming_video_start(video, NULL), "msdk_incoming_video_start");
    }
    while (video != NULL && msdk_incoming_video_read(video, 0, &frame) >= 0) {
      *mirrored += is_mirrored(frame);
      frames++;
      msdk_video_frame_unref(frame);
    }
    next += 1000000000 / FPS;
    struct timespec when = {next / 1000000000, next % 1000000000}; /* the engine's clock is this one */
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) != 0) {}
  }
  return frames;
}

int main(int argc, char **argv) {
  int runs = argc > 1 && strcmp(argv[1], "--run") == 0, first = 1 + runs, mirrored = 0;
  double seconds = argc > first ? atof(argv[first]) : 5;
  int ours = argc > first + 2 ? atoi(argv[first + 1]) : 5004, theirs = argc > first + 2 ? atoi(argv[first + 2]) : 5006;
  char pipeline[1000], url[128];
  make_pipeline(pipeline, sizeof pipeline, ours, theirs);
  printf("%s\n", pipeline);
  fflush(stdout);

  msdk_engine *engine = NULL;
  msdk_session *session = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  snprintf(url, sizeof url, "rtp://127.0.0.1:%d?local=%d&media=video&vp8=96", theirs, ours);
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = url;
  options.user_id = "me";
  must(msdk_session_create(engine, &options, &session), "msdk_session_create");
  must(msdk_session_connect(session), "msdk_session_connect"); /* here a port that is taken is noticed */
  pid_t child = runs ? start(pipeline) : 0;
  int frames = mirror(engine, session, offer(engine, session), seconds, &mirrored);
  msdk_engine_destroy(engine);
  if (child > 0) {
    kill(child, SIGTERM);
    waitpid(child, NULL, 0);
  }
  printf("%d frames came back, %d of them mirrored\n", frames, mirrored);
  return mirrored > 0 && mirrored == frames ? 0 : 1;
}
