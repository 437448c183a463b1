/* The track of sound, to which its two sources write: audio.c has the calls of the host, pcm.c what becomes of samples. */
#ifndef RECORDER_AUDIO_H
#define RECORDER_AUDIO_H

#include "self.h"

/* The position of a time, rounded to the nearest sample. */
int64_t rec_position(const rec_sound *sound, int64_t timestamp_ns);

/* Takes the packet, and puts it behind the one before; its duration is in samples. */
msdk_result rec_sound_put(msdk_self *self, AVPacket *packet);

/* Packets of silence, `count` of them. */
msdk_result rec_sound_put_silence(msdk_self *self, int64_t count);

/* Samples, of the format that render_settings asks for. */
msdk_result rec_pcm_take(msdk_self *self, const msdk_audio_frame *frame);
/* Silence of so many samples. */
msdk_result rec_pcm_fill(msdk_self *self, int64_t count);
/* Encodes what waits, and closes the encoder. */
msdk_result rec_pcm_finish(msdk_self *self);

#endif
