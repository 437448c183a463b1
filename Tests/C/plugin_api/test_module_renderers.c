/* A program's own renderers: on incoming streams, as preview, behind filters, by hand; conversion, failure, snapshots, events. */
#include "sending.h"
#include "test_classes.h"

static void frames_are_rendered(void) {
  call it = call_with_classes(MSDK_CODEC_RAW);
  msdk_instance *sink = instance_of(it.engine, "org.mediasdk.test.sink");
  CHECK_OK(msdk_incoming_video_attach_renderer(it.incoming, sink, NULL));
  for (int i = 0; i < 5; i++) {
    CHECK_OK(send_picture(it.sender, (uint32_t)i, 1000 + i, NULL));
    run_for(it.engine, 40 * MS);
    CHECK_EQ(atomic_load(&sight_sink.frames), i + 1);
    CHECK_EQ(atomic_load(&sight_sink.last_timestamp), 1000 + i);
  }
  CHECK_EQ(state_of(sink, MSDK_KIND_VIDEO_RENDERER), MSDK_INSTANCE_STARTED);
  CHECK_EQ(atomic_load(&sight_sink.last_pixel_format), MSDK_PIXEL_NV12);
  CHECK_EQ(incoming_stats(it.incoming).frames_rendered, 5);
  CHECK_EQ(incoming_stats(it.incoming).frames_delivered, 0); /* nobody read or was called back */
  CHECK_OK(msdk_incoming_video_detach_renderer(it.incoming, sink));
  CHECK_OK(send_picture(it.sender, 9, 0, NULL));
  run_for(it.engine, 40 * MS);
  CHECK_EQ(atomic_load(&sight_sink.frames), 5);
  CHECK(msdk_incoming_video_detach_renderer(it.incoming, sink) < 0); /* not attached */
  msdk_instance_destroy(sink);
  record_expect("sink", "accepts", "create init render release destroy");
  call_close(&it);
}

static void the_host_converts_to_what_is_accepted(void) {
  static const struct { const char *accept; uint32_t pixel_format; } cases[] = {
    {"any", MSDK_PIXEL_NV12}, {"nv12", MSDK_PIXEL_NV12}, {"bgra", MSDK_PIXEL_BGRA}, {"gray8", MSDK_PIXEL_GRAY8}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    call it = call_with_classes(MSDK_CODEC_RAW);
    msdk_instance *sink = instance_of(it.engine, "org.mediasdk.test.sink");
    CHECK_OK(msdk_instance_set_param_text(sink, "accept", cases[i].accept));
    CHECK_OK(msdk_incoming_video_attach_renderer(it.incoming, sink, NULL));
    CHECK_OK(send_picture(it.sender, 1, 0, NULL));
    run_for(it.engine, 40 * MS);
    CHECK_EQ(atomic_load(&sight_sink.frames), 1);
    CHECK_EQ(atomic_load(&sight_sink.last_pixel_format), cases[i].pixel_format);
    CHECK_EQ(atomic_load(&sight_sink.last_width), 64);
    msdk_instance_destroy(sink);
    call_close(&it);
  }
}

static void a_renderer_that_accepts_nothing_is_reported(void) {
  call it = call_with_classes(MSDK_CODEC_RAW);
  msdk_instance *sink = instance_of(it.engine, "org.mediasdk.test.sink");
  CHECK_OK(msdk_instance_set_param_text(sink, "accept", "none"));
  CHECK_OK(msdk_incoming_video_attach_renderer(it.incoming, sink, NULL));
  CHECK_OK(send_picture(it.sender, 1, 0, NULL));
  run_for(it.engine, 40 * MS);
  msdk_event event = MSDK_INIT(msdk_event);
  CHECK(event_take(it.bob, MSDK_EVENT_PLUGIN, &event));
  CHECK(event.instance == sink && event.status < 0 && event.text[0] != 0);
  CHECK_EQ(atomic_load(&sight_sink.frames), 0);
  msdk_instance_destroy(sink);
  call_close(&it);
}

