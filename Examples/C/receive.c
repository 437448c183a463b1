/* A viewer: joins a room, waits for somebody's video, reads it frame by frame as BGRA of a chosen size, and looks at each frame.
 *
 *     gcc receive.c $(pkg-config --cflags --libs mediasdk) && ./a.out [seconds]
 *
 * A loopback room lives inside the process, so the sender, alice, is here too, on a separate thread: see send.c. */
#define _POSIX_C_SOURCE 200809L
#include <mediasdk/mediasdk.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void must(msdk_result result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s: %s\n", what, msdk_status_string(result), msdk_last_error());
  exit(1);
}

static msdk_session *join(msdk_engine *engine, const char *user_id) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = "loopback:lobby";
  options.user_id = user_id;
  msdk_session *session = NULL;
  must(msdk_session_create(engine, &options, &session), "msdk_session_create");
  must(msdk_session_connect(session), "msdk_session_connect");
  return session;
}

/* alice: a grey that gets lighter and darker, 15 times a second. */
static atomic_int finished;

static void *alice(void *engine) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_I420;
  format.width = 320;
  format.height = 240;
  format.fps_num = 15;
  format.fps_den = 1;
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.formats = &format;
  options.format_count = 1;
  options.codec = MSDK_CODEC_VP8; /* so that it reaches members elsewhere too, should the room be opened to the network */
  msdk_outgoing_video *stream = NULL;
  must(msdk_outgoing_video_create(engine, &options, &stream), "alice");
  msdk_session *session = join(engine, "alice");
  msdk_event event = MSDK_INIT(msdk_event);
  while (event.state != MSDK_SESSION_CONNECTED) must(msdk_session_next_event(session, 5000, &event), "alice");
  must(msdk_session_start_video(session, stream), "alice");
  while (event.type != MSDK_EVENT_FRAME_SENDER_CHANGED) must(msdk_session_next_event(session, 5000, &event), "alice");
  for (int i = 0; !atomic_load(&finished); i++) {
    msdk_video_frame *frame = NULL;
    must(msdk_frame_sender_acquire(event.sender, 1000, &frame), "alice");
    for (uint32_t plane = 0; plane < frame->plane_count; plane++) {
      memset(frame->plane[plane].data, plane == 0 ? 16 + abs(i * 8 % 400 - 200) : 128, frame->plane[plane].size);
    }
    must(msdk_frame_sender_send(event.sender, frame, 0, NULL, NULL), "alice"); /* 0: it is of now */
    msdk_video_frame_unref(frame);
    nanosleep(&(struct timespec){0, 1000000000 / 15}, NULL);
  }
  msdk_session_destroy(session);
  msdk_outgoing_video_destroy(stream);
  return NULL;
}

/* The middle pixel's brightness. BGRA: blue first in memory. */
static int brightness(const msdk_video_frame *frame) {
  const uint8_t *row = frame->plane[0].data + (int64_t)(frame->format->height / 2) * frame->plane[0].stride;
  const uint8_t *pixel = row + frame->format->width / 2 * 4;
  return (pixel[0] + pixel[1] + pixel[2]) / 3;
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? atof(argv[1]) : 3;
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  pthread_t thread;
  if (pthread_create(&thread, NULL, alice, engine) != 0) return 1;

  /* 1. Join, and wait until somebody's stream is offered. */
  msdk_session *session = join(engine, "bob");
  msdk_event event = MSDK_INIT(msdk_event);
  while (event.type != MSDK_EVENT_INCOMING_VIDEO_ADDED) must(msdk_session_next_event(session, 5000, &event), "msdk_session_next_event");
  msdk_incoming_video *video = event.incoming_video;
  printf("%s sends %" PRIu32 "x%" PRIu32 "\n", event.user_id, event.format.width, event.format.height);

  /* 2. Start it. Nothing was received or decoded before; the SDK converts to what is wanted here. */
  msdk_incoming_video_options options = MSDK_INIT(msdk_incoming_video_options);
  options.pixel_format = MSDK_PIXEL_BGRA;
  options.width = 160;
  options.height = 120;
  must(msdk_incoming_video_start(video, &options), "msdk_incoming_video_start");

  /* So it is shown: a sender of several sizes need not make a larger one. alice has only this one. */
  msdk_video_preference preference = MSDK_INIT(msdk_video_preference);
  preference.width = options.width;
  preference.height = options.height;
  must(msdk_incoming_video_set_preference(video, &preference), "msdk_incoming_video_set_preference");

  /* 3. Read. The timestamp is the capture time of the frame, on the same clock as ours. */
  int64_t start = msdk_engine_now(engine), delay = 0;
  int frames = 0;
  while (msdk_engine_now(engine) - start < (int64_t)(seconds * 1e9)) {
    msdk_video_frame *frame = NULL;
    msdk_result result = msdk_incoming_video_read(video, 500, &frame);
    if (result == MSDK_E_TIMEOUT) continue;
    if (result == MSDK_E_CLOSED) break; /* alice stopped the stream */
    must(result, "msdk_incoming_video_read");
    delay += msdk_engine_now(engine) - frame->timestamp_ns;
    if (frames++ % 15 == 0) printf("frame %" PRIu64 ": brightness %d\n", frame->sequence, brightness(frame));
    msdk_video_frame_unref(frame); /* read gave us a reference; the sender's pool waits for it */
  }
  if (frames > 0) printf("%d frames, %.2f ms old on average\n", frames, (double)delay / frames / 1e6);

  /* 4. Leave. */
  must(msdk_incoming_video_stop(video), "msdk_incoming_video_stop");
  atomic_store(&finished, 1);
  pthread_join(thread, NULL);
  msdk_session_destroy(session);
  msdk_engine_destroy(engine);
  return frames > 0 ? 0 : 1;
}
