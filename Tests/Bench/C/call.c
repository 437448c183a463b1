#include "call.h"

#include "measure.h"

#include <string.h>

void must(msdk_result result, const char *what) {
  if (result < 0) die("%s: %s: %s", what, msdk_status_string(result), msdk_last_error());
}

msdk_video_format format_of(uint32_t pixel_format, uint32_t width, uint32_t height, uint32_t fps) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = pixel_format;
  format.width = width;
  format.height = height;
  format.fps_num = fps;
  format.fps_den = 1;
  return format;
}

msdk_event event_of(msdk_session *session, uint32_t type) {
  msdk_event event = MSDK_INIT(msdk_event);
  do must(msdk_session_next_event(session, 5000, &event), "waiting for an event");
  while (event.type != type);
  return event;
}

msdk_session *session_open(msdk_engine *engine, const char *user_id) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = "loopback:bench";
  options.user_id = user_id;
  msdk_session *session = NULL;
  must(msdk_session_create(engine, &options, &session), "msdk_session_create");
  must(msdk_session_connect(session), "msdk_session_connect");
  msdk_event event;
  do {
    event = event_of(session, MSDK_EVENT_SESSION_STATE);
    if (event.state == MSDK_SESSION_DISCONNECTED) die("the session was not connected: %s", event.text);
  } while (event.state != MSDK_SESSION_CONNECTED);
  return session;
}

void call_open(struct call *call, const msdk_outgoing_video_options *options, int receives) {
  memset(call, 0, sizeof *call);
  must(msdk_engine_create(NULL, &call->engine), "msdk_engine_create");
  call->here = session_open(call->engine, "here");
  if (receives) call->there = session_open(call->engine, "there");
  must(msdk_outgoing_video_create(call->engine, options, &call->outgoing), "msdk_outgoing_video_create");
  must(msdk_session_start_video(call->here, call->outgoing), "msdk_session_start_video");
  call->sender = event_of(call->here, MSDK_EVENT_FRAME_SENDER_CHANGED).sender;
  if (receives) call->incoming = event_of(call->there, MSDK_EVENT_INCOMING_VIDEO_ADDED).incoming_video;
}

void call_receive(struct call *call, const msdk_incoming_video_options *options) {
  must(msdk_incoming_video_start(call->incoming, options), "msdk_incoming_video_start");
  int64_t since = now_ns();
  for (;;) {
    msdk_outgoing_video_stats stats = MSDK_INIT(msdk_outgoing_video_stats);
    must(msdk_outgoing_video_get_stats(call->outgoing, &stats), "msdk_outgoing_video_get_stats");
    if (stats.receivers > 0) return;
    if (now_ns() - since > 5000000000) die("the incoming stream was started, but the sender has no receiver after 5 s");
    sleep_until(now_ns() + 100000);
  }
}

void call_close(struct call *call) {
  msdk_outgoing_video_destroy(call->outgoing);
  msdk_session_destroy(call->there);
  msdk_session_destroy(call->here);
  msdk_engine_destroy(call->engine);
}
