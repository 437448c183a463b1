/* A camera and a microphone that go wherever the url says: into a room of this process, of another program, of Janus, of LiveKit, to a server of WHIP.
 *
 *     gcc publish.c $(pkg-config --cflags --libs mediasdk) -lm && ./a.out URL [seconds]
 *
 *     loopback:lobby                                             a room in this process
 *     livekit+wss://192.0.2.7:4433#room=lobby&fingerprint=...    a room that another program serves
 *     whip+https://media.example.org/whip/lobby                  a server of WHIP
 *     janus+https://media.example.org/janus?room=1234            a room of Janus
 *     livekit+wss://media.example.org                            a room with API keys; USER_ID is the identity of the token
 *
 * What the server wants to see (a token, a PIN) is in the environment variable TOKEN, since urls are logged. */
#define _POSIX_C_SOURCE 200809L
#include <mediasdk/mediasdk.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
enum { WIDTH = 640, HEIGHT = 360, FPS = 25, RATE = 48000, SAMPLES = RATE / FPS };

static void must(msdk_result result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s: %s\n", what, msdk_status_string(result), msdk_last_error());
  exit(1);
}

static msdk_outgoing_video *make_video(msdk_engine *engine) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_NV12;
  format.width = WIDTH;
  format.height = HEIGHT;
  format.fps_num = FPS;
  format.fps_den = 1;
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.formats = &format; /* without a codec: the SDK chooses what reaches everybody */
  options.format_count = 1;
  msdk_outgoing_video *stream = NULL;
  must(msdk_outgoing_video_create(engine, &options, &stream), "msdk_outgoing_video_create");
  return stream;
}

static msdk_outgoing_audio *make_audio(msdk_engine *engine) {
  msdk_outgoing_audio_options options = MSDK_INIT(msdk_outgoing_audio_options);
  options.sample_rate = RATE;
  options.channels = 1;
  msdk_outgoing_audio *stream = NULL;
  must(msdk_outgoing_audio_create(engine, &options, &stream), "msdk_outgoing_audio_create");
  return stream;
}

/* A grey ramp that moves to the left. */
static void draw(msdk_video_frame *frame, uint32_t number) {
  for (uint32_t y = 0; y < HEIGHT; y++) {
    uint8_t *row = frame->plane[0].data + (int64_t)y * frame->plane[0].stride;
    for (uint32_t x = 0; x < WIDTH; x++) row[x] = (uint8_t)(16 + (x + 4 * number) % 220);
  }
  for (uint32_t y = 0; y < HEIGHT / 2; y++) memset(frame->plane[1].data + (int64_t)y * frame->plane[1].stride, 128, WIDTH);
}

/* 440 Hz, as long as a frame is shown. */
static void play(msdk_outgoing_audio *stream, uint32_t number) {
  int16_t samples[SAMPLES];
  for (uint32_t i = 0; i < SAMPLES; i++) samples[i] = (int16_t)(8000 * sin(2 * 3.14159265358979 * 440 * (number * SAMPLES + i) / RATE));
  msdk_result result = msdk_outgoing_audio_write(stream, samples, sizeof samples, 0, 0, NULL);
  if (result != MSDK_E_AGAIN && result != MSDK_E_STATE) must(result, "msdk_outgoing_audio_write"); /* full, or not started yet */
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s URL [seconds]\n", argv[0]);
    return 2;
  }
  double seconds = argc > 2 ? atof(argv[2]) : 10;
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = argv[1];
  options.user_id = getenv("USER_ID") != NULL ? getenv("USER_ID") : "publisher";
  options.access_token = getenv("TOKEN");
  msdk_session *session = NULL;
  must(msdk_session_create(engine, &options, &session), argv[1]);
  msdk_outgoing_video *video = make_video(engine);
  msdk_outgoing_audio *audio = make_audio(engine);
  /* Before connecting: WHIP agrees on what is sent once, with its first request. */
  must(msdk_session_start_video(session, video), "msdk_session_start_video");
  must(msdk_session_start_audio(session, audio), "msdk_session_start_audio");
  must(msdk_session_connect(session), argv[1]);

  msdk_frame_sender *sender = NULL;
  int64_t next = msdk_engine_now(engine), end = INT64_MAX;
  for (uint32_t number = 0; next < end; number++) {
    msdk_event event = MSDK_INIT(msdk_event);
    while (msdk_session_next_event(session, 0, &event) >= 0) {
      if (event.type == MSDK_EVENT_FRAME_SENDER_CHANGED) sender = event.sender;
      if (event.type == MSDK_EVENT_SESSION_STATE && event.state == MSDK_SESSION_CONNECTED && end == INT64_MAX) {
        printf("connected to %s\n", argv[1]);
        end = msdk_engine_now(engine) + (int64_t)(seconds * 1e9);
      }
      if (event.type == MSDK_EVENT_SESSION_STATE && event.state == MSDK_SESSION_DISCONNECTED) {
        fprintf(stderr, "%s: %s: %s\n", argv[1], msdk_status_string(event.status), event.text);
        return 1;
      }
      event = MSDK_INIT(msdk_event);
    }
    msdk_video_frame *frame = NULL;
    if (sender != NULL && msdk_frame_sender_acquire(sender, 0, &frame) >= 0) {
      draw(frame, number);
      msdk_result result = msdk_frame_sender_send(sender, frame, next, NULL, NULL);
      msdk_video_frame_unref(frame);
      if (result != MSDK_E_STALE && result != MSDK_E_CLOSED) must(result, "msdk_frame_sender_send");
    }
    play(audio, number);
    next += 1000000000 / FPS;
    struct timespec when = {next / 1000000000, next % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) != 0) {}
  }

  msdk_outgoing_video_stats seen = MSDK_INIT(msdk_outgoing_video_stats);
  msdk_outgoing_audio_stats heard = MSDK_INIT(msdk_outgoing_audio_stats);
  must(msdk_outgoing_video_get_stats(video, &seen), "msdk_outgoing_video_get_stats");
  must(msdk_outgoing_audio_get_stats(audio, &heard), "msdk_outgoing_audio_get_stats");
  printf("%" PRIu64 " frames and %" PRIu64 " buffers of audio sent\n", seen.frames_offered, heard.buffers_offered);
  must(msdk_session_disconnect(session), "msdk_session_disconnect"); /* says goodbye to the server */
  msdk_engine_destroy(engine);
  return 0;
}
