/* mediasdk/report.h - what became of what was sent
 *
 * Of every frame of video and every buffer of sound that send accepts exactly one report tells the truth: by the completion that was given
 * with it, or else in a queue that can be read.
 */
#ifndef MEDIASDK_REPORT_H
#define MEDIASDK_REPORT_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { /* outcome of a frame */
  MSDK_OUTCOME_SENT = 1,     /* handed to the transport, raw, or encoded by the program */
  MSDK_OUTCOME_ENCODED = 2,  /* encoded, and the bytes were handed to the transport or to those who take encoded frames */
  MSDK_OUTCOME_REPLACED = 3, /* a newer frame took its place before the encoder came to it */
  MSDK_OUTCOME_DROPPED = 4,  /* not sent, on purpose: reason */
  MSDK_OUTCOME_FAILED = 5    /* not sent, status says why */
};
enum { /* reason of a drop */
  MSDK_DROP_NONE = 0,
  MSDK_DROP_NO_RECEIVER = 1,    /* nobody takes the stream */
  MSDK_DROP_NOT_CONNECTED = 2,  /* reconnecting */
  MSDK_DROP_ENCODER = 3,        /* the encoder's rate control left it out; of sound: silence that DTX does not send */
  MSDK_DROP_STOPPED = 4,        /* the stream was stopped, or its format changed, before its turn came */
  MSDK_DROP_PACED = 5,          /* faster than the frame rate that was set */
  MSDK_DROP_QUEUE = 6,          /* the queue was full, policy MSDK_POLICY_DROP_NEWEST */
  MSDK_DROP_NETWORK = 7,        /* the sending queue of the network was full */
  MSDK_DROP_MUTED = 8,          /* sound of a muted stream */
  MSDK_DROP_FLUSHED = 9,        /* taken out of the queue by flush */
  MSDK_DROP_FILTER = 10         /* a filter left it out */
};

typedef struct msdk_frame_report {
  uint32_t struct_size;
  uint32_t outcome;   /* MSDK_OUTCOME_* */
  uint32_t reason;    /* MSDK_DROP_* */
  uint32_t key_frame; /* 1: encoded as one */
  msdk_result status;
  uint32_t reserved0;
  uint64_t sequence;     /* of the frame, as the receiver sees it; of sound that is encoded here, of the buffer, not of the packets */
  int64_t timestamp_ns;  /* of the frame */
  uint64_t bytes;        /* as sent; of sound that is encoded here, of the packets that left since the report before */
} msdk_frame_report;

/* report is valid during the call. Called exactly once for each send that returned MSDK_OK: inside send, or later on a thread of the
 * stream's. */
typedef void (*msdk_send_fn)(void *user, const msdk_frame_report *report);

/* frame is borrowed: msdk_encoded_frame_ref to keep it. Called on the thread that encodes, in order. */
typedef void (*msdk_encoded_fn)(void *user, const msdk_encoded_frame *frame);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_REPORT_H */
