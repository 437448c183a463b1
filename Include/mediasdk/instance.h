/* mediasdk/instance.h - one created producer or renderer
 *
 * An instance is made from a class (engine.h), given its parameters, and attached: a producer to an outgoing stream, a renderer to an
 * incoming one, to one's own outgoing one (preview), or to another instance that is both (a filter). The core then drives its states; an
 * attached instance is stopped, released and detached when either side is destroyed. A renderer that is detached stays as it is, STARTED if
 * it was, and may be attached again; msdk_instance_release takes it down. An instance that is of both media, a recorder say, is attached
 * once for each: to one stream of video and to one of sound.
 */
#ifndef MEDIASDK_INSTANCE_H
#define MEDIASDK_INSTANCE_H

#include "handles.h"
#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MSDK_INSTANCE_CREATED = 0, MSDK_INSTANCE_READY = 1, MSDK_INSTANCE_STARTED = 2 };

/* Makes an instance. MSDK_E_NOT_FOUND lists the classes there are. *out is the caller's to destroy. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_create(msdk_engine *engine, const char *class_id, msdk_instance **out);

/* Detaches it, takes it down level by level and destroys it. [any thread] [may wait] */
MSDK_EXPORT void msdk_instance_destroy(msdk_instance *instance);

/* Sets a parameter. Name, type (MSDK_E_TYPE; integers of other widths are accepted when the number fits), range and choices
 * (MSDK_E_RANGE) are checked before the plugin sees it. MSDK_E_STATE when it is not live and the instance is started. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_set_param(msdk_instance *instance, const char *name, const msdk_value *value);

/* The same from text, which is read as the parameter's type: "true"/"false", decimal numbers, or the text itself. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_set_param_text(msdk_instance *instance, const char *name, const char *text);

/* Reads a parameter. Text and bytes go into buffer (size bytes; may be NULL with 0) and out points there; *needed, if not NULL, receives
 * the size with NUL, and MSDK_E_BUFFER_SMALL is returned when it does not fit. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_get_param(msdk_instance *instance, const char *name, msdk_value *out, void *buffer, uint64_t size,
                                                uint64_t *needed);

/* The state as one of its kinds, exactly one MSDK_KIND_*: MSDK_INSTANCE_*. MSDK_E_UNSUPPORTED for a kind that the class is not of.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_instance_state(msdk_instance *instance, uint32_t kind, uint32_t *out);

/* The formats a producer can make: initialises it if need be. MSDK_E_NOT_FOUND ends the list. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_format_at(msdk_instance *producer, uint32_t index, msdk_video_format *out);

/* The format a producer of sound makes, or prefers: initialises it if need be. MSDK_E_UNSUPPORTED when it does not say, or makes no sound.
 * [any thread] */
MSDK_EXPORT msdk_result msdk_instance_audio_format(msdk_instance *producer, msdk_audio_format *out);

/* Passes what a filter (renderer and producer of video) makes on to a renderer. Up to 8. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_attach_renderer(msdk_instance *filter, msdk_instance *renderer);
MSDK_EXPORT msdk_result msdk_instance_detach_renderer(msdk_instance *filter, msdk_instance *renderer);

/* Hands a frame to a renderer that is attached to nothing, on this thread, converting it if need be. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_render(msdk_instance *renderer, const msdk_video_frame *frame);

/* The same for sound. A renderer that pulls (plugin.h) cannot be fed like this: MSDK_E_UNSUPPORTED. MSDK_E_INVALID: a sample that is not a
 * number or infinite. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_render_audio(msdk_instance *renderer, const msdk_audio_frame *frame);

/* Ends rendering, or producing, of both media: detaches the instance, and stops and releases it, so that what it writes is complete.
 * [any thread] [may wait] */
MSDK_EXPORT msdk_result msdk_instance_release(msdk_instance *instance);

/* What a renderer would show now, as a new frame with one reference, the caller's. MSDK_E_UNSUPPORTED, MSDK_E_AGAIN. [any thread] */
MSDK_EXPORT msdk_result msdk_instance_snapshot(msdk_instance *renderer, msdk_video_frame **out);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_INSTANCE_H */
