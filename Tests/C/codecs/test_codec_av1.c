/* AV1 by the shipped plugin, end to end: pictures, key frames, losses, encoded frames out and in, a shared screen. */
#include "vp8_film.h"

static msdk_engine *with_av1(msdk_engine *engine) {
  char path[1024];
  const char *folder = getenv("MSDK_PLUGIN_DIR");
  snprintf(path, sizeof path, "%s/av1.so", folder != NULL ? folder : "");
  CHECK_OK(msdk_engine_load_plugin(engine, path));
  return engine;
}

/* A call whose members know the plugin when they connect. */
static call av1_call(const msdk_video_format *format, msdk_outgoing_video_options *options, const msdk_incoming_video_options *receive) {
  call it = {.engine = with_av1(engine_new(MSDK_CLOCK_VIRTUAL))};
  snprintf(it.url, sizeof it.url, "%s", room_new());
  it.alice = join(it.engine, it.url, "alice");
  it.bob = join(it.engine, it.url, "bob");
  *options = outgoing_options(MSDK_CODEC_AV1, format, 1);
  if (call_offer(&it, options) && CHECK_OK(msdk_incoming_video_start(it.incoming, receive))) run_for(it.engine, 10 * MS);
  return it;
}

static void pictures_survive(void) {
  static const uint32_t sizes[][2] = {{320, 180}, {161, 91}, {16, 16}};
  for (int i = 0; i < 3; i++) {
    film it = film_of(sizes[i][0], sizes[i][1]);
    msdk_video_format format = format_of(MSDK_PIXEL_NV12, it.width, it.height, FILM_FPS);
    msdk_outgoing_video_options options;
    call through = av1_call(&format, &options, NULL);
    outcomes counted = {0};
    film_play(&it, &through, 10, &counted);
    CHECK_EQ(atomic_load(&counted.key_frames), 1);
    CHECK_OK(msdk_incoming_video_request_key_frame(through.incoming));
    film_play(&it, &through, 5, &counted);
    CHECK_EQ(atomic_load(&counted.key_frames), 2);
    CHECK_EQ(it.received, 15);
    CHECK_EQ(it.unknown + it.discontinuities, 0);
    if (!CHECK_RANGE(it.sum_psnr / it.received, 28, 100)) fprintf(stderr, "  at %ux%u\n", it.width, it.height);
    CHECK_EQ(outgoing_stats(through.outgoing).codec, MSDK_CODEC_AV1);
    call_close(&through);
  }
}

static void losses_are_mended_by_key_frames(void) {
  film it = film_of(320, 180);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, it.width, it.height, FILM_FPS);
  msdk_outgoing_video_options options;
  call through = av1_call(&format, &options, NULL);
  msdk_network_step step = network_step(0, 0);
  step.loss_ppm = 50000;
  step.delay_ns = 20 * MS;
  CHECK_OK(network_set(through.engine, through.url, &step, 1, 7));
  film_play(&it, &through, 200, NULL);
  msdk_incoming_video_stats stats = incoming_stats(through.incoming);
  CHECK(stats.frames_lost > 0);
  CHECK(stats.key_frames_decoded > 1);
  CHECK(it.discontinuities > 0);
  CHECK_EQ(stats.frames_corrupt, 0);
  CHECK(it.received > 60);
  CHECK_EQ(it.unknown, 0);
  CHECK_RANGE(it.worst_psnr, 20, 100); /* nothing damaged is shown */
  call_close(&through);
}

