/* frame.h: a frame whose public struct is not as the SDK made it is refused before anything of it is touched. */
#include "ivf.h"
#include "sending.h"
#include "sound.h"

#include <sys/mman.h>

static call call_of(uint32_t codec) {
  msdk_video_format format = format_of(MSDK_PIXEL_I420, 64, 48, 30);
  msdk_outgoing_video_options options = outgoing_options(codec, &format, 1);
  return call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
}

/* What somebody may do to it. Each is undone by copying the struct back. */
enum { CHANGES = 14 };

static const char *change(msdk_video_frame *frame, int which) {
  static msdk_video_format other;
  switch (which) {
  case 0: frame->format = (const void *)16; return "format";
  case 1: frame->format = NULL; return "format";
  case 2: other = *frame->format; frame->format = &other; return "format";
  case 3: frame->plane[0].data = NULL; return "plane";
  case 4: frame->plane[1].data = (uint8_t *)16; return "plane";
  case 5: frame->plane[2].data += 64; return "plane";
  case 6: frame->plane[0].stride = 1 << 30; return "plane";
  case 7: frame->plane[0].stride = -64; return "plane";
  case 8: frame->plane[0].size = 1; return "plane";
  case 9: frame->plane[0].reserved0 = 1; return "plane";
  case 10: frame->plane[3].data = (uint8_t *)16; return "plane";
  case 11: frame->plane_count = 0; return "plane_count";
  case 12: frame->plane_count = UINT32_MAX; return "plane_count";
  default: frame->plane_count = 2; return "plane_count";
  }
}

static void changed_frames_are_refused_by(msdk_result (*use)(call *, msdk_video_frame *)) {
  static const uint32_t codecs[] = {MSDK_CODEC_RAW, MSDK_CODEC_VP8};
  for (int codec = 0; codec < 2; codec++) {
    call it = call_of(codecs[codec]);
    msdk_video_frame *frame = NULL;
    CHECK_OK(msdk_frame_sender_acquire(it.sender, 0, &frame));
    NEED(frame != NULL);
    picture_draw(frame, 1);
    const msdk_video_frame made = *frame;
    for (int which = 0; which < CHANGES; which++) {
      const char *word = change(frame, which);
      CHECK_ERROR(use(&it, frame), MSDK_E_INVALID, word);
      *frame = made;
    }
    /* The format it points to is not its maker's to change either. */
    msdk_video_format *format = (msdk_video_format *)(uintptr_t)frame->format;
    format->width = 16384;
    CHECK_ERROR(use(&it, frame), MSDK_E_INVALID, "format");
    format->width = 64;
    CHECK_EQ(outgoing_stats(it.outgoing).frames_offered, 0);
    CHECK_EQ(video_references(frame), 1);
    /* What a maker may say does not count as a change. */
    frame->timestamp_ns = 1;
    frame->duration_ns = 2;
    frame->orientation = MSDK_ROTATE_90;
    frame->flags |= MSDK_FRAME_DISCONTINUITY;
    CHECK_OK(use(&it, frame));
    CHECK_OK(msdk_video_frame_unref(frame));
    call_close(&it);
  }
}

static msdk_result send_it(call *it, msdk_video_frame *frame) { return msdk_frame_sender_send(it->sender, frame, 0, NULL, NULL); }

static msdk_result convert_it(call *it, msdk_video_frame *frame) {
  (void)it;
  msdk_video_format wanted = MSDK_INIT(msdk_video_format);
  wanted.pixel_format = MSDK_PIXEL_RGBA;
  msdk_video_frame *made = NULL;
  msdk_result result = msdk_video_frame_convert(frame, &wanted, &made);
  msdk_video_frame_unref(made);
  return result;
}

static msdk_result convert_from_it(call *it, msdk_video_frame *frame) {
  (void)it;
  msdk_video_frame *target = picture_new(MSDK_PIXEL_RGBA, 64, 48, 0);
  msdk_result result = msdk_video_frame_convert_into(frame, target);
  msdk_video_frame_unref(target);
  return result;
}

static msdk_result convert_into_it(call *it, msdk_video_frame *frame) {
  (void)it;
  msdk_video_frame *source = picture_new(MSDK_PIXEL_RGBA, 64, 48, 0);
  msdk_result result = msdk_video_frame_convert_into(source, frame);
  msdk_video_frame_unref(source);
  return result;
}

