/* Sending pictures and counting what became of them. */
#ifndef SENDING_H
#define SENDING_H

#include "call.h"
#include "picture.h"

/* What the completions told. */
typedef struct outcomes {
  atomic_int calls, by_outcome[6], by_reason[12], key_frames;
  atomic_ullong bytes;
} outcomes;

static inline void on_report(void *user, const msdk_frame_report *report) {
  outcomes *it = user;
  CHECK(report->struct_size >= sizeof(msdk_frame_report));
  CHECK(report->outcome >= MSDK_OUTCOME_SENT && report->outcome <= MSDK_OUTCOME_FAILED);
  CHECK(report->reason <= MSDK_DROP_NO_KEY);
  CHECK((report->outcome == MSDK_OUTCOME_DROPPED) == (report->reason != MSDK_DROP_NONE));
  CHECK((report->outcome == MSDK_OUTCOME_FAILED) == (report->status < 0));
  if (report->outcome < 6) atomic_fetch_add(&it->by_outcome[report->outcome], 1);
  if (report->reason < 12) atomic_fetch_add(&it->by_reason[report->reason], 1);
  atomic_fetch_add(&it->key_frames, (int)report->key_frame);
  atomic_fetch_add(&it->bytes, report->bytes);
  atomic_fetch_add(&it->calls, 1);
}

/* Takes a frame of the sender's, draws picture `index` and sends it. */
static inline msdk_result send_picture(msdk_frame_sender *sender, uint32_t index, int64_t timestamp_ns, outcomes *counted) {
  msdk_video_frame *frame = NULL;
  msdk_result result = msdk_frame_sender_acquire(sender, 1000, &frame);
  if (result < 0) return result;
  picture_draw(frame, index);
  result = msdk_frame_sender_send(sender, frame, timestamp_ns, counted != NULL ? on_report : NULL, counted);
  msdk_video_frame_unref(frame);
  return result;
}

/* Sends `count` pictures from number `first` on, `interval_ns` apart. */
static inline void send_film(call *it, uint32_t first, uint32_t count, int64_t interval_ns, outcomes *counted) {
  for (uint32_t i = 0; i < count; i++) {
    CHECK_OK(send_picture(it->sender, first + i, 0, counted));
    run_for(it->engine, interval_ns);
  }
}

/* Memory of the program's own, wrapped as a frame of GRAY8, NV12 or whatever the sender takes; counts its release. */
typedef struct owned_picture {
  uint8_t *memory;
  atomic_int released;
} owned_picture;

static inline void on_release(void *opaque) {
  owned_picture *picture = opaque;
  if (atomic_fetch_add(&picture->released, 1) == 0) free(picture->memory);
}

static inline msdk_video_frame *wrap_picture(owned_picture *picture, const msdk_video_format *format, uint32_t index) {
  msdk_external_frame external = MSDK_INIT(msdk_external_frame);
  uint64_t offset = 0;
  external.format = format;
  external.plane_count = planes_of(format->pixel_format);
  for (uint32_t plane = 0; plane < external.plane_count; plane++) {
    external.plane[plane].stride = (int32_t)row_bytes_of(format->pixel_format, plane, format->width) + 24;
    external.plane[plane].size = (uint64_t)external.plane[plane].stride * rows_of(format->pixel_format, plane, format->height);
    offset += external.plane[plane].size;
  }
  picture->memory = malloc(offset);
  memset(picture->memory, 0, offset);
  atomic_store(&picture->released, 0);
  for (uint32_t plane = external.plane_count; plane-- > 0;) {
    offset -= external.plane[plane].size;
    external.plane[plane].data = picture->memory + offset;
  }
  external.user = picture;
  external.release = on_release;
  msdk_video_frame *frame = NULL;
  if (!CHECK_OK(msdk_video_frame_wrap(&external, &frame))) return NULL;
  picture_draw(frame, index);
  return frame;
}

#endif
