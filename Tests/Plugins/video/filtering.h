/* Passing frames through a filter of pictures, as a host does. */
#ifndef TESTS_FILTERING_H
#define TESTS_FILTERING_H

#include "check.h"
#include "host.h"

/* Opens a filter for frames of a format; what set_format said. */
static inline msdk_result filtering_format(host_instance *instance, const msdk_video_format *in) {
  msdk_video_format out = *in;
  msdk_result result = instance->class->video_filter->set_format(instance->self, in, &out);
  if (result >= 0) CHECK(out.width == in->width && out.height == in->height && out.pixel_format == in->pixel_format);
  return result;
}

/* Passes the frame, whose reference stays the caller's, read-only or `writable`; what came out, with a reference. */
static inline msdk_video_frame *filtering_pass(host_instance *instance, msdk_video_frame *in, int writable) {
  msdk_video_frame *out = NULL;
  if (!writable) {
    host_table.video_frame_ref(in);
    in->flags &= ~(uint32_t)MSDK_FRAME_WRITABLE;
  }
  CHECK_EQ(instance->class->video_filter->filter_video_frame(instance->self, in, &out), MSDK_OK);
  CHECK(out != NULL && (out == in) == (writable != 0));
  return out;
}

/* The next whole filter fails when the pool is empty, and keeps nothing. */
static inline void filtering_starves(host_instance *instance, const msdk_video_format *format) {
  msdk_video_frame *in = host_frame(instance, format), *out = NULL;
  in->flags &= ~(uint32_t)MSDK_FRAME_WRITABLE;
  host_table.video_frame_ref(in);
  instance->context.pool_limit = 1;
  CHECK_EQ(instance->class->video_filter->filter_video_frame(instance->self, in, &out), MSDK_E_AGAIN);
  instance->context.pool_limit = HOST_POOL;
  host_unref(in);
}

#endif
