/* One end of MediaSDK at a bad link; with feedback, so that it sends what the link carries and asks for what is lost.
 *
 *   link_msdk send|receive URL FILE CLIP WIDTHxHEIGHT FRAMES */
#include "call.h"
#include "link_meter.h"
#include "measure.h"

#include <stdlib.h>
#include <string.h>

static struct link_meter meter;
static msdk_video_format format;
static msdk_outgoing_video *outgoing;
static msdk_session *session;

static void came(void *unused, const msdk_video_frame *frame) {
  (void)unused;
  /* Another size than was sent is not compared. */
  if (frame->format->width != meter.clip.width || frame->format->height != meter.clip.height) return;
  link_meter_came(&meter, frame->plane[0].data, frame->plane[0].stride);
}

static void heard(void *unused, const msdk_event *event) {
  (void)unused;
  if (event->type != MSDK_EVENT_INCOMING_VIDEO_ADDED) return;
  must(msdk_incoming_video_set_frame_callback(event->incoming_video, came, NULL), "setting the frame callback");
  must(msdk_incoming_video_start(event->incoming_video, NULL), "msdk_incoming_video_start");
}

static void send(struct link_meter *unused, uint8_t *picture, uint64_t i, int64_t at) {
  (void)unused, (void)i;
  size_t luma = (size_t)meter.clip.width * meter.clip.height;
  msdk_external_frame external = MSDK_INIT(msdk_external_frame);
  external.plane_count = 2;
  external.plane[0] = (msdk_plane){.data = picture, .size = luma, .stride = (int32_t)meter.clip.width};
  external.plane[1] = (msdk_plane){.data = picture + luma, .size = luma / 2, .stride = (int32_t)meter.clip.width};
  external.format = &format;
  msdk_frame_sender *sender;
  msdk_video_frame *frame = NULL;
  must(msdk_outgoing_video_get_sender(outgoing, &sender), "msdk_outgoing_video_get_sender");
  must(msdk_video_frame_wrap(&external, &frame), "msdk_video_frame_wrap");
  /* A frame that the sender is behind with, or that is of a former format, is one that was not sent. */
  msdk_frame_sender_send(sender, frame, at, NULL, NULL);
  msdk_video_frame_unref(frame);
}

static void offer(msdk_engine *engine) {
  format = format_of(MSDK_PIXEL_NV12, meter.clip.width, meter.clip.height, LINK_FPS);
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.codec = MSDK_CODEC_VP8;
  options.formats = &format;
  options.format_count = 1;
  options.encoder_threads = 1;
  options.target_bitrate = 1000000;
  options.key_frame_interval_ms = 60000; /* on such a link one freezes the picture: they come when asked for */
  must(msdk_outgoing_video_create(engine, &options, &outgoing), "msdk_outgoing_video_create");
  must(msdk_session_start_video(session, outgoing), "msdk_session_start_video");
  event_of(session, MSDK_EVENT_FRAME_SENDER_CHANGED);
}

int main(int argc, char **argv) {
  if (argc != 7) die("usage: link_msdk send|receive URL FILE CLIP WIDTHxHEIGHT FRAMES");
  int sends = strcmp(argv[1], "send") == 0;
  link_meter_open(&meter, argv + 3, CLIP_NV12);
  msdk_engine *engine;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = argv[2];
  options.user_id = "bench";
  must(msdk_session_create(engine, &options, &session), argv[2]);
  if (!sends) must(msdk_session_set_event_callback(session, heard, NULL), "setting the event callback");
  must(msdk_session_connect(session), argv[2]);
  if (sends) {
    while (event_of(session, MSDK_EVENT_SESSION_STATE).state != MSDK_SESSION_CONNECTED) continue;
    offer(engine);
    link_meter_send(&meter, send);
    msdk_outgoing_video_destroy(outgoing);
  } else {
    link_meter_wait();
  }
  msdk_engine_destroy(engine);
  clip_close(&meter.clip);
  return 0;
}
