/* A small addon for Node.js, by Node-API: a program sends RGB frames and receives those of others as Buffers. See README.md.
 *
 *     open(url, user, width, height, fps, onFrame) -> call       onFrame(user, width, height, pixels)
 *     send(call, pixels) -> boolean                              false: the frame was dropped, nobody receives yet or memory is short
 *     close(call)
 *
 * The SDK's threads may not enter JavaScript. Their callback passes each frame, by reference, to a bounded queue of Node's thread
 * (a "thread-safe function"), which copies it into a Buffer there. When JavaScript is slow, frames are dropped; nobody waits. */
#define NAPI_VERSION 6
#include <mediasdk/mediasdk.h>
#include <node_api.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUE = 4, TEXT = 1025 };

typedef struct stream { /* of another participant */
  struct call *call;
  struct stream *next;
  char user[256];
} stream;

typedef struct arrival { /* a frame in the queue of Node's thread */
  const msdk_video_frame *frame;
  char user[256];
} arrival;

typedef struct call {
  msdk_engine *engine;
  _Atomic(msdk_frame_sender *) sender; /* of the format agreed on; NULL before */
  napi_threadsafe_function on_frame;
  stream *streams; /* changed on the session's thread only */
  uint32_t width, height;
} call;

/* --------------------------------------------------------------------------------------------------------- the SDK's threads */

static void got_frame(void *user, const msdk_video_frame *frame) {
  stream *from = user;
  arrival *it = malloc(sizeof *it);
  if (it == NULL) return;
  msdk_video_frame_ref(frame); /* borrowed: to keep it, take a reference */
  it->frame = frame;
  memcpy(it->user, from->user, sizeof it->user);
  if (napi_call_threadsafe_function(from->call->on_frame, it, napi_tsfn_nonblocking) == napi_ok) return;
  msdk_video_frame_unref(frame); /* the queue is full */
  free(it);
}

static void got_event(void *user, const msdk_event *event) {
  call *it = user;
  if (event->type == MSDK_EVENT_FRAME_SENDER_CHANGED) atomic_store(&it->sender, event->sender);
  if (event->type != MSDK_EVENT_INCOMING_VIDEO_ADDED) return;
  stream *from = calloc(1, sizeof *from);
  if (from == NULL) return;
  from->call = it;
  from->next = it->streams;
  it->streams = from; /* it lives until close: the SDK may call got_frame until then */
  memcpy(from->user, event->user_id, sizeof from->user);
  msdk_incoming_video_options options = MSDK_INIT(msdk_incoming_video_options);
  options.pixel_format = MSDK_PIXEL_RGB24; /* whatever is sent */
  msdk_incoming_video_set_frame_callback(event->incoming_video, got_frame, from);
  msdk_incoming_video_start(event->incoming_video, &options);
}

/* ------------------------------------------------------------------------------------------------------------- Node's thread */

static void deliver(napi_env env, napi_value on_frame, void *context, void *data) {
  (void)context;
  arrival *it = data;
  const msdk_video_frame *frame = it->frame;
  void *pixels = NULL;
  napi_value argument[4], receiver;
  if (env != NULL) { /* NULL: Node ends */
    size_t row = (size_t)frame->format->width * 3;
    napi_create_string_utf8(env, it->user, NAPI_AUTO_LENGTH, &argument[0]);
    napi_create_uint32(env, frame->format->width, &argument[1]);
    napi_create_uint32(env, frame->format->height, &argument[2]);
    if (napi_create_buffer(env, row * frame->format->height, &pixels, &argument[3]) == napi_ok) {
      for (uint32_t y = 0; y < frame->format->height; y++) {
        memcpy((char *)pixels + y * row, frame->plane[0].data + (int64_t)y * frame->plane[0].stride, row);
      }
      napi_get_undefined(env, &receiver);
      napi_call_function(env, receiver, on_frame, 4, argument, NULL);
    }
  }
  msdk_video_frame_unref(frame);
  free(it);
}

static void destroy(call *it) {
  msdk_engine_destroy(it->engine); /* no callback of the SDK comes after this */
  for (stream *next; it->streams != NULL; it->streams = next) {
    next = it->streams->next;
    free(it->streams);
  }
  if (it->on_frame != NULL) napi_release_threadsafe_function(it->on_frame, napi_tsfn_release);
  free(it);
}

/* What JavaScript holds is a place for the call, which is empty after close. Node collects the place. */
static call *call_of(napi_env env, napi_value object) {
  call **place = NULL;
  return napi_get_value_external(env, object, (void **)&place) == napi_ok ? *place : NULL;
}

static void collect(napi_env env, void *data, void *hint) {
  (void)env, (void)hint;
  if (*(call **)data != NULL) destroy(*(call **)data); /* was never closed */
  free(data);
}

