/* A bot that receives the video of two participants as RGB, waits for both with one poll(), and prints the mean colour of each.
 *
 *     gcc bot.c $(pkg-config --cflags --libs mediasdk) && ./a.out [seconds]
 *
 * A loopback room lives inside the process, so the two are here too: alice, who is red, and carol, who is blue. */
#include <mediasdk/mediasdk.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
enum { MOST = 2, FPS = 15 };

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

static msdk_frame_sender *publish(msdk_engine *engine, const char *user_id) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_RGB24; /* the SDK converts to what an encoder accepts */
  format.width = 320;
  format.height = 240;
  format.fps_num = FPS;
  format.fps_den = 1;
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.formats = &format; /* without a codec: the SDK chooses what reaches everybody */
  options.format_count = 1;
  msdk_outgoing_video *stream = NULL;
  must(msdk_outgoing_video_create(engine, &options, &stream), user_id);
  msdk_session *session = join(engine, user_id);
  must(msdk_session_start_video(session, stream), user_id); /* offered as soon as the session is connected */
  msdk_event event = MSDK_INIT(msdk_event);
  while (event.type != MSDK_EVENT_FRAME_SENDER_CHANGED) must(msdk_session_next_event(session, 5000, &event), user_id);
  return event.sender;
}

static void paint(msdk_frame_sender *sender, const uint8_t colour[3]) {
  msdk_video_frame *frame = NULL;
  must(msdk_frame_sender_acquire(sender, 1000, &frame), "msdk_frame_sender_acquire");
  for (uint32_t y = 0; y < frame->format->height; y++) {
    uint8_t *row = frame->plane[0].data + (int64_t)y * frame->plane[0].stride; /* not from the width: rows may be padded */
    for (uint32_t x = 0; x < frame->format->width * 3; x++) row[x] = colour[x % 3];
  }
  must(msdk_frame_sender_send(sender, frame, 0, NULL, NULL), "msdk_frame_sender_send"); /* 0: captured now */
  msdk_video_frame_unref(frame);
}

/* What the bot knows of a participant. */
typedef struct watched {
  msdk_incoming_video *video;
  char user_id[256];
  int frames;
  double colour[3]; /* of the last frame: the mean of red, green and blue */
} watched;

/* What is announced is not received before it is started. */
static void start(watched *it, const msdk_event *event, struct pollfd *waiting) {
  msdk_incoming_video_options options = MSDK_INIT(msdk_incoming_video_options);
  options.pixel_format = MSDK_PIXEL_RGB24; /* whatever is sent */
  must(msdk_incoming_video_start(event->incoming_video, &options), "msdk_incoming_video_start");
  it->video = event->incoming_video; /* it ends with the session */
  snprintf(it->user_id, sizeof it->user_id, "%s", event->user_id);
  waiting->events = POLLIN;
  must(msdk_incoming_video_get_fd(it->video, &waiting->fd), "msdk_incoming_video_get_fd");
}

static void look(watched *it) {
  msdk_video_frame *frame = NULL;
  while (msdk_incoming_video_read(it->video, 0, &frame) >= 0) { /* MSDK_E_AGAIN when the queue is empty */
    double sum[3] = {0};
    for (uint32_t y = 0; y < frame->format->height; y++) {
      const uint8_t *row = frame->plane[0].data + (int64_t)y * frame->plane[0].stride;
      for (uint32_t x = 0; x < frame->format->width * 3; x++) sum[x % 3] += row[x];
    }
    for (int i = 0; i < 3; i++) it->colour[i] = sum[i] / frame->format->width / frame->format->height;
    it->frames++;
    msdk_video_frame_unref(frame);
  }
}

int main(int argc, char **argv) {
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  msdk_frame_sender *alice = publish(engine, "alice"), *carol = publish(engine, "carol");
  msdk_session *session = join(engine, "bot");
  watched all[MOST] = {{0}};
  struct pollfd waiting[MOST + 1] = {{.events = POLLIN}};
  must(msdk_session_get_event_fd(session, &waiting[0].fd), "msdk_session_get_event_fd");
  int count = 0, seen = 0;
  int64_t due = msdk_engine_now(engine), end = due + (int64_t)((argc > 1 ? atof(argv[1]) : 3) * 1e9);
  for (int64_t now = due; now < end; now = msdk_engine_now(engine)) {
    for (; now >= due; due = now + 1000000000 / FPS) paint(alice, (uint8_t[]){200, 30, 30}), paint(carol, (uint8_t[]){30, 30, 200});
    if (poll(waiting, (nfds_t)count + 1, (int)((due - now) / 1000000) + 1) < 0) return 1;
    for (int i = 0; i < count; i++) look(&all[i]);
    for (msdk_event event = MSDK_INIT(msdk_event); msdk_session_next_event(session, 0, &event) >= 0;) {
      if (event.type != MSDK_EVENT_INCOMING_VIDEO_ADDED || count == MOST) continue;
      start(&all[count], &event, &waiting[count + 1]);
      count++;
    }
  }
  for (int i = 0; i < count; i++) {
    const watched *it = &all[i];
    printf("%s: %d frames, mean colour %.0f %.0f %.0f\n", it->user_id, it->frames, it->colour[0], it->colour[1], it->colour[2]);
    seen += it->frames > 0;
  }
  msdk_engine_destroy(engine); /* and all that was made from it */
  return seen == MOST ? 0 : 1;
}
