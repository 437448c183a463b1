/* The check of producers whose frames come encoded. */
#include "checks.h"
#include "rig.h"

enum { STARTS = 3, FRAMES = 3, SOON = 30, WAIT_MS = 5000 };

static void do_request(rig_call *call) {
  call->code = call->rig->class->video_producer->request_key_frame(call->rig->self);
}

static uint32_t keys_of(rig *rig) {
  pthread_mutex_lock(&rig->context->lock);
  uint32_t keys = rig->context->keys;
  pthread_mutex_unlock(&rig->context->lock);
  return keys;
}

/* A key frame comes among the next ones; what makes none now is asked again, as long as anything comes. */
static void ask(rig *rig) {
  rig_call call = {.rig = rig};
  uint32_t before = keys_of(rig), moved = 0;
  step("request_key_frame");
  rig->context->error = 0;
  rig_perform(&call, do_request);
  if (call.code == MSDK_E_UNSUPPORTED) return;
  if (call.code < 0) {
    fail("request_key_frame", "request_key_frame returned %s; accepted: MSDK_OK, MSDK_E_UNSUPPORTED", rig_words(rig, call.code));
    return;
  }
  int64_t end = now_ns() + (int64_t)WAIT_MS * 1000000;
  while (keys_of(rig) == before && moved < SOON && now_ns() < end && !has_failed()) {
    if (rig_media(rig, 1, &moved) < 0 || rig->last == MSDK_E_CLOSED) return;
  }
  if (moved >= SOON && keys_of(rig) == before) fail("request_key_frame", "none of the %u frames after request_key_frame is a key frame", moved);
}

void check_encoded(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  rig rig;
  if ((class->kinds & MSDK_KIND_VIDEO_PRODUCER) == 0 || (class->video_producer->flags & MSDK_PRODUCER_ENCODED) == 0) {
    skip("it makes no encoded frames by itself");
    return;
  }
  if (rig_open(&rig, class, MSDK_KIND_VIDEO_PRODUCER, 0) < 0) return;
  if (rig_demand(&rig, "MSDK_PRODUCER_ENCODED")) {
    for (int i = 0; i < STARTS && !has_failed(); i++) {
      rig_media(&rig, FRAMES, NULL);
      if (rig.context->late_keys > 0) fail("MSDK_PRODUCER_ENCODED", "the first frame after start_capture is not a key frame");
      if (rig.context->odd_flags != 0) {
        fail("MSDK_PRODUCER_ENCODED", "the flags of an encoded frame have %u, which is none of KEY, DROPPABLE and DISCONTINUITY", rig.context->odd_flags);
      }
      if (class->video_producer->request_key_frame != NULL && !has_failed()) ask(&rig);
      if (has_failed() || rig_stop(&rig) < 0 || rig_start(&rig) < 0) break;
    }
  }
  rig_close(&rig);
}
