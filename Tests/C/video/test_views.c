/* Views: the arithmetic, composing, renderers that are fed through one, a shared screen on one. */
#include "sending.h"
#include "test_classes.h"

static msdk_view view_of(uint32_t width, uint32_t height, uint32_t scale) {
  msdk_view view = MSDK_INIT(msdk_view);
  view.width = width;
  view.height = height;
  view.scale = scale;
  return view;
}

static void places(void) {
  msdk_view view = view_of(640, 480, MSDK_SCALE_FIT);
  msdk_placement out = MSDK_INIT(msdk_placement);
  CHECK_OK(msdk_view_place(&view, 1280, 720, MSDK_ROTATE_0, &out));
  CHECK(out.target.x == 0 && out.target.y == 60 && out.target.width == 640 && out.target.height == 360);
  CHECK(out.source.x == 0 && out.source.y == 0 && out.source.width == 1280 && out.source.height == 720);
  view.scale = MSDK_SCALE_FILL;
  view.orientation = MSDK_MIRROR;
  CHECK_OK(msdk_view_place(&view, 1280, 720, MSDK_ROTATE_90, &out));
  CHECK(out.target.width == 640 && out.target.height == 480 && out.source.width == 540 && out.source.x == 370);
  CHECK_EQ(out.orientation, MSDK_MIRROR | MSDK_ROTATE_270); /* turned, then mirrored, is mirrored, then turned the other way */
}

static void bad_views_are_refused(void) {
  msdk_view view = view_of(640, 480, MSDK_SCALE_FIT);
  msdk_placement out = MSDK_INIT(msdk_placement);
  CHECK_ERROR(msdk_view_place(NULL, 4, 4, 0, &out), MSDK_E_INVALID, "view");
  CHECK_ERROR(msdk_view_place(&view, 4, 4, 0, NULL), MSDK_E_INVALID, "out");
  CHECK_ERROR(msdk_view_place(&view, 0, 4, 0, &out), MSDK_E_RANGE, "0x4");
  CHECK_ERROR(msdk_view_place(&view, 4, 16385, 0, &out), MSDK_E_RANGE, "16385");
  CHECK_ERROR(msdk_view_place(&view, 4, 4, 8, &out), MSDK_E_UNSUPPORTED, "orientation");
  view.scale = 3;
  CHECK_ERROR(msdk_view_place(&view, 4, 4, 0, &out), MSDK_E_UNSUPPORTED, "view.scale");
  view = view_of(0, 480, MSDK_SCALE_FIT);
  CHECK_ERROR(msdk_view_place(&view, 4, 4, 0, &out), MSDK_E_RANGE, "0x480");
  view = view_of(4, 4, MSDK_SCALE_FIT);
  view.orientation = 9;
  CHECK_ERROR(msdk_view_place(&view, 4, 4, 0, &out), MSDK_E_UNSUPPORTED, "view.orientation");
  view.orientation = 0;
  view.background = 0x1000000;
  CHECK_ERROR(msdk_view_place(&view, 4, 4, 0, &out), MSDK_E_RANGE, "background");
  view.struct_size = 4;
  CHECK_ERROR(msdk_view_place(&view, 4, 4, 0, &out), MSDK_E_INVALID, "struct_size");
  msdk_video_frame *frame = NULL;
  CHECK_ERROR(msdk_video_frame_compose(NULL, &view, &frame), MSDK_E_INVALID, "struct_size");
  view = view_of(4, 4, MSDK_SCALE_FIT);
  CHECK_RESULT(msdk_video_frame_compose(NULL, &view, &frame), MSDK_E_HANDLE);
}

static void composing(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 32, 30);
  msdk_video_frame *frame = NULL, *seen = NULL;
  CHECK_OK(msdk_video_frame_create(&format, &frame));
  picture_fill(frame, 200);
  frame->timestamp_ns = 77;
  msdk_view view = view_of(64, 64, MSDK_SCALE_FIT);
  CHECK_OK(msdk_video_frame_compose(frame, &view, &seen));
  CHECK_EQ(seen->format->pixel_format, MSDK_PIXEL_I420);
  CHECK(seen->format->width == 64 && seen->format->height == 64 && seen->timestamp_ns == 77);
  CHECK_EQ(row_of(seen, 0, 15)[3], 16); /* black, in limited range */
  CHECK_EQ(row_of(seen, 0, 16)[3], 200);
  CHECK_EQ(row_of(seen, 0, 47)[63], 200);
  CHECK_EQ(row_of(seen, 0, 48)[3], 16);
  CHECK_OK(msdk_video_frame_unref(seen));
  CHECK_OK(msdk_video_frame_unref(frame));
}

