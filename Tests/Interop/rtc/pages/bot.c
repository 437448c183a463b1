/* A member of a room, in C: sends a grey ramp and 440 Hz, and says of each of the others what is seen and heard of them.
 *
 * usage: bot URL. Ends when its stdin does, and then prints a line for each stream: user id, "video", frames, and the mean and the deviation of the last
 * one's brightness; or user id, "audio", buffers, and the lowest level in dB below full scale (127 is silence). */
#include <mediasdk/mediasdk.h>

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
enum { WIDTH = 640, HEIGHT = 360, FPS = 25, RATE = 48000, SAMPLES = RATE / FPS, MOST = 16 };

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
  options.formats = &format;
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

static void send_picture(msdk_frame_sender *sender, uint32_t number, int64_t when) {
  msdk_video_frame *frame = NULL;
  if (sender == NULL || msdk_frame_sender_acquire(sender, 0, &frame) < 0) return;
  for (uint32_t y = 0; y < HEIGHT; y++) {
    uint8_t *row = frame->plane[0].data + (int64_t)y * frame->plane[0].stride;
    for (uint32_t x = 0; x < WIDTH; x++) row[x] = (uint8_t)(16 + (x + 4 * number) % 220);
  }
  for (uint32_t y = 0; y < HEIGHT / 2; y++) memset(frame->plane[1].data + (int64_t)y * frame->plane[1].stride, 128, WIDTH);
  msdk_result result = msdk_frame_sender_send(sender, frame, when, NULL, NULL);
  msdk_video_frame_unref(frame);
  if (result != MSDK_E_STALE && result != MSDK_E_CLOSED) must(result, "msdk_frame_sender_send");
}

static void send_sound(msdk_outgoing_audio *stream, uint32_t number) {
  int16_t samples[SAMPLES];
  for (uint32_t i = 0; i < SAMPLES; i++) samples[i] = (int16_t)(8000 * sin(2 * 3.14159265358979 * 440 * (number * SAMPLES + i) / RATE));
  msdk_result result = msdk_outgoing_audio_write(stream, samples, sizeof samples, 0, 0, NULL);
  if (result != MSDK_E_AGAIN && result != MSDK_E_STATE) must(result, "msdk_outgoing_audio_write");
}

typedef struct watched {
  char user[256];
  msdk_incoming_video *video;
  msdk_incoming_audio *audio;
  uint32_t count, lowest;
  double mean, deviation;
} watched;

static watched all[MOST];
static int count;

static void take(const msdk_event *event) {
  if (count == MOST) return;
  watched *it = &all[count++];
  *it = (watched){.lowest = 127};
  snprintf(it->user, sizeof it->user, "%s", event->user_id);
  if (event->type == MSDK_EVENT_INCOMING_VIDEO_ADDED) must(msdk_incoming_video_start(it->video = event->incoming_video, NULL), "msdk_incoming_video_start");
  else must(msdk_incoming_audio_start(it->audio = event->incoming_audio, NULL), "msdk_incoming_audio_start");
}

static void look(watched *it) {
  msdk_video_frame *frame = NULL;
  while (it->video != NULL && msdk_incoming_video_read(it->video, 0, &frame) >= 0) {
    double sum = 0, squares = 0, pixels = (double)frame->format->width * frame->format->height;
    for (uint32_t y = 0; y < frame->format->height; y++) {
      const uint8_t *row = frame->plane[0].data + (int64_t)y * frame->plane[0].stride;
      for (uint32_t x = 0; x < frame->format->width; x++) sum += row[x], squares += row[x] * row[x];
    }
    it->mean = sum / pixels;
    it->deviation = sqrt(fmax(0, squares / pixels - it->mean * it->mean));
    it->count++;
    msdk_video_frame_unref(frame);
  }
  msdk_audio_frame *buffer = NULL;
  while (it->audio != NULL && msdk_incoming_audio_read(it->audio, 0, &buffer) >= 0) {
    it->count++;
    if (buffer->level < it->lowest) it->lowest = buffer->level;
    msdk_audio_frame_unref(buffer);
  }
}

static int is_over(void) {
  struct pollfd input = {.fd = 0, .events = POLLIN};
  return poll(&input, 1, 0) > 0;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = argv[1];
  options.user_id = "bot";
  options.display_name = "A bot in C";
  msdk_session *session = NULL;
  must(msdk_session_create(engine, &options, &session), argv[1]);
  msdk_outgoing_video *video = make_video(engine);
  msdk_outgoing_audio *audio = make_audio(engine);
  must(msdk_session_start_video(session, video), "msdk_session_start_video");
  must(msdk_session_start_audio(session, audio), "msdk_session_start_audio");
  must(msdk_session_connect(session), argv[1]);
  msdk_frame_sender *sender = NULL;
  int64_t next = msdk_engine_now(engine);
  for (uint32_t number = 0; !is_over(); number++) {
    for (msdk_event event = MSDK_INIT(msdk_event); msdk_session_next_event(session, 0, &event) >= 0; event = (msdk_event)MSDK_INIT(msdk_event)) {
      if (event.type == MSDK_EVENT_FRAME_SENDER_CHANGED) sender = event.sender;
      if (event.type == MSDK_EVENT_INCOMING_VIDEO_ADDED || event.type == MSDK_EVENT_INCOMING_AUDIO_ADDED) take(&event);
      if (event.type == MSDK_EVENT_SESSION_STATE && event.state == MSDK_SESSION_DISCONNECTED) {
        fprintf(stderr, "%s: %s: %s\n", argv[1], msdk_status_string(event.status), event.text);
        return 1;
      }
    }
    send_picture(sender, number, next);
    send_sound(audio, number);
    for (int i = 0; i < count; i++) look(&all[i]);
    next += 1000000000 / FPS;
    struct timespec when = {next / 1000000000, next % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) != 0) {}
  }
  for (const watched *it = all; it < all + count; it++) {
    if (it->video != NULL) printf("%s video %u %.1f %.1f\n", it->user, it->count, it->mean, it->deviation);
    else printf("%s audio %u %u\n", it->user, it->count, it->lowest);
  }
  must(msdk_session_disconnect(session), "msdk_session_disconnect");
  msdk_engine_destroy(engine);
  return 0;
}
