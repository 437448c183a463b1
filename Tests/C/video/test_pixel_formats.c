/* Any pixel format on any road: what a program or a producer makes is converted for the encoder, and everybody before the encoder sees the
 * declared format. */
#include "sending.h"
#include "test_classes.h"

/* Picture number `index` in a pixel format, converted from an I420 one, so that all formats show the same. */
static msdk_video_frame *same_picture(uint32_t pixel_format, uint32_t index) {
  msdk_video_frame *source = picture_new(MSDK_PIXEL_I420, 320, 240, index), *frame = NULL;
  msdk_video_format wanted = format_of(pixel_format, 320, 240, 30);
  CHECK_OK(msdk_video_frame_convert(source, &wanted, &frame));
  msdk_video_frame_unref(source);
  return frame;
}

/* What bob decodes is picture number `index`, in BT.601 of limited range. */
static void check_seen(call *it, uint32_t index) {
  msdk_video_frame *seen = frame_wait(it), *sent = picture_new(MSDK_PIXEL_I420, 320, 240, index);
  if (CHECK(seen != NULL && sent != NULL)) {
    CHECK_EQ(seen->format->pixel_format, MSDK_PIXEL_I420);
    CHECK_RANGE((int)picture_psnr(seen, sent), 28, 99);
    CHECK(seen->format->color_full_range == 0 && (seen->format->color_matrix == MSDK_MATRIX_SMPTE170M || seen->format->color_matrix == 2));
  }
  msdk_video_frame_unref(seen);
  msdk_video_frame_unref(sent);
}

/* More frames than the stream's own pools hold, so that they go round. */
static void a_program_sends_any(void) {
  for (int i = 0; i < PIXEL_FORMATS; i++) {
    msdk_video_format format = format_of(pixel_formats[i], 320, 240, 30);
    msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
    call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
    CHECK_EQ(it.format.pixel_format, pixel_formats[i]);
    CHECK_OK(msdk_engine_register_module(it.engine, &test_module));
    msdk_instance *preview = instance_of(it.engine, "org.mediasdk.test.sink");
    CHECK_OK(msdk_outgoing_video_attach_renderer(it.outgoing, preview, NULL));
    outcomes counted = {0};
    for (uint32_t n = 0; n < 20; n++) {
      msdk_video_frame *frame = same_picture(pixel_formats[i], n);
      CHECK_OK(msdk_frame_sender_send(it.sender, frame, 0, on_report, &counted));
      run_for(it.engine, SECOND / 30);
      msdk_video_frame_unref(frame);
      check_seen(&it, n);
    }
    CHECK_EQ(counted.by_outcome[MSDK_OUTCOME_ENCODED], 20);
    CHECK_EQ(atomic_load(&sight_sink.last_pixel_format), pixel_formats[i]);
    check_outcomes_add_up(it.outgoing);
    msdk_instance_destroy(preview);
    call_close(&it);
  }
}

/* A stream whose formats are of several pixel formats changes between them. */
static void a_change_of_format_changes_the_conversion(void) {
  msdk_video_format formats[2] = {format_of(MSDK_PIXEL_BGRA, 640, 360, 30), format_of(MSDK_PIXEL_RGB24, 320, 240, 30)};
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, formats, 2);
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  CHECK_EQ(it.format.pixel_format, MSDK_PIXEL_BGRA);
  CHECK_OK(send_picture(it.sender, 1, 0, NULL));
  msdk_video_frame *seen = frame_wait(&it);
  if (CHECK(seen != NULL)) CHECK_EQ(seen->format->width, 640);
  msdk_video_frame_unref(seen);
  msdk_network_step narrow = network_step(0, 120000);
  CHECK_OK(network_set(it.engine, it.url, &narrow, 1, 1));
  msdk_event event;
  if (CHECK(event_wait(it.engine, it.alice, MSDK_EVENT_FRAME_SENDER_CHANGED, &event))) {
    CHECK_EQ(event.format.pixel_format, MSDK_PIXEL_RGB24);
    CHECK_OK(send_picture(event.sender, 2, 0, NULL));
    seen = frame_wait(&it);
    if (CHECK(seen != NULL)) CHECK_EQ(seen->format->width, 320);
    msdk_video_frame_unref(seen);
  }
  call_close(&it);
}

/* ---------------------------------------------------------------------------------------------------- a camera of another format */

static msdk_result camera_settings(msdk_self *self, msdk_video_format *out) {
  *out = self_format(self, 0);
  out->pixel_format = MSDK_PIXEL_BGRA;
  return MSDK_OK;
}
static msdk_result camera_formats(msdk_self *self, uint32_t index, msdk_video_format *out) {
  return index == 0 ? camera_settings(self, out) : MSDK_E_NOT_FOUND;
}
static msdk_result camera_set_format(msdk_self *self, const msdk_video_format *format) {
  if (format->pixel_format != MSDK_PIXEL_BGRA || format->width != self->width) return MSDK_E_FORMAT;
  self->format = *format;
  return MSDK_OK;
}
static msdk_result camera_produce(msdk_self *self, int64_t due_ns, msdk_video_frame **out) {
  (void)due_ns;
  msdk_result result = self->host->video_frame_acquire(self->context, &self->format, 0, out);
  if (result >= 0) picture_fill(*out, 130);
  return result;
}
static const msdk_video_producer camera_table = {
  .struct_size = sizeof(msdk_video_producer), .flags = MSDK_PRODUCER_PULL, .init_capture = capture_init, .release_capture = capture_release,
  .start_capture = capture_start, .stop_capture = capture_stop, .capture_settings = camera_settings, .enum_formats = camera_formats,
  .set_format = camera_set_format, .produce_frame = camera_produce};