static void a_renderer_that_fails_is_reported_once(void) {
  static const char *const functions[] = {"render", "init"};
  for (int i = 0; i < 2; i++) {
    call it = call_with_classes(MSDK_CODEC_RAW);
    msdk_instance *sink = instance_of(it.engine, "org.mediasdk.test.sink");
    CHECK_OK(msdk_instance_set_param_text(sink, "fail", functions[i]));
    msdk_result result = msdk_incoming_video_attach_renderer(it.incoming, sink, NULL);
    int events = 0;
    for (uint32_t n = 0; n < 4; n++) {
      CHECK_OK(send_picture(it.sender, n, 0, NULL));
      run_for(it.engine, 40 * MS);
      msdk_event event = MSDK_INIT(msdk_event);
      if (!event_take(it.bob, MSDK_EVENT_PLUGIN, &event)) continue;
      events++;
      CHECK(event.instance == sink);
      CHECK_EQ(event.value, MSDK_PLUGIN_EVENT_ERROR);
      CHECK_EQ(event.status, MSDK_E_DEVICE_LOST);
      CHECK_STR_CONTAINS(event.text, functions[i]);
    }
    if (result < 0) CHECK_EQ(result, MSDK_E_DEVICE_LOST); /* init may fail in attach already */
    else CHECK_EQ(events, 1);
    CHECK_EQ(record_times("sink render"), i == 0 ? 1 : 0);
    msdk_video_frame *frame = frame_wait(&it); /* others are not harmed */
    CHECK(frame != NULL);
    msdk_video_frame_unref(frame);
    msdk_instance_destroy(sink);
    call_close(&it);
  }
}

static void a_preview_sees_what_is_sent(void) {
  static const uint32_t codecs[] = {MSDK_CODEC_RAW, MSDK_CODEC_VP8};
  for (int i = 0; i < 2; i++) {
    call it = call_with_classes(codecs[i]);
    msdk_instance *sink = instance_of(it.engine, "org.mediasdk.test.sink");
    CHECK_OK(msdk_outgoing_video_attach_renderer(it.outgoing, sink, NULL));
    CHECK_OK(msdk_incoming_video_stop(it.incoming)); /* even if nobody receives */
    send_film(&it, 0, 5, 40 * MS, NULL);
    CHECK_EQ(atomic_load(&sight_sink.frames), 5);
    CHECK_EQ(atomic_load(&sight_sink.last_pixel_format), MSDK_PIXEL_NV12);
    CHECK_OK(msdk_outgoing_video_detach_renderer(it.outgoing, sink));
    send_film(&it, 5, 2, 40 * MS, NULL);
    CHECK_EQ(atomic_load(&sight_sink.frames), 5);
    CHECK_OK(msdk_outgoing_video_attach_renderer(it.outgoing, sink, NULL));
    msdk_outgoing_video_destroy(it.outgoing);
    CHECK_EQ(state_of(sink, MSDK_KIND_VIDEO_RENDERER), MSDK_INSTANCE_CREATED);
    msdk_instance_destroy(sink);
    call_close(&it);
  }
}

static void eight_renderers_at_most(void) {
  call it = call_with_classes(MSDK_CODEC_RAW);
  msdk_instance *sinks[9];
  for (int i = 0; i < 9; i++) sinks[i] = instance_of(it.engine, "org.mediasdk.test.sink");
  for (int i = 0; i < 8; i++) CHECK_OK(msdk_incoming_video_attach_renderer(it.incoming, sinks[i], NULL));
  CHECK(msdk_incoming_video_attach_renderer(it.incoming, sinks[8], NULL) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "8");
  CHECK_OK(msdk_incoming_video_attach_renderer(it.incoming, sinks[0], NULL)); /* again: it has no view, as before */
  CHECK(msdk_outgoing_video_attach_renderer(it.outgoing, sinks[0], NULL) < 0); /* elsewhere, too */
  CHECK_OK(send_picture(it.sender, 0, 0, NULL));
  run_for(it.engine, 40 * MS);
  CHECK_EQ(atomic_load(&sight_sink.frames), 8);
  for (int i = 0; i < 9; i++) msdk_instance_destroy(sinks[i]);
  CHECK_EQ(engine_stats(it.engine).instances, 0);
  CHECK_OK(send_picture(it.sender, 0, 0, NULL));
  run_for(it.engine, 40 * MS);
  CHECK_EQ(atomic_load(&sight_sink.frames), 8);
  call_close(&it);
}

