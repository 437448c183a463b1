/* types.h: what this version does not know is refused, and not ignored. Members past the known ones: test_struct_size.c. */
#include "sound.h"

static call it;

#define REFUSED(call, words) CHECK_ERROR(call, MSDK_E_UNSUPPORTED, words)

static void of_formats(void) {
  msdk_video_format good = format_of(MSDK_PIXEL_NV12, 320, 240, 15), bad = good;
  bad.content_hint = 99;
  REFUSED(msdk_video_limit_check(0, 0, &bad), "format.content_hint is 99");
  bad = good, bad.reserved0 = 0x123;
  REFUSED(msdk_video_limit_check(0, 0, &bad), "format.reserved0 is 291");
  bad = good, bad.reserved[8] = 1;
  REFUSED(msdk_video_limit_check(0, 0, &bad), "format.reserved is not 0");
  CHECK_OK(msdk_video_limit_check(0, 0, &good));
  msdk_audio_format sound = audio_format_of(MSDK_SAMPLE_S16, 48000, 1);
  msdk_audio_frame *frame = NULL;
  sound.reserved[0] = 1;
  REFUSED(msdk_audio_frame_create(&sound, 480, &frame), "format.reserved is not 0");
}

static void of_options(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 15);
  msdk_outgoing_video_options video = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  msdk_outgoing_video *stream = NULL;
  video.preset = 77;
  REFUSED(msdk_outgoing_video_create(it.engine, &video, &stream), "options.preset is 77");
  msdk_session_options session = MSDK_INIT(msdk_session_options);
  session.url = "loopback:unknown", session.user_id = "alice", session.capture_flags = 0x80;
  msdk_session *made = NULL;
  REFUSED(msdk_session_create(it.engine, &session, &made), "options.capture_flags is 128");
  session.capture_flags = 0, session.encrypt_frames = 7;
  REFUSED(msdk_session_create(it.engine, &session, &made), "options.encrypt_frames is 7");
  session.encrypt_frames = 0, session.encrypt_data = 2;
  REFUSED(msdk_session_create(it.engine, &session, &made), "options.encrypt_data is 2");
  msdk_room_options room = MSDK_INIT(msdk_room_options);
  room.permissions = 0x4000;
  REFUSED(msdk_room_configure(it.engine, "loopback:unknown", &room), "options.permissions is 16384");
  room.permissions = 0, room.reserved0 = 1;
  REFUSED(msdk_room_configure(it.engine, "loopback:unknown", &room), "options.reserved0 is 1");
}

static void of_frames(void) {
  const uint8_t silence[] = {0xF8, 0xFF, 0xFE};
  msdk_encoded_frame packet = MSDK_INIT(msdk_encoded_frame);
  packet.codec = MSDK_CODEC_OPUS, packet.data = silence, packet.size = sizeof silence, packet.flags = 0x100;
  msdk_encoded_frame *frame = NULL;
  REFUSED(msdk_encoded_frame_create(&packet, &frame), "source.flags is 256");
  packet.flags = 0, packet.orientation = 8;
  REFUSED(msdk_encoded_frame_create(&packet, &frame), "source.orientation is 8");
  packet.orientation = 0, packet.reserved0 = 1;
  REFUSED(msdk_encoded_frame_create(&packet, &frame), "source.reserved0 is 1");
}

/* What a program writes into a frame before it sends it. */
static void of_frames_that_are_sent(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 15);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  NEED(call_offer(&it, &options));
  msdk_video_frame *frame = NULL, *shown = NULL;
  NEED(CHECK_OK(msdk_frame_sender_acquire(it.sender, 0, &frame)));
  msdk_view view = MSDK_INIT(msdk_view);
  view.width = 64, view.height = 48;
  msdk_video_format wanted = format_of(MSDK_PIXEL_I420, 64, 48, 0);
  const uint32_t flags = frame->flags;
  frame->flags = flags | 16;
  REFUSED(msdk_frame_sender_send(it.sender, frame, 0, NULL, NULL), "frame->flags is");
  REFUSED(msdk_video_frame_convert(frame, &wanted, &shown), "frame->flags is");
  frame->flags = flags, frame->orientation = 8;
  REFUSED(msdk_frame_sender_send(it.sender, frame, 0, NULL, NULL), "frame->orientation is 8");
  REFUSED(msdk_video_frame_compose(frame, &view, &shown), "frame->orientation is 8");
  CHECK_EQ(outgoing_stats(it.outgoing).frames_offered, 0);
  frame->orientation = MSDK_ROTATE_270 | MSDK_MIRROR;
  frame->flags = flags | MSDK_FRAME_END | MSDK_FRAME_CORRUPT | MSDK_FRAME_DISCONTINUITY;
  CHECK_OK(msdk_frame_sender_send(it.sender, frame, 0, NULL, NULL));
  msdk_video_frame_unref(frame);

  const uint8_t silence[] = {0xF8, 0xFF, 0xFE};
  msdk_encoded_frame source = MSDK_INIT(msdk_encoded_frame), *packet = NULL;
  source.codec = MSDK_CODEC_OPUS, source.data = silence, source.size = sizeof silence;
  source.color_full_range = 2;
  REFUSED(msdk_encoded_frame_create(&source, &packet), "source.color_full_range is 2");
  source.color_full_range = 0;
  NEED(CHECK_OK(msdk_encoded_frame_create(&source, &packet)));
  msdk_outgoing_audio_options sound = MSDK_INIT(msdk_outgoing_audio_options);
  sound.codec = MSDK_CODEC_OPUS, sound.encoded_input = 1;
  msdk_outgoing_audio *stream = NULL;
  NEED(CHECK_OK(msdk_outgoing_audio_create(it.engine, &sound, &stream)));
  CHECK_OK(msdk_session_start_audio(it.alice, stream));
  packet->flags = 0x100;
  REFUSED(msdk_outgoing_audio_send_encoded(stream, packet, 0, 0, NULL, NULL), "frame->flags is 256");
  packet->flags = 0, packet->orientation = 8;
  REFUSED(msdk_outgoing_audio_send_encoded(stream, packet, 0, 0, NULL, NULL), "frame->orientation is 8");
  packet->orientation = 0, packet->color_full_range = 2;
  REFUSED(msdk_outgoing_audio_send_encoded(stream, packet, 0, 0, NULL, NULL), "frame->color_full_range is 2");
  packet->color_full_range = 0, packet->reserved0 = 1;
  REFUSED(msdk_outgoing_audio_send_encoded(stream, packet, 0, 0, NULL, NULL), "frame->reserved0 is 1");
  packet->reserved0 = 0;
  CHECK_OK(msdk_outgoing_audio_send_encoded(stream, packet, 0, 0, NULL, NULL));
  msdk_encoded_frame_unref(packet);
  msdk_outgoing_audio_destroy(stream);
}

static void of_values(void) {
  msdk_value value = MSDK_F64(0.5);
  value.reserved = 1;
  REFUSED(msdk_engine_set_codec_param(it.engine, "org.mediasdk.vp8", "x", &value), "reserved is 1");
}

int main(int argc, char **argv) {
  it = call_join(MSDK_CLOCK_VIRTUAL);
  RUN(of_formats);
  RUN(of_options);
  RUN(of_frames);
  RUN(of_frames_that_are_sent);
  RUN(of_values);
  call_close(&it);
  return check_finish();
}
