/* What the two tracks have in common: when the file begins, and with which of them. A WebM file cannot gain a track later, so packets are
 * held until it is clear which there will be:
 *   one side attached      begins with its first frame
 *   both, tracks "auto"    when both have come, or one has waited two seconds for the other
 *   tracks "both"          when both have come; what is held meanwhile is bounded, and starts with a key frame
 * Time is the frames' own: no clock is asked. */
#ifndef RECORDER_TIMELINE_H
#define RECORDER_TIMELINE_H

#include "file.h"

typedef struct rec_track {
  bool attached;                 /* between init_render and release_render */
  bool told;                     /* that it is left out */
  AVCodecParameters *parameters; /* set with the first frame */
  int64_t first_ns;              /* when its first frame that is kept was captured */
  int64_t latest_ns;
  bool lost;                     /* frames that were held were given up: the next must be a key frame */
} rec_track;

typedef struct rec_timeline {
  plugin_report report;
  rec_file file;
  const char *container; /* "webm" or "opus" */
  bool needs_both;
  bool begun;
  rec_track tracks[REC_TRACKS];
  AVPacket **held; /* in the order they came */
  uint32_t held_count, held_capacity;
  uint64_t held_bytes;
} rec_timeline;

/* Says no, with an error, to a time that is beside all reason, or more than a day after `before_ns`: it would make a file without end. */
msdk_result rec_timeline_check(const rec_timeline *timeline, int64_t timestamp_ns, int64_t before_ns);

/* Whether frames of the track will be in the file, as far as is known; says so once if not. */
bool rec_timeline_wants(rec_timeline *timeline, int track);

/* The first frame of a track came; takes the parameters. */
void rec_timeline_announce(rec_timeline *timeline, int track, AVCodecParameters *parameters, int64_t first_ns);

/* A frame of the track came: begins the file when it is time. */
msdk_result rec_timeline_seen(rec_timeline *timeline, int track, int64_t timestamp_ns);

/* Takes a packet; its pts and duration are in nanoseconds, its stream_index is the track. */
msdk_result rec_timeline_put(rec_timeline *timeline, AVPacket *packet);

/* Begins with what there is, if that has not happened. Nothing ever came: there is no file. */
msdk_result rec_timeline_begin(rec_timeline *timeline);

/* Ends and closes the file, and forgets everything. */
msdk_result rec_timeline_finish(rec_timeline *timeline);

#endif