static void filters_form_a_chain(void) {
  call it = call_with_classes(MSDK_CODEC_RAW);
  msdk_instance *first = instance_of(it.engine, "org.mediasdk.test.filter"), *second = instance_of(it.engine, "org.mediasdk.test.filter");
  msdk_instance *sink = instance_of(it.engine, "org.mediasdk.test.sink");
  CHECK_OK(msdk_incoming_video_attach_renderer(it.incoming, first, NULL));
  CHECK_OK(msdk_instance_attach_renderer(first, second));
  CHECK_OK(msdk_instance_attach_renderer(second, sink));
  CHECK(msdk_instance_attach_renderer(second, first) < 0); /* a circle */
  CHECK(msdk_instance_attach_renderer(sink, first) < 0);   /* the sink makes nothing */
  CHECK(msdk_instance_attach_renderer(first, first) < 0);
  for (int i = 0; i < 6; i++) {
    CHECK_OK(send_picture(it.sender, (uint32_t)i, 50 + i, NULL));
    run_for(it.engine, 40 * MS);
  }
  CHECK_EQ(atomic_load(&sight_filter.frames), 12);
  CHECK_EQ(atomic_load(&sight_sink.frames), 6);
  CHECK_EQ(atomic_load(&sight_sink.last_timestamp), 55);
  CHECK_EQ(atomic_load(&sight_sink.first_byte), 40); /* turned over twice: as picture_draw begins */
  CHECK_OK(msdk_instance_detach_renderer(second, sink));
  CHECK_OK(send_picture(it.sender, 9, 0, NULL));
  run_for(it.engine, 40 * MS);
  CHECK_EQ(atomic_load(&sight_sink.frames), 6);
  CHECK_OK(msdk_instance_attach_renderer(second, sink));
  msdk_instance_destroy(second); /* the middle goes away */
  CHECK_OK(send_picture(it.sender, 9, 0, NULL));
  run_for(it.engine, 40 * MS);
  CHECK_EQ(atomic_load(&sight_sink.frames), 6);
  msdk_instance_destroy(first);
  msdk_instance_destroy(sink);
  CHECK_EQ(record_times("filter create"), record_times("filter destroy"));
  call_close(&it);
}

static void rendering_by_hand(void) {
  call it = call_with_classes(MSDK_CODEC_RAW);
  msdk_instance *sink = instance_of(it.engine, "org.mediasdk.test.sink");
  msdk_video_frame *out = NULL, *frame = picture_new(MSDK_PIXEL_I420, 33, 21, 0);
  CHECK_RESULT(msdk_instance_snapshot(sink, &out), MSDK_E_AGAIN); /* no picture yet */
  CHECK_OK(msdk_instance_set_param_text(sink, "accept", "bgra"));
  CHECK_OK(msdk_instance_render(sink, frame));
  CHECK_EQ(atomic_load(&sight_sink.frames), 1);
  CHECK_EQ(atomic_load(&sight_sink.last_pixel_format), MSDK_PIXEL_BGRA);
  CHECK_EQ(atomic_load(&sight_sink.last_width), 33);
  CHECK_OK(msdk_instance_snapshot(sink, &out));
  NEED(out != NULL);
  CHECK_EQ(out->format->pixel_format, MSDK_PIXEL_GRAY8);
  CHECK_EQ(out->format->width, 20);
  CHECK_EQ(row_of(out, 0, 9)[19], 99);
  CHECK_EQ(video_references(out), 1);
  msdk_video_frame_unref(out);
  CHECK_ERROR(msdk_instance_snapshot(sink, NULL), MSDK_E_INVALID, "out");
  CHECK_OK(msdk_instance_set_param_text(sink, "fail", "render"));
  CHECK_ERROR(msdk_instance_render(sink, frame), MSDK_E_DEVICE_LOST, "the test lets render fail");
  CHECK_OK(msdk_instance_set_param_text(sink, "fail", ""));
  CHECK_OK(msdk_instance_release(sink));
  CHECK_EQ(record_times("sink release"), 1);
  CHECK_EQ(state_of(sink, MSDK_KIND_VIDEO_RENDERER), MSDK_INSTANCE_CREATED);
  CHECK_OK(msdk_instance_render(sink, frame)); /* begins anew */
  CHECK_OK(msdk_incoming_video_attach_renderer(it.incoming, sink, NULL));
  CHECK(msdk_instance_render(sink, frame) < 0); /* attached: not by hand */
  CHECK_OK(msdk_instance_release(sink));
  CHECK_OK(msdk_instance_render(sink, frame));
  msdk_instance *filter = instance_of(it.engine, "org.mediasdk.test.filter");
  CHECK_RESULT(msdk_instance_snapshot(filter, &out), MSDK_E_UNSUPPORTED);
  msdk_video_frame_unref(frame);
  msdk_instance_destroy(filter);
  msdk_instance_destroy(sink);
  call_close(&it);
}

