/* A loopback room in one process: a session that sends one video stream and, if wanted, a session that receives it. */
#ifndef BENCH_CALL_H
#define BENCH_CALL_H

#include <mediasdk/mediasdk.h>

struct call {
  msdk_engine *engine;
  msdk_session *here, *there; /* sends; receives, or NULL */
  msdk_outgoing_video *outgoing;
  msdk_frame_sender *sender;
  msdk_incoming_video *incoming; /* announced, not started */
};

/* Ends the program, with the words of the library, when the result is an error. */
void must(msdk_result result, const char *what);

msdk_video_format format_of(uint32_t pixel_format, uint32_t width, uint32_t height, uint32_t fps);

/* Waits up to five seconds for an event of that type, reading past others. */
msdk_event event_of(msdk_session *session, uint32_t type);

/* Makes a session and waits until it is connected to "loopback:bench". */
msdk_session *session_open(msdk_engine *engine, const char *user_id);

/* Everything up to a frame sender that takes frames, and, with `receives`, an incoming stream that is there. */
void call_open(struct call *call, const msdk_outgoing_video_options *options, int receives);

/* Starts the incoming stream and waits until the sender knows of its receiver. */
void call_receive(struct call *call, const msdk_incoming_video_options *options);

void call_close(struct call *call);

#endif