static void send_refuses_changed_frames(void) { changed_frames_are_refused_by(send_it); }
static void conversions_refuse_changed_frames(void) {
  changed_frames_are_refused_by(convert_it);
  changed_frames_are_refused_by(convert_from_it);
  changed_frames_are_refused_by(convert_into_it);
}

/* Also of memory that is the program's. */
static void send_refuses_changed_wrapped_frames(void) {
  call it = call_of(MSDK_CODEC_RAW);
  owned_picture picture;
  msdk_video_frame *frame = wrap_picture(&picture, &it.format, 0);
  NEED(frame != NULL);
  const msdk_video_frame made = *frame;
  for (int which = 0; which < CHANGES; which++) {
    const char *word = change(frame, which);
    CHECK_ERROR(send_it(&it, frame), MSDK_E_INVALID, word);
    *frame = made;
  }
  CHECK_OK(send_it(&it, frame));
  CHECK_OK(msdk_video_frame_unref(frame));
  call_close(&it);
  CHECK_EQ(atomic_load(&picture.released), 1);
}

static void send_refuses_changed_encoded_frames(void) {
  ivf_clip clip;
  NEED(ivf_open(&clip));
  msdk_video_format format = format_of(MSDK_PIXEL_I420, clip.width, clip.height, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  options.encoded_input = 1;
  call it = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  msdk_encoded_frame *frame = encoded_of(clip.frame[0].data, clip.frame[0].size, 0);
  NEED(frame != NULL);
  const msdk_encoded_frame made = *frame;
#define REFUSED(word, statement)                                                                                     \
  do {                                                                                                               \
    statement;                                                                                                       \
    CHECK_ERROR(msdk_frame_sender_send_encoded(it.sender, frame, 0, NULL, NULL), MSDK_E_INVALID, word);               \
    *frame = made;                                                                                                   \
  } while (0)
  REFUSED("data", frame->data = NULL);
  REFUSED("data", frame->data = (const uint8_t *)16);
  REFUSED("data", frame->data++);
  REFUSED("size", frame->size = 0);
  REFUSED("size", frame->size = UINT64_MAX);
  REFUSED("size", frame->size = (uint64_t)1 << 24);
  REFUSED("codec", frame->codec = MSDK_CODEC_AV1);
  REFUSED("flags", frame->flags ^= MSDK_ENCODED_KEY);
  REFUSED("width", frame->width = 16384);
  CHECK_OK(msdk_frame_sender_send_encoded(it.sender, frame, 5, NULL, NULL));
  msdk_encoded_frame_unref(frame);
  ivf_close(&clip);
  call_close(&it);
}

static void changed_buffers_of_sound_are_refused(void) {
  msdk_audio_format format = MSDK_INIT(msdk_audio_format);
  format.sample_format = MSDK_SAMPLE_S16;
  format.sample_rate = 48000;
  format.channels = 2;
  msdk_audio_frame *frame = NULL;
  int64_t sample = 0;
  CHECK_OK(msdk_audio_frame_create(&format, 480, &frame));
  NEED(frame != NULL);
  const msdk_audio_frame made = *frame;
  uint8_t *planes[1] = {NULL};
#undef REFUSED
#define REFUSED(word, statement)                                                             \
  do {                                                                                       \
    statement;                                                                               \
    CHECK_ERROR(msdk_audio_frame_get_position(frame, 0, &sample), MSDK_E_INVALID, word);          \
    *frame = made;                                                                           \
  } while (0)
  REFUSED("format", frame->format = NULL);
  REFUSED("format", frame->format = (const void *)16);
  REFUSED("planes", frame->planes = NULL);
  REFUSED("planes", frame->planes = planes);
  REFUSED("sample_count", frame->sample_count = UINT32_MAX);
  REFUSED("plane_count", frame->plane_count = 0);
  ((uint8_t **)(uintptr_t)frame->planes)[0] += 4;
  CHECK_ERROR(msdk_audio_frame_get_position(frame, 0, &sample), MSDK_E_INVALID, "planes[0]");
  ((uint8_t **)(uintptr_t)frame->planes)[0] -= 4;
  CHECK_OK(msdk_audio_frame_get_position(frame, 0, &sample));
  CHECK_OK(msdk_audio_frame_unref(frame));
}

int main(int argc, char **argv) {
  RUN(send_refuses_changed_frames);
  RUN(conversions_refuse_changed_frames);
  RUN(send_refuses_changed_wrapped_frames);
  RUN(send_refuses_changed_encoded_frames);
  RUN(changed_buffers_of_sound_are_refused);
  return check_finish();
}
