/* The place of sound in the file. All is counted in samples at 48 kHz from the first one's time on, and packets follow one another without
 * a gap, as many players look at the time of the first only: silence is put in where nothing came, or for a packet or a few that were lost
 * what makes the decoder bridge them; what comes twice is left out. */
#ifndef RECORDER_SOUND_H
#define RECORDER_SOUND_H

#include "opus.h"
#include "samples.h"

/* What the frames of a track come from. */
enum { REC_FROM_NOTHING = 0, REC_FROM_PACKETS = 1 /* as they came */, REC_FROM_RAW = 2 /* encoded here */ };

typedef struct rec_sound {
  rec_opus encoder;
  rec_samples samples; /* that wait to be encoded */
  int source;          /* REC_FROM_* */
  bool started;        /* origin_ns and channels are valid; until the file ends */
  uint32_t channels;   /* of the track */
  int64_t origin_ns;   /* when the sample at position 0 was captured */
  int64_t end;         /* where the next packet's first decoded sample belongs */
  uint8_t toc;         /* the first byte of the packet before */
  double lag;          /* by how many samples the timestamps are ahead of the count, smoothed */
  bool left_out;       /* the buffer before, wholly, for a time that has sound already */
  bool told_overlap;
} rec_sound;

#endif
