/* A virtual camera: joins a room, declares the formats it can make, makes the agreed one, and reads a report for each frame.
 *
 *     gcc send.c $(pkg-config --cflags --libs mediasdk) && ./a.out [seconds]
 *
 * A loopback room lives inside the process, so the viewer, bob, is here too: the few lines marked "bob". */
#define _POSIX_C_SOURCE 200809L
#include <mediasdk/mediasdk.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Every call returns a result: below zero it failed, and msdk_last_error() returns the error text. */
static void must(msdk_result result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s: %s\n", what, msdk_status_string(result), msdk_last_error());
  exit(1);
}

static msdk_session *join(msdk_engine *engine, const char *user_id) {
  msdk_session_options options = MSDK_INIT(msdk_session_options); /* zero, with struct_size set: how every sized struct begins */
  options.url = "loopback:lobby";
  options.user_id = user_id;
  msdk_session *session = NULL;
  must(msdk_session_create(engine, &options, &session), "msdk_session_create");
  must(msdk_session_connect(session), "msdk_session_connect"); /* connects in the background; events report the result */
  return session;
}

/* A grey ramp that moves to the left. Rows are `stride` bytes apart, which is often more than the width. */
static void draw(msdk_video_frame *frame, uint32_t number) {
  for (uint32_t y = 0; y < frame->format->height; y++) {
    uint8_t *row = frame->plane[0].data + (int64_t)y * frame->plane[0].stride;
    for (uint32_t x = 0; x < frame->format->width; x++) row[x] = (uint8_t)(16 + (x + 4 * number) % 220);
  }
  for (uint32_t y = 0; y < (frame->format->height + 1) / 2; y++) { /* NV12: U and V side by side; 128 is no colour */
    memset(frame->plane[1].data + (int64_t)y * frame->plane[1].stride, 128, (frame->format->width + 1) / 2 * 2);
  }
}

/* Sleeps until a time of the engine's clock, not for a while: so the frame rate does not drift. */
static void sleep_until(int64_t when_ns) {
  struct timespec when = {when_ns / 1000000000, when_ns % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) != 0) {}
}

/* bob: takes whatever stream is offered. Events can be called back, as here, or pulled, as alice does below. */
static void on_bobs_event(void *user, const msdk_event *event) {
  (void)user;
  if (event->type == MSDK_EVENT_INCOMING_VIDEO_ADDED) must(msdk_incoming_video_start(event->incoming_video, NULL), "bob");
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? atof(argv[1]) : 3;
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  msdk_session *bob = join(engine, "bob");
  must(msdk_session_set_event_callback(bob, on_bobs_event, NULL), "bob");

  /* What this program can make. The order has no say: the SDK picks the best that the network carries, and may change its mind. */
  msdk_video_format formats[2] = {MSDK_INIT(msdk_video_format), MSDK_INIT(msdk_video_format)};
  for (int i = 0; i < 2; i++) {
    formats[i].pixel_format = MSDK_PIXEL_NV12;
    formats[i].width = i == 0 ? 1280 : 640;
    formats[i].height = i == 0 ? 720 : 360;
    formats[i].fps_num = 30;
    formats[i].fps_den = 1;
  }
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.codec = MSDK_CODEC_VP8;
  options.formats = formats;
  options.format_count = 2;
  msdk_outgoing_video *stream = NULL;
  must(msdk_outgoing_video_create(engine, &options, &stream), "msdk_outgoing_video_create");

  msdk_session *alice = join(engine, "alice");
  must(msdk_session_start_video(alice, stream), "msdk_session_start_video"); /* it starts when the session is connected */
  msdk_frame_sender *sender = NULL;
  int64_t start = msdk_engine_now(engine), next = start;
  uint32_t number = 0;
  while (msdk_engine_now(engine) - start < (int64_t)(seconds * 1e9)) {
    /* Until there is a sender, wait for events; then only look whether one is there. */
    msdk_event event = MSDK_INIT(msdk_event);
    while (msdk_session_next_event(alice, sender == NULL ? 100 : 0, &event) >= 0) {
      if (event.type == MSDK_EVENT_FRAME_SENDER_CHANGED) { /* make this from now on; the former sender refuses frames */
        sender = event.sender;
        next = msdk_engine_now(engine);
        printf("making %" PRIu32 "x%" PRIu32 "\n", event.format.width, event.format.height);
      }
      event = MSDK_INIT(msdk_event);
    }
    if (sender == NULL) continue;

    msdk_video_frame *frame = NULL;
    if (msdk_frame_sender_acquire(sender, 100, &frame) < 0) continue; /* all eight are in use: skip this one */
    draw(frame, number++);
    msdk_result result = msdk_frame_sender_send(sender, frame, next, NULL, NULL);
    msdk_video_frame_unref(frame); /* ours; the SDK has one of its own */
    if (result != MSDK_E_STALE) must(result, "msdk_frame_sender_send"); /* stale: the event with the new sender is waiting */
    next += 1000000000 / 30;
    sleep_until(next);
  }

  /* What became of them. Each frame that send accepted has exactly one report. */
  uint32_t outcomes[6] = {0};
  msdk_frame_report report = MSDK_INIT(msdk_frame_report);
  must(msdk_session_stop_video(alice, stream), "msdk_session_stop_video");
  while (msdk_outgoing_video_read_report(stream, 0, &report) >= 0) outcomes[report.outcome < 6 ? report.outcome : 0]++;
  msdk_outgoing_video_stats stats = MSDK_INIT(msdk_outgoing_video_stats);
  must(msdk_outgoing_video_get_stats(stream, &stats), "msdk_outgoing_video_get_stats");
  printf("%" PRIu64 " frames sent, %" PRIu64 " encoded, %" PRIu64 " replaced, %" PRIu64 " dropped; %" PRIu64 " bytes\n",
         stats.frames_offered, stats.frames_encoded, stats.frames_replaced, stats.frames_dropped, stats.bytes_sent);
  printf("of the last ones: %" PRIu32 " encoded, %" PRIu32 " dropped\n", outcomes[MSDK_OUTCOME_ENCODED], outcomes[MSDK_OUTCOME_DROPPED]);

  msdk_engine_destroy(engine); /* ends all that was made from it */
  return stats.frames_encoded > 0 ? 0 : 1;
}
