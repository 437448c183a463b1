/* Plays WAVE files with the producer of the plugin `wav`. */
#ifndef TESTS_WAV_PLAY_H
#define TESTS_WAV_PLAY_H

#include "files.h"
#include "host.h"

#include <math.h>

static const msdk_class *reader_class;
static const msdk_audio_producer *producer;

static inline void load_reader(int argc, char **argv) {
  reader_class = host_load(argc, argv, "wav.so", "org.mediasdk.producer.wav");
  producer = reader_class->audio_producer;
}

/* Writes the file, and gives its path. */
static inline const char *store(const char *name, const void *bytes, size_t size) {
  const char *path = host_path(name);
  write_file(path, bytes, size);
  return path;
}

static inline msdk_result open_file(host_instance *instance, const char *path, int loop) {
  host_create(instance, reader_class);
  CHECK_EQ(host_set_string(instance, "path", path), MSDK_OK);
  CHECK_EQ(host_set_bool(instance, "loop", loop), MSDK_OK);
  return producer->init_capture(instance->self);
}

/* Everything up to the end, or so many buffers, into the recording. The last answer. */
static inline msdk_result play(host_instance *instance, uint32_t buffers) {
  for (uint32_t i = 0; i < buffers; i++) {
    msdk_audio_frame *frame = NULL;
    msdk_result result = producer->produce_frame(instance->self, 5, &frame);
    if (result < 0) return result;
    host_record(&instance->context.recording, frame);
    host_audio_unref(frame);
  }
  return MSDK_OK;
}

/* What the sample at `index` of the tests' files is, all channels counted together, in steps of s16. */
static inline int64_t value_at(uint64_t index) { return (int64_t)(index * 2654435761u % 65536) - 32768; }

static inline uint64_t wrong_samples(const host_recording *recording, uint64_t period, double apart) {
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < recording->count; i++) {
    wrong += !(fabs(recording->samples[i] - (double)value_at(period != 0 ? i % period : i) / 32768) <= apart);
  }
  return wrong;
}

#endif
