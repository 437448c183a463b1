#include "webrtc_pair.h"

#include "call.h"
#include "measure.h"

#include <string.h>

static const int64_t patience_ns = 10000000000;

void webrtc_open(struct webrtc_end *end, msdk_engine *engine, const char *url, msdk_outgoing_video *outgoing) {
  memset(end, 0, sizeof *end);
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = url;
  options.user_id = "bench";
  must(msdk_session_create(engine, &options, &end->session), url);
  if (outgoing != NULL) must(msdk_session_start_video(end->session, outgoing), "msdk_session_start_video");
  must(msdk_session_connect(end->session), url);
}

static void describe(struct webrtc_end *from, struct webrtc_end *to) {
  static char text[MSDK_SDP_MAX];
  uint32_t type = 0, outcome = 0;
  must(msdk_session_describe(from->session, &type), "msdk_session_describe");
  must(msdk_session_get_local_description(from->session, text, sizeof text, NULL), "msdk_session_get_local_description");
  must(msdk_session_set_remote_description(to->session, type, text, &outcome), "msdk_session_set_remote_description");
  if (type == MSDK_SDP_OFFER && outcome == MSDK_DESCRIPTION_APPLIED) describe(to, from);
}

static int take_one(struct webrtc_end *from, struct webrtc_end *to, uint32_t timeout_ms) {
  msdk_event event = MSDK_INIT(msdk_event);
  if (msdk_session_next_event(from->session, timeout_ms, &event) < 0) return 0;
  switch (event.type) {
    case MSDK_EVENT_NEGOTIATION_NEEDED: describe(from, to); break;
    case MSDK_EVENT_LOCAL_CANDIDATE:
      must(msdk_session_add_remote_candidate(to->session, event.text, event.user_id), "msdk_session_add_remote_candidate");
      break;
    case MSDK_EVENT_SESSION_STATE:
      if (event.state == MSDK_SESSION_DISCONNECTED) die("a session was not connected: %s", event.text);
      from->connected = event.state == MSDK_SESSION_CONNECTED;
      break;
    case MSDK_EVENT_FRAME_SENDER_CHANGED: from->sender = event.sender; break;
    case MSDK_EVENT_INCOMING_VIDEO_ADDED: from->incoming = event.incoming_video; break;
    default: break;
  }
  return 1;
}

void webrtc_carry(struct webrtc_end *here, struct webrtc_end *there) {
  while (take_one(here, there, 0) || take_one(there, here, 0)) continue;
}

void webrtc_offer(struct webrtc_end *here, struct webrtc_end *there) { describe(here, there); }

void webrtc_connect(struct webrtc_end *here, struct webrtc_end *there) {
  int64_t since = now_ns();
  while (!here->connected || !there->connected) {
    if (!take_one(here, there, 1)) take_one(there, here, 1);
    if (now_ns() - since > patience_ns) die("two sessions of webrtc were not connected within 10 s");
  }
}
