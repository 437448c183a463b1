/** @file
 * mediasdk/view.h - frames shown in an area of fixed size: scale, bars, mirror, rotation, and their arithmetic
 *
 * A view is an area of a fixed size that shows frames of any size, for example in a window, a tile or a recording. A renderer that
 * is attached through a view gets frames of exactly the view's size, upright. The frame's own orientation is applied first, then
 * the view's. The area that the frame does not cover has the background's colour.
 *
 *   MSDK_SCALE_FIT      the whole frame, as large as the view allows; bars on two sides
 *   MSDK_SCALE_FILL     no bars; what does not fit is cropped equally on both sides
 *   MSDK_SCALE_STRETCH  the whole frame and no bars; its proportions become the view's
 */
#ifndef MEDIASDK_VIEW_H
#define MEDIASDK_VIEW_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MSDK_SCALE_FIT = 0, MSDK_SCALE_FILL = 1, MSDK_SCALE_STRETCH = 2 };

typedef struct msdk_view {
  uint32_t struct_size;
  uint32_t width, height; /**< pixels, 1..MSDK_DIMENSION_MAX */
  uint32_t scale;         /**< MSDK_SCALE_* */
  uint32_t orientation;   /**< MSDK_ROTATE_* | MSDK_MIRROR, applied after the frame's own; MSDK_MIRROR: a self-view as in a mirror */
  uint32_t background;    /**< colour of the bars: 0xRRGGBB */
} msdk_view;

typedef struct msdk_rectangle { /* frozen, 16 bytes */
  uint32_t x, y; /**< of the upper left corner */
  uint32_t width, height;
} msdk_rectangle;

typedef struct msdk_placement {
  uint32_t struct_size;
  uint32_t orientation;  /**< the frame's and the view's combined: MSDK_ROTATE_* | MSDK_MIRROR */
  msdk_rectangle source; /**< the visible part of the stored frame, before it is rotated */
  msdk_rectangle target; /**< its area in the view */
} msdk_placement;

/** Computes the placement of a frame in a view. The stored frame has width x height pixels (1..MSDK_DIMENSION_MAX) and the given
 * orientation. Corners lie on even pixels, as the chroma of I420 and NV12 requires. The far edges do too, except where they are the
 * frame's or the view's own edges. A frame that would be too thin to be seen gets one pixel. The function only calculates.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_view_place(const msdk_view *view, uint32_t width, uint32_t height, uint32_t orientation, msdk_placement *out);

/** Makes a new, upright frame of the view's size that shows the given frame. It is I420 for YUV and grey formats, and BGRA for RGB
 * formats. It has the time and sequence of the given frame. *out has one reference, the caller's. [any thread] */
MSDK_EXPORT msdk_result msdk_video_frame_compose(const msdk_video_frame *frame, const msdk_view *view, msdk_video_frame **out);

/** Shows a participant's screen share. The call attaches the renderer to the screen share through the view, and starts receiving the
 * screen share unless it is received already. When the screen share ends, the renderer is detached. MSDK_E_NOT_FOUND: no
 * participant with that user id shares a screen; wait for MSDK_EVENT_SCREEN_SHARE_STATE. [any thread] [not in a callback of the
 * same instance] */
MSDK_EXPORT msdk_result msdk_session_start_screen_view(msdk_session *session, const char *user_id, msdk_instance *renderer,
                                                       const msdk_view *view);

/** Stops showing a participant's screen share. The call detaches the renderer. A screen share that msdk_session_start_screen_view
 * started to receive is no longer received once no renderer shows it. MSDK_E_NOT_FOUND: the renderer does not show that user's
 * screen. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_session_stop_screen_view(msdk_session *session, const char *user_id, msdk_instance *renderer);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_VIEW_H */
