/* Which of the file's frames is shown next, and when: the schedule of those that are to be shown, thinned out to the rate that was agreed
 * on. Looks ahead of the source's own place by two frames, and by those that are skipped. */
#ifndef FILEPRODUCER_PLAN_H
#define FILEPRODUCER_PLAN_H

#include "source.h"

enum { FP_SKIP_MAX = 1000 }; /* what lies between two pictures is read, and of VP8 decoded, in one call */

typedef struct fp_plan {
  fp_source *source;
  bool loop;
  uint32_t fps_num, fps_den; /* agreed on: the file's, or fewer */
  fp_schedule schedule;
  fp_cursor cursor;          /* behind the frame that follows the next */
  msdk_result follows;       /* MSDK_OK: that frame is there, and due at follows_ns */
  int64_t next_ns, follows_ns; /* counted from the first frame, through all passes */
  uint64_t to_skip;          /* frames to be shown that lie before the next one */
  bool over;                 /* there is no next one */
} fp_plan;

/* From the beginning of the file; `fps_num` and `fps_den` are set. */
void fp_plan_begin(fp_plan *plan, fp_source *source, bool loop);
/* The next one was shown, or lost. */
void fp_plan_advance(fp_plan *plan);

#endif
