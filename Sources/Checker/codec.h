/* Codecs under test: opened, fed and closed as a stream does it. */
#ifndef CODEC_H
#define CODEC_H

#include "checks.h"
#include "encoded.h"
#include "rig.h"

enum { CODEC_WATCH = HOST_GUARD | HOST_PADDED | HOST_READ_ONLY | HOST_BORROWED, PACKET_MAX = 61440, SAMPLES_MAX = 5760 };

/* A copy of what an encoder made. */
typedef struct unit {
  uint8_t *data;
  uint64_t size;
  uint32_t flags;
} unit;

/* Each makes the instance too. What does not go well is said. 0 when it failed. */
int codec_begin(rig *rig, const msdk_class *class, uint32_t flags); /* HOST_* */
void codec_end(rig *rig, void (*close)(rig_call *)); /* closes, destroys, and counts references */
msdk_result codec_call(rig *rig, rig_call *call, const char *name, void (*work)(rig_call *));
int codec_has_words(const rig *rig, msdk_result code);

msdk_result video_open(rig *rig, uint32_t pixel_format, uint32_t width, uint32_t height, uint32_t kind, uint32_t threads);
/* The next picture of rig->video. MSDK_E_AGAIN: left out. *out is the caller's reference. */
msdk_result video_encode(rig *rig, uint32_t flags, msdk_encoded_frame **out);
void video_close(rig_call *call);
msdk_result audio_open(rig *rig, uint32_t rate, uint32_t channels);
msdk_result audio_encode(rig *rig, uint32_t count, int is_silent, msdk_encoded_frame **out); /* a tone, or silence */
void audio_close(rig_call *call);

msdk_result video_decoder_open(rig *rig, uint64_t pixels_max);
/* Of bytes that are lent before a border. *out is the caller's reference; NULL: it shows none. */
msdk_result video_decode(rig *rig, const void *data, uint64_t size, uint32_t flags, book **out);
void video_decoder_close(rig_call *call);
msdk_result audio_decoder_open(rig *rig, uint32_t channels);
/* Into `capacity` samples per channel before a border; what came is at *samples until the next. */
int32_t audio_decode(rig *rig, const void *data, uint64_t size, uint32_t capacity, const float **samples);
int32_t audio_conceal(rig *rig, uint32_t count, const void *next, uint64_t size, const float **samples);
void audio_decoder_close(rig_call *call);

/* The class of this module that encodes what that one decodes, or NULL. */
const msdk_class *encoder_for(const msdk_class *class, uint32_t kind);
/* So many of them, of an instance of the encoder's class; how many came. Give them to units_free. */
uint32_t units_make_video(const msdk_class *encoder, uint32_t width, uint32_t height, unit *units, uint32_t count);
uint32_t units_make_audio(const msdk_class *encoder, uint32_t channels, unit *units, uint32_t count);
void units_free(unit *units, uint32_t count);
/* The host's picture of that size, painted as the encoder's `number`-th was: the mean difference of the first plane. */
double picture_difference(const msdk_video_frame *frame, uint32_t number);

#endif
