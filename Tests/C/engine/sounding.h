/* Sound beside the pictures of a call: one good object of each kind, for the tests of handles. After handle_calls.h. */
#ifndef SOUNDING_H
#define SOUNDING_H

#include "audio_classes.h"
#include "handle_calls.h"

static inline msdk_audio_frame *sounding_buffer(void) {
  msdk_audio_format format = audio_format_of(MSDK_SAMPLE_S16, 48000, 1);
  msdk_audio_frame *frame = NULL;
  CHECK_OK(msdk_audio_frame_create(&format, 960, &frame));
  return frame;
}

/* alice speaks, bob hears her; a renderer that is attached to nothing. */
static inline void sounding_add(call *it, good *out) {
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK_OK(msdk_engine_register_module(it->engine, &audio_module));
  CHECK_OK(msdk_outgoing_audio_create(it->engine, NULL, &out->sound_out));
  CHECK_OK(msdk_session_start_audio(it->alice, out->sound_out));
  if (CHECK(event_wait(it->engine, it->bob, MSDK_EVENT_INCOMING_AUDIO_ADDED, &event))) out->sound_in = event.incoming_audio;
  CHECK_OK(msdk_incoming_audio_start(out->sound_in, NULL));
  out->speaker = instance_of(it->engine, "org.mediasdk.test.earphone");
  out->sound = sounding_buffer();
}

static inline void sounding_remove(good *it) {
  msdk_instance_destroy(it->speaker);
  msdk_outgoing_audio_destroy(it->sound_out);
  msdk_audio_frame_unref(it->sound);
}

#endif
