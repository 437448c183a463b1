/* outgoing_video.h: the limits, and what a stream may be made of. */
#include "call.h"

static msdk_engine *engine;

static const uint32_t conference[][3] = {{1920, 1080, 30}, {1280, 720, 30}, {960, 540, 30}, {858, 480, 30}, {640, 360, 30}, {640, 480, 30},
                                         {480, 270, 15},   {424, 320, 15},  {352, 240, 15}, {320, 240, 15}, {320, 180, 15}, {212, 160, 15}};
enum { CONFERENCE = sizeof conference / sizeof conference[0] };

static void the_lists_are_the_documented_ones(void) {
  int seen[CONFERENCE] = {0};
  msdk_video_limit limit = MSDK_INIT(msdk_video_limit);
  for (uint32_t index = 0; index < CONFERENCE; index++) {
    CHECK_OK(msdk_video_limit_at(MSDK_VIDEO_VIRTUAL, MSDK_LIMITS_CONFERENCE, index, &limit));
    for (int i = 0; i < CONFERENCE; i++) {
      seen[i] += limit.width == conference[i][0] && limit.height == conference[i][1] && limit.fps == conference[i][2];
    }
  }
  for (int i = 0; i < CONFERENCE; i++) CHECK_EQ(seen[i], 1);
  CHECK_RESULT(msdk_video_limit_at(MSDK_VIDEO_VIRTUAL, MSDK_LIMITS_CONFERENCE, CONFERENCE, &limit), MSDK_E_NOT_FOUND);
  CHECK_RESULT(msdk_video_limit_at(MSDK_VIDEO_VIRTUAL, MSDK_LIMITS_CONFERENCE, UINT32_MAX, &limit), MSDK_E_NOT_FOUND);
  CHECK_OK(msdk_video_limit_at(MSDK_VIDEO_VIRTUAL, MSDK_LIMITS_EXTENDED, 0, &limit));
  CHECK_EQ(limit.width, 3840);
  CHECK_EQ(limit.height, 2160);
  CHECK_EQ(limit.fps, 60);
  CHECK_RESULT(msdk_video_limit_at(MSDK_VIDEO_VIRTUAL, MSDK_LIMITS_EXTENDED, 1, &limit), MSDK_E_NOT_FOUND);
  CHECK(msdk_video_limit_at(99, MSDK_LIMITS_CONFERENCE, 0, &limit) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "kind");
  CHECK(msdk_video_limit_at(MSDK_VIDEO_VIRTUAL, 99, 0, &limit) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "limits");
  CHECK_ERROR(msdk_video_limit_at(MSDK_VIDEO_VIRTUAL, 0, 0, NULL), MSDK_E_INVALID, "out");
}

static msdk_result check_rate(uint32_t limits, uint32_t width, uint32_t height, uint32_t num, uint32_t den) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, width, height, num);
  format.fps_den = den;
  return msdk_video_limit_check(MSDK_VIDEO_VIRTUAL, limits, &format);
}

static void the_conference_limits_hold(void) {
  for (int i = 0; i < CONFERENCE; i++) {
    uint32_t width = conference[i][0], height = conference[i][1], fps = conference[i][2];
    CHECK_OK(check_rate(MSDK_LIMITS_CONFERENCE, width, height, fps, 1));
    CHECK_OK(check_rate(MSDK_LIMITS_CONFERENCE, width, height, 1, 1));
    CHECK_OK(check_rate(MSDK_LIMITS_CONFERENCE, width, height, fps * 1000, 1001));
    char words[16];
    snprintf(words, sizeof words, "%u", fps);
    CHECK_ERROR(check_rate(MSDK_LIMITS_CONFERENCE, width, height, fps + 1, 1), MSDK_E_LIMIT, words);
    CHECK_RESULT(check_rate(MSDK_LIMITS_CONFERENCE, width, height, fps * 1000 + 1, 1000), MSDK_E_LIMIT);
    CHECK_RESULT(check_rate(MSDK_LIMITS_CONFERENCE, height, width, fps, 1), MSDK_E_LIMIT);
  }
  CHECK_ERROR(check_rate(MSDK_LIMITS_CONFERENCE, 641, 480, 15, 1), MSDK_E_LIMIT, "641x480");
  CHECK_RESULT(check_rate(MSDK_LIMITS_CONFERENCE, 3840, 2160, 15, 1), MSDK_E_LIMIT);
}