static void expect_size(uint32_t width, uint32_t height) {
  CHECK_EQ(atomic_load(&sight_sink.last_width), width);
  CHECK_EQ(atomic_load(&sight_sink.last_height), height);
}

/* Receiver and preview alike, raw and through a codec: the view's size, another view on the way, none any more. */
static void a_renderer_sees_through_a_view(void) {
  static const uint32_t codecs[] = {MSDK_CODEC_RAW, MSDK_CODEC_VP8};
  for (int i = 0; i < 4; i++) {
    call it = call_with_classes(codecs[i / 2]);
    msdk_instance *sink = instance_of(it.engine, "org.mediasdk.test.sink");
    msdk_view view = view_of(40, 40, MSDK_SCALE_FIT);
    const msdk_view *shown[] = {&view, &view, NULL};
    for (int n = 0; n < 3; n++) {
      if (n == 1) view = view_of(30, 20, MSDK_SCALE_FILL);
      if (i % 2) CHECK_OK(msdk_outgoing_video_attach_renderer(it.outgoing, sink, shown[n]));
      else CHECK_OK(msdk_incoming_video_attach_renderer(it.incoming, sink, shown[n]));
      send_film(&it, (uint32_t)n, 1, 40 * MS, NULL);
      CHECK_EQ(atomic_load(&sight_sink.frames), n + 1);
      expect_size(n == 0 ? 40 : n == 1 ? 30 : 64, n == 0 ? 40 : n == 1 ? 20 : 48);
    }
    if (i % 2) CHECK_OK(msdk_outgoing_video_detach_renderer(it.outgoing, sink));
    else CHECK_OK(msdk_incoming_video_detach_renderer(it.incoming, sink));
    view.scale = 7;
    CHECK_ERROR(msdk_incoming_video_attach_renderer(it.incoming, sink, &view), MSDK_E_UNSUPPORTED, "view.scale");
    CHECK_RESULT(msdk_outgoing_video_attach_renderer(it.outgoing, NULL, NULL), MSDK_E_HANDLE);
    msdk_instance_destroy(sink);
    call_close(&it);
  }
}

/* A renderer of VP8 is given pictures when it is attached through a view. */
static void a_view_shows_pictures(void) {
  call it = call_with_classes(MSDK_CODEC_VP8);
  msdk_instance *taker = instance_of(it.engine, "org.mediasdk.test.codec");
  msdk_view view = view_of(20, 20, MSDK_SCALE_STRETCH);
  CHECK_OK(msdk_incoming_video_attach_renderer(it.incoming, taker, &view));
  send_film(&it, 0, 3, 40 * MS, NULL);
  CHECK_EQ(record_times("codec render"), 3);
  CHECK_EQ(record_times("codec render_encoded"), 0);
  msdk_instance_destroy(taker);
  call_close(&it);
}

static msdk_outgoing_video *share(call *it) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 128, 64, 15);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  options.kind = MSDK_VIDEO_SCREEN_SHARE;
  msdk_outgoing_video *stream = NULL;
  CHECK_OK(msdk_outgoing_video_create(it->engine, &options, &stream));
  CHECK_OK(msdk_session_start_video(it->alice, stream));
  run_for(it->engine, 20 * MS);
  return stream;
}

static void send_screen(call *it, msdk_outgoing_video *stream) {
  msdk_frame_sender *sender = NULL;
  CHECK_OK(msdk_outgoing_video_get_sender(stream, &sender));
  CHECK_OK(send_picture(sender, 1, 0, NULL));
  run_for(it->engine, 100 * MS);
}

