/* One file that is written. */
#ifndef FILERENDERER_SELF_H
#define FILERENDERER_SELF_H

#include "writer.h"

struct msdk_self {
  plugin_report report;
  char *path; /* NULL: not set */
  bool shared;
  const fr_kind *kind; /* NULL: what the path's ending says */
  uint64_t frame, max_frames;
  fr_writer writer;
};

extern const msdk_video_renderer fr_renderer;

#endif
