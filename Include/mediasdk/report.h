/** @file
 * mediasdk/report.h - the result of each sent frame
 *
 * Each video frame and each audio buffer that send accepts gets exactly one report. The report goes to the completion callback that
 * was passed to send, or, without one, into a queue of the stream that the program reads.
 */
#ifndef MEDIASDK_REPORT_H
#define MEDIASDK_REPORT_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { /* outcome of a frame */
  MSDK_OUTCOME_SENT = 1,     /**< raw, or encoded by the program: handed to the transport */
  MSDK_OUTCOME_ENCODED = 2,  /**< encoded here, and handed to the transport or to those who take encoded frames */
  MSDK_OUTCOME_REPLACED = 3, /**< replaced by a newer frame before the encoder took it */
  MSDK_OUTCOME_DROPPED = 4,  /**< not sent, on purpose: see reason */
  MSDK_OUTCOME_FAILED = 5    /**< not sent: see status */
};
enum { /* reason of a drop */
  MSDK_DROP_NONE = 0,
  MSDK_DROP_NO_RECEIVER = 1,    /**< no participant receives the stream */
  MSDK_DROP_NOT_CONNECTED = 2,  /**< the session is reconnecting, or the stream is not started: only previews got the frame */
  MSDK_DROP_ENCODER = 3,        /**< the encoder's rate control dropped it; for audio: silence that DTX does not send */
  MSDK_DROP_STOPPED = 4,        /**< the stream was stopped, or its format changed, while the frame was queued */
  MSDK_DROP_PACED = 5,          /**< sent faster than the frame rate of the format, or the configured one */
  MSDK_DROP_QUEUE = 6,          /**< the queue was full, policy MSDK_POLICY_DROP_NEWEST */
  MSDK_DROP_NETWORK = 7,        /**< the network's send queue was full */
  MSDK_DROP_MUTED = 8,          /**< audio of a muted stream */
  MSDK_DROP_FLUSHED = 9,        /**< removed from the queue by flush */
  MSDK_DROP_FILTER = 10,        /**< a filter dropped it */
  MSDK_DROP_NO_KEY = 11         /**< it was to be encrypted, and there is no key (encryption.h) */
};

typedef struct msdk_frame_report {
  uint32_t struct_size;
  uint32_t outcome;   /**< MSDK_OUTCOME_* */
  uint32_t reason;    /**< MSDK_DROP_* */
  uint32_t key_frame; /**< 1: encoded as a key frame */
  msdk_result status; /**< the error of MSDK_OUTCOME_FAILED */
  uint32_t reserved0;
  uint64_t sequence;     /**< of the frame, as the receiver gets it; for audio encoded here: of the buffer, not of the packets */
  int64_t timestamp_ns;  /**< the frame's capture time, as the receiver gets it: that of the send, unless 0 or resynchronised there */
  uint64_t bytes;        /**< as sent; for audio encoded here: of the packets that left since the previous report */
  void *user;            /**< the pointer of that send */
} msdk_frame_report;

/** Return the name of an outcome or of a reason, for example "MSDK_DROP_PACED"; "MSDK_OUTCOME_UNKNOWN", "MSDK_DROP_UNKNOWN": this
 * version does not know it. The string is static. [any thread] */
MSDK_EXPORT const char *msdk_outcome_string(uint32_t outcome);
MSDK_EXPORT const char *msdk_drop_string(uint32_t reason);

/** The report is valid during the call. Called exactly once for each send that returned MSDK_OK: inside send, or later on a thread of
 * the stream. */
typedef void (*msdk_send_fn)(void *user, const msdk_frame_report *report);

/** The frame is borrowed; msdk_encoded_frame_ref keeps it. Called on the thread that encodes, in order. */
typedef void (*msdk_encoded_fn)(void *user, const msdk_encoded_frame *frame);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_REPORT_H */