static void the_extended_limits_hold(void) {
  CHECK_OK(check_rate(MSDK_LIMITS_EXTENDED, 3840, 2160, 60, 1));
  CHECK_OK(check_rate(MSDK_LIMITS_EXTENDED, 1, 1, 1, 1));
  CHECK_OK(check_rate(MSDK_LIMITS_EXTENDED, 641, 361, 60000, 1001));
  CHECK_ERROR(check_rate(MSDK_LIMITS_EXTENDED, 3841, 2160, 60, 1), MSDK_E_LIMIT, "3840");
  CHECK_ERROR(check_rate(MSDK_LIMITS_EXTENDED, 3840, 2161, 60, 1), MSDK_E_LIMIT, "2160");
  CHECK_ERROR(check_rate(MSDK_LIMITS_EXTENDED, 640, 480, 61, 1), MSDK_E_LIMIT, "60");
  CHECK_RESULT(check_rate(MSDK_LIMITS_EXTENDED, 640, 480, UINT32_MAX, 1), MSDK_E_LIMIT);
  CHECK_OK(check_rate(MSDK_LIMITS_EXTENDED, 640, 480, UINT32_MAX, UINT32_MAX));
}

static void formats_that_are_none(void) {
  CHECK(check_rate(MSDK_LIMITS_EXTENDED, 0, 480, 30, 1) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "width");
  CHECK(check_rate(MSDK_LIMITS_EXTENDED, 640, 0, 30, 1) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "height");
  CHECK(check_rate(MSDK_LIMITS_EXTENDED, 640, 480, 30, 0) < 0);
  CHECK_ERROR(msdk_video_limit_check(MSDK_VIDEO_VIRTUAL, MSDK_LIMITS_EXTENDED, NULL), MSDK_E_INVALID, "format");
  msdk_video_format format = format_of(0, 640, 480, 30);
  CHECK(msdk_video_limit_check(MSDK_VIDEO_VIRTUAL, MSDK_LIMITS_EXTENDED, &format) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "pixel");
}

static msdk_result create(const msdk_outgoing_video_options *options) {
  msdk_outgoing_video *stream = NULL;
  msdk_result result = msdk_outgoing_video_create(engine, options, &stream);
  CHECK((stream != NULL) == (result >= 0));
  msdk_outgoing_video_destroy(stream);
  return result;
}

static void one_bad_format_refuses_the_stream(void) {
  msdk_video_format formats[3] = {format_of(MSDK_PIXEL_NV12, 640, 480, 30), format_of(MSDK_PIXEL_NV12, 1280, 720, 30),
                                  format_of(MSDK_PIXEL_NV12, 320, 240, 15)};
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, formats, 3);
  options.limits = MSDK_LIMITS_CONFERENCE;
  CHECK_OK(create(&options));
  formats[2].width = 322;
  CHECK_ERROR(create(&options), MSDK_E_LIMIT, "322x240");
  CHECK_STR_CONTAINS(msdk_last_error(), "formats[2]");
  options.limits = MSDK_LIMITS_EXTENDED;
  CHECK_OK(create(&options));
  formats[1].pixel_format = MSDK_PIXEL_BGRA;
  CHECK_OK(create(&options)); /* raw: any pixel format */
  options.codec = MSDK_CODEC_VP8;
  CHECK_OK(create(&options)); /* converted */
  formats[0].fps_num = 0;
  CHECK_ERROR(create(&options), MSDK_E_RANGE, "formats[0] has the frame rate 0");
  formats[0].fps_den = 0;
  CHECK_ERROR(create(&options), MSDK_E_RANGE, "formats[0] has the frame rate 0");
  formats[0].fps_num = 30;
  CHECK_ERROR(create(&options), MSDK_E_RANGE, "formats[0]'s frame rate is 30/0");
  CHECK_RESULT(msdk_video_limit_check(0, MSDK_LIMITS_EXTENDED, &formats[0]), MSDK_E_RANGE);
  formats[0].fps_den = 1;
  formats[0].reserved0 = 1;
  CHECK(create(&options) < 0);
}

#define REFUSED(member, value, word)              \
  do {                                            \
    msdk_outgoing_video_options bad = good;       \
    bad.member = (value);                         \
    CHECK(create(&bad) < 0);                      \
    CHECK_STR_CONTAINS(msdk_last_error(), word);  \
  } while (0)