/* What comes out encoded goes in again, and is decoded. */
static void encoded_goes_out_and_in(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_I420, 320, 180, FILM_FPS);
  msdk_incoming_video_options receive = MSDK_INIT(msdk_incoming_video_options);
  receive.output = MSDK_OUTPUT_ENCODED;
  msdk_outgoing_video_options options;
  call it = av1_call(&format, &options, &receive);
  msdk_encoded_frame *packets[5] = {0};
  for (uint32_t n = 0; n < 5; n++) {
    CHECK_OK(send_picture(it.sender, n, 0, NULL));
    run_for(it.engine, SECOND / FILM_FPS);
    CHECK_OK(msdk_incoming_video_read_encoded(it.incoming, 0, &packets[n]));
    NEED(packets[n] != NULL);
  }
  CHECK_OK(msdk_session_stop_video(it.alice, it.outgoing));
  msdk_outgoing_video_destroy(it.outgoing);
  options.encoded_input = 1;
  NEED(call_offer(&it, &options));
  CHECK_OK(msdk_incoming_video_start(it.incoming, NULL));
  run_for(it.engine, 10 * MS);
  for (uint32_t n = 0; n < 5; n++) {
    msdk_encoded_frame attributes = MSDK_INIT(msdk_encoded_frame), *made = NULL;
    attributes.codec = MSDK_CODEC_AV1;
    attributes.data = packets[n]->data;
    attributes.size = packets[n]->size;
    CHECK_OK(msdk_encoded_frame_create(&attributes, &made));
    NEED(made != NULL);
    CHECK_EQ(made->flags & MSDK_ENCODED_KEY, n == 0 ? MSDK_ENCODED_KEY : 0);
    CHECK_EQ(made->width, n == 0 ? 320 : 0);
    made->width = 320;
    made->height = 180;
    CHECK_OK(msdk_frame_sender_send_encoded(it.sender, made, 0, NULL, NULL));
    msdk_encoded_frame_unref(made);
    msdk_encoded_frame_unref(packets[n]);
    run_for(it.engine, SECOND / FILM_FPS);
    msdk_video_frame *frame = frame_wait(&it), *original = picture_new(MSDK_PIXEL_I420, 320, 180, n);
    NEED(frame != NULL);
    CHECK_RANGE(picture_psnr(frame, original), 26, 100);
    msdk_video_frame_unref(frame);
    msdk_video_frame_unref(original);
  }
  msdk_encoded_frame attributes = MSDK_INIT(msdk_encoded_frame), *made = NULL;
  attributes.codec = MSDK_CODEC_AV1;
  attributes.data = (const uint8_t *)"\x12\x00\x0a";
  attributes.size = 3;
  CHECK_ERROR(msdk_encoded_frame_create(&attributes, &made), MSDK_E_CORRUPT, "org.mediasdk.av1");
  call_close(&it);
}

/* A screen that stands is sent until text is sharp, and then no more. */
static void a_screen_comes_to_rest(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 640, 480, 15);
  call it = {.engine = with_av1(engine_new(MSDK_CLOCK_VIRTUAL))};
  snprintf(it.url, sizeof it.url, "%s", room_new());
  it.alice = join(it.engine, it.url, "alice");
  it.bob = join(it.engine, it.url, "bob");
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_AV1, &format, 1);
  options.kind = MSDK_VIDEO_SCREEN_SHARE;
  options.target_bitrate = 60000;
  NEED(call_offer(&it, &options));
  CHECK_OK(msdk_incoming_video_start(it.incoming, NULL));
  run_for(it.engine, 10 * MS);
  msdk_video_frame *page = NULL;
  CHECK_OK(msdk_frame_sender_acquire(it.sender, 0, &page));
  NEED(page != NULL);
  picture_draw(page, 3);
  CHECK_OK(msdk_frame_sender_send(it.sender, page, 0, NULL, NULL));
  msdk_video_frame_unref(page);
  run_for(it.engine, 8 * SECOND);
  msdk_outgoing_video_stats stats = outgoing_stats(it.outgoing);
  CHECK_RANGE(stats.frames_repeated, 1, 100);
  run_for(it.engine, 8 * SECOND);
  CHECK_EQ(outgoing_stats(it.outgoing).frames_repeated, stats.frames_repeated);
  CHECK_EQ(outgoing_stats(it.outgoing).bytes_sent, stats.bytes_sent);
  CHECK(incoming_stats(it.incoming).frames_decoded >= 2);
  call_close(&it);
}

int main(int argc, char **argv) {
  RUN(pictures_survive);
  RUN(losses_are_mended_by_key_frames);
  RUN(encoded_goes_out_and_in);
  RUN(a_screen_comes_to_rest);
  return check_finish();
}
