/* A sound producer of encoded frames, from which bad ones differ: FIRST_IS_KEY, ON_REQUEST and ON_MADE (`frame` is there).
 * IS_PUSH: a thread of its own delivers them. */
#include <mediasdk/plugin.h>

static msdk_result make_encoded(msdk_self *self, int64_t due_ns, msdk_encoded_frame **out);
static msdk_result request_key(msdk_self *self);

#ifndef FIRST_IS_KEY
#define FIRST_IS_KEY 1
#endif
#ifndef ON_REQUEST
#define ON_REQUEST self->wants_key = 1
#endif
#ifndef ON_MADE
#define ON_MADE
#endif
#define MEMBERS int wants_key;
#define ON_START self->wants_key = FIRST_IS_KEY
#ifdef IS_PUSH
#define FRAME msdk_encoded_frame
#define MAKE(self, out) make_encoded(self, 0, out)
#define CONSUME consume_encoded_frame
#define HOW .flags = MSDK_PRODUCER_ENCODED
#else
#define HOW .flags = MSDK_PRODUCER_PULL | MSDK_PRODUCER_ENCODED, .produce_encoded_frame = make_encoded
#endif
#define PRODUCER HOW, .produce_frame = NULL, .codec = MSDK_CODEC_VP8, .request_key_frame = request_key
#include "good.h"

static msdk_result make_encoded(msdk_self *self, int64_t due_ns, msdk_encoded_frame **out) {
  uint8_t data[100] = {(uint8_t)self->count++};
  int is_key = __atomic_exchange_n(&self->wants_key, 0, __ATOMIC_SEQ_CST);
  msdk_encoded_frame frame = MSDK_INIT(msdk_encoded_frame);
  frame.codec = MSDK_CODEC_VP8;
  frame.data = data;
  frame.size = sizeof data;
  frame.flags = is_key ? MSDK_ENCODED_KEY : 0;
  frame.timestamp_ns = due_ns;
  msdk_result result = self->host->encoded_frame_create(self->context, &frame, out);
  if (result < 0 && is_key) self->wants_key = 1; /* a request may come meanwhile */
  if (result >= 0) {
    ON_MADE;
  }
  return result;
}

static msdk_result request_key(msdk_self *self) {
  (void)self;
  ON_REQUEST;
  return MSDK_OK;
}
