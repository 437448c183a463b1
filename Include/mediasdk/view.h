/* mediasdk/view.h - pictures shown in a place of fixed size: scale, bars, mirror, rotation, and the arithmetic of it
 *
 * A view is a place of a fixed size, a window's, a tile's, a recording's, into which pictures of any size are put. Attached through a view,
 * a renderer is given pictures of exactly the view's size, standing upright: the frame's own orientation is carried out, then the view's,
 * and what the picture does not cover has the background's colour.
 *
 *   MSDK_SCALE_FIT      all of the picture, as large as the view allows; bars on two sides
 *   MSDK_SCALE_FILL     no bars: what does not fit is cut off, as much on one side as on the other
 *   MSDK_SCALE_STRETCH  all of the picture and no bars; its proportions become the view's
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
  uint32_t width, height; /* pixels, 1..MSDK_DIMENSION_MAX */
  uint32_t scale;         /* MSDK_SCALE_* */
  uint32_t orientation;   /* MSDK_ROTATE_* | MSDK_MIRROR, carried out after the frame's own: MSDK_MIRROR shows oneself as in a mirror */
  uint32_t background;    /* of the bars: 0xRRGGBB */
} msdk_view;

typedef struct msdk_rectangle { /* frozen */
  uint32_t x, y; /* of the left upper corner */
  uint32_t width, height;
} msdk_rectangle;

typedef struct msdk_placement {
  uint32_t struct_size;
  uint32_t orientation;  /* the frame's and the view's in one: MSDK_ROTATE_* | MSDK_MIRROR */
  msdk_rectangle source; /* the part of the stored picture that is seen, before it is turned */
  msdk_rectangle target; /* where it stands in the view */
} msdk_placement;

/* Where a picture of width x height pixels as stored (1..MSDK_DIMENSION_MAX), of that orientation, goes in a view. Corners lie on even
 * pixels, as the chroma of I420 and NV12 asks, and so do the far edges where they are not the picture's or the view's own; a picture too
 * thin to be seen is given a pixel. Pure arithmetic. [any thread] */
MSDK_EXPORT msdk_result msdk_view_place(const msdk_view *view, uint32_t width, uint32_t height, uint32_t orientation, msdk_placement *out);

/* A new frame of the view's size with the picture in it: I420 of YUV and grey, BGRA of RGB, upright, with the time and sequence of the
 * old. *out has one reference, the caller's. [any thread] */
MSDK_EXPORT msdk_result msdk_video_frame_compose(const msdk_video_frame *frame, const msdk_view *view, msdk_video_frame **out);

/* As msdk_incoming_video_attach_renderer and msdk_outgoing_video_attach_renderer, through a view. For a renderer that is attached to this
 * stream already the view becomes another, with its next picture. A renderer of encoded frames is given pictures here. NULL: no view any
 * more. Detached as without a view. [any thread] */
MSDK_EXPORT msdk_result msdk_incoming_video_attach_view(msdk_incoming_video *stream, msdk_instance *renderer, const msdk_view *view);
MSDK_EXPORT msdk_result msdk_outgoing_video_attach_view(msdk_outgoing_video *stream, msdk_instance *renderer, const msdk_view *view);

/* Shows the screen that a participant shares: attaches the renderer to his screen share through the view, and starts receiving it unless
 * that was done. MSDK_E_NOT_FOUND when nobody of that user id shares a screen: wait for MSDK_EVENT_SCREEN_SHARE_STATE. When the share
 * ends, the renderer is detached. [any thread] */
MSDK_EXPORT msdk_result msdk_session_start_screen_view(msdk_session *session, const char *user_id, msdk_instance *renderer,
                                                       const msdk_view *view);

/* Ends that: detaches the renderer, and stops receiving what start_screen_view had started, once nobody shows it any more.
 * MSDK_E_NOT_FOUND when the renderer does not show that user's screen. [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_session_stop_screen_view(msdk_session *session, const char *user_id, msdk_instance *renderer);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_VIEW_H */