static msdk_result start(call *it, const char *url, const char *user, uint32_t fps) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  format.pixel_format = MSDK_PIXEL_RGB24; /* converted for the encoder */
  format.width = it->width;
  format.height = it->height;
  format.fps_num = fps;
  format.fps_den = 1;
  msdk_outgoing_video_options options = MSDK_INIT(msdk_outgoing_video_options);
  options.formats = &format;
  options.format_count = 1;
  msdk_session_options member = MSDK_INIT(msdk_session_options);
  member.url = url;
  member.user_id = user;
  msdk_outgoing_video *video = NULL;
  msdk_session *session = NULL;
  msdk_result result = msdk_engine_create(NULL, &it->engine);
  if (result >= 0) result = msdk_outgoing_video_create(it->engine, &options, &video);
  if (result >= 0) result = msdk_session_create(it->engine, &member, &session);
  if (result >= 0) result = msdk_session_set_event_callback(session, got_event, it);
  if (result >= 0) result = msdk_session_start_video(session, video); /* starts when the session is connected */
  if (result >= 0) result = msdk_session_connect(session);
  return result;
}

static napi_value open_call(napi_env env, napi_callback_info info) {
  size_t count = 6;
  napi_value argument[6], name, result;
  char url[TEXT] = "", user[TEXT] = "";
  uint32_t fps = 0;
  call *it = calloc(1, sizeof *it), **place = calloc(1, sizeof *place);
  if (it == NULL || place == NULL || napi_get_cb_info(env, info, &count, argument, NULL, NULL) != napi_ok || count != 6 ||
      napi_get_value_string_utf8(env, argument[0], url, sizeof url, NULL) != napi_ok ||
      napi_get_value_string_utf8(env, argument[1], user, sizeof user, NULL) != napi_ok ||
      napi_get_value_uint32(env, argument[2], &it->width) != napi_ok || napi_get_value_uint32(env, argument[3], &it->height) != napi_ok ||
      napi_get_value_uint32(env, argument[4], &fps) != napi_ok || napi_create_string_utf8(env, "onFrame", NAPI_AUTO_LENGTH, &name) != napi_ok ||
      napi_create_threadsafe_function(env, argument[5], NULL, name, QUEUE, 1, NULL, NULL, NULL, deliver, &it->on_frame) != napi_ok) {
    free(it);
    free(place);
    napi_throw_type_error(env, NULL, "open(url, user, width, height, fps, onFrame)");
    return NULL;
  }
  if (start(it, url, user, fps) < 0) {
    napi_throw_error(env, NULL, msdk_last_error()); /* the text is this thread's until its next failure */
    destroy(it);
    free(place);
    return NULL;
  }
  *place = it;
  napi_create_external(env, place, collect, NULL, &result);
  return result;
}

static napi_value send_frame(napi_env env, napi_callback_info info) {
  size_t count = 2, size = 0;
  napi_value argument[2], result;
  call *it = NULL;
  uint8_t *pixels = NULL;
  if (napi_get_cb_info(env, info, &count, argument, NULL, NULL) != napi_ok || count != 2 || (it = call_of(env, argument[0])) == NULL ||
      napi_get_buffer_info(env, argument[1], (void **)&pixels, &size) != napi_ok || size != (size_t)it->width * it->height * 3) {
    napi_throw_type_error(env, NULL, "send(call, pixels): an open call, and a Buffer of width * height * 3 bytes");
    return NULL;
  }
  msdk_frame_sender *sender = atomic_load(&it->sender);
  msdk_video_frame *frame = NULL;
  int is_sent = sender != NULL && msdk_frame_sender_acquire(sender, 0, &frame) >= 0; /* 0: Node's thread does not wait */
  if (is_sent) {
    size_t row = (size_t)it->width * 3;
    for (uint32_t y = 0; y < it->height; y++) memcpy(frame->plane[0].data + (int64_t)y * frame->plane[0].stride, pixels + y * row, row);
    is_sent = msdk_frame_sender_send(sender, frame, 0, NULL, NULL) >= 0;
    msdk_video_frame_unref(frame);
  }
  napi_get_boolean(env, is_sent, &result);
  return result;
}

static napi_value close_call(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument[1];
  call **place = NULL;
  if (napi_get_cb_info(env, info, &count, argument, NULL, NULL) == napi_ok && count == 1 &&
      napi_get_value_external(env, argument[0], (void **)&place) == napi_ok && *place != NULL) {
    destroy(*place);
    *place = NULL;
  }
  return NULL;
}

NAPI_MODULE_INIT() {
  struct {
    const char *name;
    napi_callback function;
  } all[] = {{"open", open_call}, {"send", send_frame}, {"close", close_call}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    napi_value function;
    napi_create_function(env, all[i].name, NAPI_AUTO_LENGTH, all[i].function, NULL, &function);
    napi_set_named_property(env, exports, all[i].name, function);
  }
  return exports;
}
