/* A loopback room for sound in one process, on either clock: the virtual one is moved on where the system's is waited for. */
#ifndef BENCH_SOUND_H
#define BENCH_SOUND_H

#include "call.h"

struct sound {
  msdk_engine *engine;
  msdk_session *here, *there; /* sends; receives */
  msdk_outgoing_audio *outgoing;
  msdk_incoming_audio *incoming; /* announced, not started */
};

/* clock: MSDK_CLOCK_* */
msdk_engine *sound_engine(uint32_t clock);

/* Lets time go by. */
void sound_run(msdk_engine *engine, int64_t nanoseconds);

/* Waits up to five seconds of the engine's clock for an event of that type, reading past others. */
msdk_event sound_event(msdk_engine *engine, msdk_session *session, uint32_t type);

/* A session that is connected to "loopback:bench". */
msdk_session *sound_join(msdk_engine *engine, const char *user_id);

/* f32 at 48 kHz in buffers of 20 ms, raw. */
msdk_outgoing_audio_options sound_options(uint32_t channels);

/* A stream of that session, which takes buffers. */
msdk_outgoing_audio *sound_start(msdk_engine *engine, msdk_session *session, const msdk_outgoing_audio_options *options);

/* Everything up to an outgoing stream that takes buffers and an incoming one that is there. */
void sound_open(struct sound *sound, uint32_t clock, const msdk_outgoing_audio_options *options);

/* Starts the incoming stream and waits until the sender knows of its receiver. */
void sound_receive(struct sound *sound, const msdk_incoming_audio_options *options);

void sound_close(struct sound *sound);

#endif