static void a_renderer_of_encoded_frames(void) {
  call it = call_with_classes(MSDK_CODEC_VP8);
  send_film(&it, 0, 5, 40 * MS, NULL);
  msdk_instance *codec = instance_of(it.engine, "org.mediasdk.test.codec");
  CHECK_OK(msdk_incoming_video_attach_renderer(it.incoming, codec, NULL));
  send_film(&it, 5, 10, 40 * MS, NULL);
  CHECK(atomic_load(&sight_codec.encoded) >= 8);
  CHECK(atomic_load(&sight_codec.first_encoded_is_key) != 0);
  CHECK_EQ(record_times("codec render"), 0);
  msdk_instance_destroy(codec);
  call_close(&it);
}

/* ---------------------------------------------------------------------------------------------- events and log of a class */

static msdk_result post_and_render(msdk_self *self, const msdk_video_frame *frame) {
  (void)frame;
  self->host->log(self->context, MSDK_LOG_INFO, "about to post");
  self->host->post_event(self->context, MSDK_PLUGIN_EVENT_USER + 5, MSDK_E_IO, &(msdk_value){.type = MSDK_T_STRING, .u.str = "paper jam"});
  self->host->post_event(self->context, MSDK_PLUGIN_EVENT_PARAM_CHANGED, MSDK_OK, &(msdk_value){.type = MSDK_T_STRING, .u.str = "level"});
  return MSDK_OK;
}
static const msdk_video_renderer posting_table = {RENDERER_BASE, .render_video_frame = post_and_render};
static const msdk_param posting_params[] = {
  {.struct_size = sizeof(msdk_param), .flags = MSDK_PARAM_READONLY, .name = "level", .def = MSDK_I32(0)}};
static const msdk_class posting_class = {
  .struct_size = sizeof(msdk_class), .id = "org.mediasdk.test.posting", .name = "posting", .create = create_sink, .destroy = self_destroy,
  .kinds = MSDK_KIND_VIDEO_RENDERER, .video_renderer = &posting_table, .params = posting_params, .param_count = 1};
static const msdk_class *const posting_list[] = {&posting_class};
static const msdk_module posting_module = {.struct_size = sizeof(msdk_module), .classes = posting_list, .class_count = MSDK_COUNT(posting_list)};

static atomic_int log_lines;
static void on_log(void *user, const msdk_log_record *record) {
  (void)user;
  atomic_fetch_add(&log_lines, strstr(record->text, "about to post") != NULL);
}

static void events_of_a_class_arrive(void) {
  call it = call_with_classes(MSDK_CODEC_RAW);
  CHECK_OK(msdk_engine_register_module(it.engine, &posting_module));
  CHECK_OK(msdk_engine_set_log_callback(it.engine, MSDK_LOG_INFO, on_log, NULL));
  msdk_instance *posting = instance_of(it.engine, "org.mediasdk.test.posting");
  CHECK_OK(msdk_incoming_video_attach_renderer(it.incoming, posting, NULL));
  CHECK_OK(send_picture(it.sender, 1, 0, NULL));
  run_for(it.engine, 40 * MS);
  int user = 0, param = 0;
  for (;;) {
    msdk_event event = MSDK_INIT(msdk_event);
    if (msdk_session_next_event(it.bob, 0, &event) < 0) break;
    if (event.type != MSDK_EVENT_PLUGIN) continue;
    CHECK(event.instance == posting);
    if (event.value == MSDK_PLUGIN_EVENT_USER + 5) {
      user++;
      CHECK_EQ(event.status, MSDK_E_IO);
      CHECK_STR_CONTAINS(event.text, "paper jam");
    }
    if (event.value == MSDK_PLUGIN_EVENT_PARAM_CHANGED) {
      param++;
      CHECK_STR_CONTAINS(event.text, "level");
    }
  }
  CHECK_EQ(user, 1);
  CHECK_EQ(param, 1);
  CHECK(atomic_load(&log_lines) >= 1);
  msdk_instance_destroy(posting);
  call_close(&it);
}

int main(int argc, char **argv) {
  RUN(frames_are_rendered);
  RUN(the_host_converts_to_what_is_accepted);
  RUN(a_renderer_that_accepts_nothing_is_reported);
  RUN(a_renderer_that_fails_is_reported_once);
  RUN(a_preview_sees_what_is_sent);
  RUN(eight_renderers_at_most);
  RUN(filters_form_a_chain);
  RUN(rendering_by_hand);
  RUN(a_renderer_of_encoded_frames);
  RUN(events_of_a_class_arrive);
  return check_finish();
}
