/* From the file's planes to a frame of the host. */
#ifndef FILEPRODUCER_DELIVER_H
#define FILEPRODUCER_DELIVER_H

#include "source.h"

/* `frame` is NV12 or I420 of the picture's size. */
void fp_copy_picture(const fp_picture *picture, msdk_video_frame *frame);

#endif