CREATOR(camera)
static const msdk_class camera_class = {
  CLASS_BASE(camera, test_params), .kinds = MSDK_KIND_VIDEO_PRODUCER, .video_producer = &camera_table};
static const msdk_class *const camera_class_list[] = {&camera_class};
static const msdk_module camera_module = {
  .struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .vendor = "the tests", .class_count = MSDK_COUNT(camera_class_list), .classes = camera_class_list};

/* It makes BGRA only, and is the producer of a virtual stream of any other pixel format, encoded or raw. */
static void a_camera_may_be_of_another(void) {
  for (int i = 0; i < PIXEL_FORMATS; i++) {
    for (int raw = 0; raw < 2; raw++) {
      msdk_video_format format = format_of(pixel_formats[i], 64, 48, 30);
      msdk_outgoing_video_options options = outgoing_options(raw ? MSDK_CODEC_RAW : MSDK_CODEC_VP8, &format, 1);
      call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
      CHECK_OK(msdk_engine_register_module(it.engine, &camera_module));
      msdk_instance *camera = instance_of(it.engine, "org.mediasdk.test.camera");
      CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, camera));
      for (int n = 0; n < 10; n++) {
        msdk_video_frame *seen = frame_wait(&it);
        if (!CHECK(seen != NULL)) break;
        CHECK_EQ(seen->format->pixel_format, raw ? pixel_formats[i] : MSDK_PIXEL_I420);
        /* Grey of 130 is luma 128 in limited range; grey alone, GRAY8, is full range, and stays so when it is encoded. */
        int stays = planes_of(seen->format->pixel_format) == 1 || seen->format->color_full_range;
        int alpha_first = seen->format->pixel_format == MSDK_PIXEL_ARGB || seen->format->pixel_format == MSDK_PIXEL_ABGR;
        CHECK_RANGE(row_of(seen, 0, 0)[alpha_first], stays ? 129 : 127, stays ? 131 : 129);
        CHECK_EQ(seen->format->color_full_range, pixel_formats[i] == MSDK_PIXEL_GRAY8);
        msdk_video_frame_unref(seen);
      }
      check_outcomes_add_up(it.outgoing);
      CHECK_OK(msdk_outgoing_video_detach_producer(it.outgoing));
      msdk_instance_destroy(camera);
      call_close(&it);
    }
  }
}

/* A size that it does not make stays a refusal, which is heard. */
static void another_size_is_refused(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  CHECK_OK(msdk_engine_register_module(it.engine, &camera_module));
  msdk_instance *camera = instance_of(it.engine, "org.mediasdk.test.camera");
  CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, camera));
  msdk_event event;
  if (CHECK(event_wait(it.engine, it.alice, MSDK_EVENT_PLUGIN, &event))) {
    CHECK_EQ(event.value, MSDK_PLUGIN_EVENT_ERROR);
    CHECK_EQ(event.status, MSDK_E_FORMAT);
  }
  CHECK_EQ(outgoing_stats(it.outgoing).frames_offered, 0);
  msdk_instance_destroy(camera);
  call_close(&it);
}

/* Frames of all pixel formats that a receiver of raw frames holds cost the camera nothing but those frames. */
static void frames_that_are_held_stop_no_camera(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  CHECK_OK(msdk_engine_register_module(it.engine, &camera_module));
  msdk_instance *camera = instance_of(it.engine, "org.mediasdk.test.camera");
  CHECK_OK(msdk_outgoing_video_attach_producer(it.outgoing, camera));
  msdk_video_frame *held[40] = {0};
  int count = 0;
  for (int tries = 0; tries < 400 && count < 40; tries++) {
    if (msdk_incoming_video_read(it.incoming, 0, &held[count]) >= 0) count++;
    run_for(it.engine, 10 * MS);
  }
  CHECK_RANGE(count, 16, 40);
  for (int i = 0; i < count; i++) msdk_video_frame_unref(held[i]);
  for (int i = 0; i < 10; i++) {
    msdk_video_frame *seen = frame_wait(&it);
    CHECK(seen != NULL);
    msdk_video_frame_unref(seen);
  }
  msdk_instance_destroy(camera);
  call_close(&it);
}

int main(int argc, char **argv) {
  RUN(a_program_sends_any);
  RUN(a_change_of_format_changes_the_conversion);
  RUN(a_camera_may_be_of_another);
  RUN(another_size_is_refused);
  RUN(frames_that_are_held_stop_no_camera);
  return check_finish();
}