static void bad_options_are_named(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 15);
  msdk_outgoing_video_options good = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  msdk_outgoing_video *stream = NULL;
  CHECK_OK(create(&good));
  CHECK_ERROR(msdk_outgoing_video_create(engine, NULL, &stream), MSDK_E_INVALID, "options");
  CHECK_ERROR(msdk_outgoing_video_create(engine, &good, NULL), MSDK_E_INVALID, "out");
  REFUSED(kind, 3, "kind");
  REFUSED(limits, 2, "limits");
  REFUSED(codec, 0x31637661, "codec");
  REFUSED(formats, NULL, "formats");
  REFUSED(format_count, 0, "format_count");
  REFUSED(format_count, 65, "64");
  REFUSED(format_count, UINT32_MAX, "format_count");
  REFUSED(preset, 4, "preset");
  REFUSED(queue_policy, 3, "queue_policy");
  REFUSED(queue_capacity, 17, "queue_capacity");
  REFUSED(encoded_input, 2, "encoded_input");
  REFUSED(most_layers, 4, "most_layers");
  REFUSED(encoder_threads, 9, "encoder_threads");
  REFUSED(report_capacity, 4097, "report_capacity");
  REFUSED(min_bitrate, 999, "min");
  REFUSED(max_bitrate, 100000001, "max");
  REFUSED(target_bitrate, UINT64_MAX, "target");
  msdk_outgoing_video_options bad = good;
  bad.target_bitrate = 100000;
  bad.min_bitrate = 200000;
  CHECK(create(&bad) < 0);
  bad.min_bitrate = 50000;
  bad.max_bitrate = 60000;
  CHECK(create(&bad) < 0);
  bad = good;
  bad.codec = MSDK_CODEC_RAW;
  bad.encoded_input = 1;
  CHECK(create(&bad) < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "encoded_input");
}

static void live_steering_checks_its_numbers(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 15);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  msdk_outgoing_video *stream = NULL;
  CHECK_OK(msdk_outgoing_video_create(engine, &options, &stream));
  CHECK_OK(msdk_outgoing_video_set_bitrate(stream, 0, 0, 0));
  CHECK_OK(msdk_outgoing_video_set_bitrate(stream, 1000, 1000, 1000));
  CHECK_OK(msdk_outgoing_video_set_bitrate(stream, 100000000, 1000, 100000000));
  CHECK_ERROR(msdk_outgoing_video_set_bitrate(stream, 500000, 999, 600000), MSDK_E_RANGE, "min");
  CHECK_ERROR(msdk_outgoing_video_set_bitrate(stream, 500000, 1000, 100000001), MSDK_E_RANGE, "max");
  CHECK_RESULT(msdk_outgoing_video_set_bitrate(stream, 500000, 600000, 700000), MSDK_E_RANGE);
  CHECK_RESULT(msdk_outgoing_video_set_bitrate(stream, 800000, 600000, 700000), MSDK_E_RANGE);
  CHECK_RESULT(msdk_outgoing_video_set_bitrate(stream, UINT64_MAX, UINT64_MAX, UINT64_MAX), MSDK_E_RANGE);
  CHECK_OK(msdk_outgoing_video_set_frame_rate(stream, 15, 1));
  CHECK_OK(msdk_outgoing_video_set_frame_rate(stream, 1, 10));
  CHECK_OK(msdk_outgoing_video_set_frame_rate(stream, 0, 0));
  CHECK_RESULT(msdk_outgoing_video_set_frame_rate(stream, 16, 1), MSDK_E_RANGE);
  CHECK_RESULT(msdk_outgoing_video_set_frame_rate(stream, UINT32_MAX, 1), MSDK_E_RANGE);
  CHECK(msdk_outgoing_video_set_frame_rate(stream, 15, 0) < 0);
  CHECK_OK(msdk_outgoing_video_request_key_frame(stream));
  msdk_outgoing_video_destroy(stream);
}

int main(int argc, char **argv) {
  engine = engine_new(MSDK_CLOCK_VIRTUAL);
  RUN(the_lists_are_the_documented_ones);
  RUN(the_conference_limits_hold);
  RUN(the_extended_limits_hold);
  RUN(formats_that_are_none);
  RUN(one_bad_format_refuses_the_stream);
  RUN(bad_options_are_named);
  RUN(live_steering_checks_its_numbers);
  msdk_engine_destroy(engine);
  return check_finish();
}
