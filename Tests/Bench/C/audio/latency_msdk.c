/* From send to the receiver's code, of sound: 48 kHz mono f32 in buffers of 20 ms, raw, at real pace.
 *
 *   latency_msdk direct|queued|read BUFFERS */
#include "measure.h"
#include "sound.h"
#include "sound_pace.h"

#include <pthread.h>
#include <string.h>

static struct sound sound;
static struct sound_pace pace;

static void called_back(void *unused, const msdk_audio_frame *frame) {
  (void)unused;
  sound_pace_arrived(&pace, frame->sequence - 1);
}

static void *reader(void *unused) {
  (void)unused;
  for (uint64_t taken = 0; taken < pace.count; taken++) {
    msdk_audio_frame *frame = NULL;
    must(msdk_incoming_audio_read(sound.incoming, 5000, &frame), "msdk_incoming_audio_read");
    uint64_t index = frame->sequence - 1;
    msdk_audio_frame_unref(frame);
    sound_pace_arrived(&pace, index);
  }
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 3) die("usage: latency_msdk direct|queued|read BUFFERS");
  sound_pace_open(&pace, count_from(argv[2]));
  msdk_outgoing_audio_options options = sound_options(1);
  sound_open(&sound, MSDK_CLOCK_SYSTEM, &options);
  msdk_incoming_audio_options wanted = MSDK_INIT(msdk_incoming_audio_options);
  wanted.delivery = strcmp(argv[1], "direct") == 0 ? MSDK_DELIVERY_DIRECT : MSDK_DELIVERY_QUEUED;
  int reads = strcmp(argv[1], "read") == 0;
  if (!reads) must(msdk_incoming_audio_set_frame_callback(sound.incoming, called_back, NULL), "setting the frame callback");
  sound_receive(&sound, &wanted);
  pthread_t thread;
  if (reads && pthread_create(&thread, NULL, reader, NULL) != 0) die("no thread");
  while (sound_pace_next(&pace)) {
    must(msdk_outgoing_audio_send(sound.outgoing, pace.buffer, sizeof pace.buffer, 0, 0, NULL, NULL), "msdk_outgoing_audio_send");
  }
  sound_pace_close(&pace);
  if (reads) pthread_join(thread, NULL);
  sound_close(&sound);
  return 0;
}