static void a_shared_screen_on_a_view(void) {
  call it = call_with_classes(MSDK_CODEC_RAW);
  msdk_instance *sink = instance_of(it.engine, "org.mediasdk.test.sink"), *other = instance_of(it.engine, "org.mediasdk.test.sink");
  msdk_view view = view_of(50, 50, MSDK_SCALE_FIT);
  /* A picture of a camera's kind is no screen. */
  CHECK_ERROR(msdk_session_start_screen_view(it.bob, "alice", sink, &view), MSDK_E_NOT_FOUND, "alice");
  CHECK_ERROR(msdk_session_stop_screen_view(it.bob, "alice", sink), MSDK_E_NOT_FOUND, "alice");
  CHECK_ERROR(msdk_session_start_screen_view(it.bob, NULL, sink, &view), MSDK_E_INVALID, "user_id");
  msdk_outgoing_video *screen = share(&it);
  CHECK_ERROR(msdk_session_start_screen_view(it.bob, "alice", sink, NULL), MSDK_E_INVALID, "view");
  CHECK_ERROR(msdk_session_start_screen_view(it.bob, "carol", sink, &view), MSDK_E_NOT_FOUND, "carol");
  msdk_event event;
  CHECK(event_wait(it.engine, it.bob, MSDK_EVENT_INCOMING_VIDEO_ADDED, &event));
  msdk_incoming_video *incoming = event.incoming_video;
  uint32_t state = 99;
  CHECK_OK(msdk_session_start_screen_view(it.bob, "alice", sink, &view));
  CHECK_OK(msdk_session_start_screen_view(it.bob, "alice", other, &view));
  CHECK_OK(msdk_incoming_video_get_state(incoming, &state));
  CHECK_EQ(state, MSDK_INCOMING_STARTED);
  run_for(it.engine, 20 * MS);
  send_screen(&it, screen);
  CHECK(atomic_load(&sight_sink.frames) >= 2);
  expect_size(50, 50);
  view = view_of(60, 30, MSDK_SCALE_FIT); /* again: another view */
  CHECK_OK(msdk_session_start_screen_view(it.bob, "alice", sink, &view));
  CHECK_OK(msdk_session_stop_screen_view(it.bob, "alice", other));
  CHECK_OK(msdk_incoming_video_get_state(incoming, &state));
  CHECK_EQ(state, MSDK_INCOMING_STARTED); /* somebody still shows it */
  send_screen(&it, screen);
  expect_size(60, 30);
  CHECK_OK(msdk_session_stop_screen_view(it.bob, "alice", sink));
  CHECK_OK(msdk_incoming_video_get_state(incoming, &state));
  CHECK_EQ(state, MSDK_INCOMING_STOPPED);
  CHECK_ERROR(msdk_session_stop_screen_view(it.bob, "alice", sink), MSDK_E_NOT_FOUND, "alice");
  /* A share that ends under its view, and the next one on the same renderer. */
  CHECK_OK(msdk_session_start_screen_view(it.bob, "alice", sink, &view));
  msdk_outgoing_video_destroy(screen);
  run_for(it.engine, 20 * MS);
  CHECK_ERROR(msdk_session_start_screen_view(it.bob, "alice", sink, &view), MSDK_E_NOT_FOUND, "alice");
  /* The renderer is free. */
  CHECK_ERROR(msdk_session_stop_screen_view(it.bob, "alice", sink), MSDK_E_NOT_FOUND, "alice");
  CHECK_OK(msdk_incoming_video_attach_renderer(it.incoming, sink, NULL));
  CHECK_OK(msdk_incoming_video_detach_renderer(it.incoming, sink));
  screen = share(&it);
  int before = atomic_load(&sight_sink.frames);
  CHECK_OK(msdk_session_start_screen_view(it.bob, "alice", sink, &view));
  run_for(it.engine, 20 * MS);
  send_screen(&it, screen);
  CHECK(atomic_load(&sight_sink.frames) > before);
  msdk_instance_destroy(sink);
  msdk_instance_destroy(other);
  msdk_outgoing_video_destroy(screen);
  call_close(&it);
}

int main(int argc, char **argv) {
  RUN(places);
  RUN(bad_views_are_refused);
  RUN(composing);
  RUN(a_renderer_sees_through_a_view);
  RUN(a_view_shows_pictures);
  RUN(a_shared_screen_on_a_view);
  return check_finish();
}
