/* What carries descriptions and candidates between two sessions of "webrtc:" in one process, as a server of signalling does. */
#ifndef BENCH_WEBRTC_PAIR_H
#define BENCH_WEBRTC_PAIR_H

#include <mediasdk/mediasdk.h>

struct webrtc_end {
  msdk_session *session;
  msdk_frame_sender *sender;     /* of the stream that it was given, as soon as there is one */
  msdk_incoming_video *incoming; /* what it receives, as soon as it is announced */
  int connected;
};

/* Makes a session and begins to connect it. Streams are started before it or after it. */
void webrtc_open(struct webrtc_end *end, msdk_engine *engine, const char *url, msdk_outgoing_video *outgoing);

/* Reads the events of both that are there, and carries what is for the other. Of two offers at once, that of `here` counts. */
void webrtc_carry(struct webrtc_end *here, struct webrtc_end *there);

/* Has `here` offer to receive, where no stream that is sent makes an offer necessary. */
void webrtc_offer(struct webrtc_end *here, struct webrtc_end *there);

/* Carries until both are connected. */
void webrtc_connect(struct webrtc_end *here, struct webrtc_end *there);

#endif
