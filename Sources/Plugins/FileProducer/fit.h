/* A picture in one of another size: as large as it fits in, black around it. */
#ifndef FILEPRODUCER_FIT_H
#define FILEPRODUCER_FIT_H

#include "source.h"

/* `frame` is NV12 or I420; the picture has chroma. */
void fp_fit_picture(const fp_picture *picture, msdk_video_frame *frame);

#endif
