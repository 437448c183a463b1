/* Plays files with the plugin `fileproducer`. */
#ifndef TESTS_FILEPRODUCER_PLAY_H
#define TESTS_FILEPRODUCER_PLAY_H

#include "files.h"
#include "host.h"

static const msdk_class *class;
static const msdk_video_producer *producer;
static uint8_t big[8 << 20]; /* where files are made */
static int64_t play_due;      /* when the next frame is asked for, as the host does it */

enum { PLAY_TICK_NS = 40000000 };

static inline void load_producer(int argc, char **argv) {
  class = host_load(argc, argv, "fileproducer.so", "org.mediasdk.producer.file");
  producer = class->video_producer;
}

/* Opens and starts; the result is that of init_capture. */
static inline msdk_result start(host_instance *instance, const char *path, int loop) {
  host_create(instance, class);
  CHECK_EQ(host_set_string(instance, "path", path), MSDK_OK);
  CHECK_EQ(host_set_bool(instance, "loop", loop), MSDK_OK);
  play_due = PLAY_TICK_NS;
  msdk_result result = producer->init_capture(instance->self);
  if (result == MSDK_OK) CHECK_EQ(producer->start_capture(instance->self), MSDK_OK);
  return result;
}

static inline msdk_result ask(host_instance *instance, msdk_video_frame **out) {
  msdk_result result = producer->produce_frame(instance->self, play_due, out);
  if (result == MSDK_OK) CHECK((*out)->duration_ns > 0);
  play_due += result == MSDK_OK ? (*out)->duration_ns : PLAY_TICK_NS;
  return result;
}

typedef struct tally {
  uint32_t good, again, damaged;
  msdk_result last;
} tally;

static inline tally play(host_instance *instance, uint32_t at_most) {
  tally tally = {0};
  for (uint32_t i = 0; i < at_most; i++) {
    msdk_video_frame *frame = NULL;
    tally.last = ask(instance, &frame);
    if (tally.last == MSDK_OK) {
      tally.good++;
      tally.damaged += (frame->flags & MSDK_FRAME_CORRUPT) != 0;
      host_unref(frame);
    } else if (tally.last == MSDK_E_AGAIN) {
      tally.again++;
    } else {
      break;
    }
  }
  return tally;
}

static inline void check_refused(const char *path, msdk_result wanted, const char *words) {
  host_instance instance;
  msdk_result result = start(&instance, path, 0);
  CHECK_EQ(result, wanted);
  CHECK_TEXT(instance.context.error_text, words);
  CHECK_EQ(instance.context.error, wanted);
  if (result != wanted) printf("  with %s: %s\n", path, words);
  if (result == MSDK_OK) host_finish(&instance);
  else host_destroy(&instance);
}

#endif
