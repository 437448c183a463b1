/* One WebM or Ogg Opus file: its tracks are settled when it begins, and stay as they are. Packets come with times in nanoseconds on the
 * engine's clock, of each track in their order, and lie in the file in the order of time of both.
 *
 * Clusters (WebM) and pages (Ogg) leave the process every half a second, so that what was written stays whatever happens to the process;
 * without the end of the file only the duration and the index are missing, which players make up for. */
#ifndef RECORDER_FILE_H
#define RECORDER_FILE_H

#include "output.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

enum { REC_VIDEO = 0, REC_AUDIO = 1, REC_TRACKS = 2 };

typedef struct rec_file {
  plugin_report report;
  rec_output output;
  AVFormatContext *muxer; /* NULL: not begun */
  bool is_webm;
  int64_t base_ns; /* time 0 of the file */
  AVStream *streams[REC_TRACKS]; /* NULL: no such track */
  int64_t last[REC_TRACKS];      /* the timestamp before, in the stream's time base */
} rec_file;

/* Writes the head. parameters[i] is NULL for a track that there is not; they are copied. */
msdk_result rec_file_begin(rec_file *file, const char *container, AVCodecParameters *const parameters[REC_TRACKS], int64_t base_ns);

/* Takes the packet, whose stream_index is REC_VIDEO or REC_AUDIO. */
msdk_result rec_file_write(rec_file *file, AVPacket *packet);

/* Writes the end, and closes in any case. What failed before is not told again. */
msdk_result rec_file_finish(rec_file *file);

#endif
