#define _XOPEN_SOURCE 700
#include "check.h"
#include "host.h"
#include "recorded.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vpx/vp8cx.h>
#include <vpx/vpx_encoder.h>

#define SECOND INT64_C(1000000000)
#define EPOCH INT64_C(7000000123) /* recordings need not begin at 0 */
enum { WIDTH = 160, HEIGHT = 96, FPS = 25, BUFFER = 960 };

static const msdk_class *class;
static const msdk_video_renderer *video;
static const msdk_audio_renderer *audio;

/* --------------------------------------------------------------------------------------------- a second has a flash and a beep */

static void create(host_instance *instance, const char *path, const char *tracks) {
  host_create(instance, class);
  CHECK_EQ(host_set_string(instance, "path", path), MSDK_OK);
  CHECK_EQ(host_set_string(instance, "tracks", tracks), MSDK_OK);
}

static void paint(msdk_video_frame *frame, int64_t n) {
  for (uint32_t i = 0; i < frame->plane_count; i++) {
    int value = i > 0 ? 128 : n % FPS == 0 && n > 0 ? 235 : 16 + (int)(n % 8);
    for (uint32_t row = 0; row < host_rows(frame->format, i); row++) {
      memset(frame->plane[i].data + (ptrdiff_t)row * frame->plane[i].stride, value, host_row_bytes(frame->format, i));
    }
  }
}

static msdk_result give_picture(host_instance *instance, const msdk_video_format *format, int64_t n, int64_t epoch) {
  msdk_video_frame *frame = host_frame(instance, format);
  paint(frame, n);
  frame->timestamp_ns = epoch + n * SECOND / FPS;
  msdk_result result = video->render_video_frame(instance->self, frame);
  host_unref(frame);
  return result;
}

static double beep_at(int64_t sample) {
  int64_t within = sample % RATE;
  return sample >= RATE && within < RATE / 25 ? 0.7 * cos((double)within * 2 * 3.14159265358979 * 1000 / RATE) : 0;
}

/* Buffer n of 20 ms, whose samples are those of the time from `position` on. */
static msdk_result give_sound_at(host_instance *instance, uint32_t channels, int64_t position, uint32_t count, int64_t timestamp_ns) {
  msdk_audio_format format = host_audio_format(MSDK_SAMPLE_F32, RATE, channels);
  msdk_audio_frame *frame = host_audio_frame(instance, &format, count);
  for (uint32_t i = 0; i < count * channels; i++) host_set_sample(frame, i, beep_at(position + i / channels));
  frame->timestamp_ns = timestamp_ns;
  msdk_result result = audio->render_audio_frame(instance->self, frame);
  host_audio_unref(frame);
  return result;
}

static msdk_result give_sound(host_instance *instance, uint32_t channels, int64_t n, int64_t epoch) {
  return give_sound_at(instance, channels, n * BUFFER, BUFFER, epoch + n * SECOND / 50);
}

static msdk_encoded_frame packet_of(const uint8_t *data, uint32_t size, int64_t timestamp_ns) {
  msdk_encoded_frame frame = MSDK_INIT(msdk_encoded_frame);
  frame.codec = MSDK_CODEC_OPUS;
  frame.data = data;
  frame.size = size;
  frame.timestamp_ns = timestamp_ns;
  frame.duration_ns = SECOND / 50;
  frame.sample_rate = RATE;
  frame.channels = 2;
  return frame;
}

/* Flashes and beeps of the file belong together, there are `count` of them, and the first is at `first` seconds. */
static void check_sync(const char *what, const char *path, int count, double first) {
  recorded read = read_recorded(path, 1, 1);
  double after = -1, worst = 0, off = 0;
  for (int i = 0; i < count; i++) {
    double flash = next_flash(&read, after), beep = next_beep(&read, flash - 0.3);
    CHECK(flash >= 0);
    CHECK(beep >= 0);
    if (fabs(flash - beep) > fabs(worst)) worst = beep - flash;
    if (fabs(flash - first - i) > off) off = fabs(flash - first - i);
    after = flash + 0.5;
  }
  CHECK(next_flash(&read, after) < 0);
  printf("%s: beep against flash at most %+.1f ms, flash against its time at most %.1f ms\n", what, worst * 1000, off * 1000);
  CHECK(fabs(worst) < 0.004);
  CHECK(off < 0.003);
  free_recorded(&read);
}

/* -------------------------------------------------------------------------------------------------------------- from raw media */

static void test_raw(void) {
  static const uint32_t formats[] = {MSDK_PIXEL_NV12, MSDK_PIXEL_I420};
  for (uint32_t round = 0; round < 2; round++) {
    const char *path = host_path("raw.webm");
    msdk_video_format format = host_format(formats[round], WIDTH + 3 * round, HEIGHT + round); /* odd, too */
    format.fps_num = FPS;
    host_instance instance;
    create(&instance, path, round == 0 ? "auto" : "both");
    CHECK_EQ(round == 0 ? video->init_render(instance.self) : audio->init_render(instance.self), MSDK_OK);
    CHECK_EQ(round == 0 ? audio->init_render(instance.self) : video->init_render(instance.self), MSDK_OK);
    CHECK_EQ(video->accepts_format(instance.self, &format), 1);
    msdk_audio_format settings = host_audio_format(MSDK_SAMPLE_S16, 44100, 1 + round);
    CHECK_EQ(audio->render_settings(instance.self, &settings), MSDK_OK);
    CHECK_EQ(settings.sample_format, MSDK_SAMPLE_F32);
    CHECK_EQ(settings.sample_rate, RATE);
    CHECK_EQ(settings.channels, 1 + round);
    CHECK_EQ(settings.frames_per_buffer, BUFFER);
    for (int64_t n = 0; n < 5 * FPS; n++) { /* in the second round pictures are captured half a second after the sound has begun */
      CHECK_EQ(give_sound(&instance, 1 + round, 2 * n, EPOCH), MSDK_OK);
      CHECK_EQ(give_sound(&instance, 1 + round, 2 * n + 1, EPOCH), MSDK_OK);
      if (round == 0 || n >= FPS / 2) CHECK_EQ(give_picture(&instance, &format, n, EPOCH), MSDK_OK);
      CHECK_EQ(instance.context.outstanding + instance.context.audio_outstanding, 0); /* nothing of the host's is kept */
    }
    CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
    CHECK_EQ(video->release_render(instance.self), MSDK_OK);
    CHECK_EQ(instance.context.errors, 0);
    host_destroy(&instance);
    check_sync(round == 0 ? "NV12 and mono" : "I420 and stereo, sound first", path, 4, 1);
    double duration = probe_duration(path);
    CHECK(duration > 4.95 && duration < 5.05);
    const char *streams = probe(path, "stream=codec_name,width,channels");
    CHECK_TEXT(streams, "codec_name=vp8");
    CHECK_TEXT(streams, "codec_name=opus");
    CHECK_TEXT(streams, round == 0 ? "width=160" : "width=163");
    CHECK_TEXT(streams, round == 0 ? "channels=1" : "channels=2");
    CHECK_TEXT(probe(path, "format=format_name"), "webm");
  }
}

/* ------------------------------------------------------------------------------------------------------- from encoded media */

enum { CLIP = 5 * FPS };

typedef struct vp8_clip {
  struct {
    uint8_t *data;
    size_t size;
    int key;
  } frames[CLIP];
} vp8_clip;

static void encode_clip(vp8_clip *clip, uint32_t width, uint32_t height) {
  host_instance helper;
  host_create(&helper, class);
  msdk_video_format format = host_format(MSDK_PIXEL_I420, width, height);
  vpx_codec_enc_cfg_t settings;
  vpx_codec_ctx_t encoder;
  vpx_codec_enc_config_default(vpx_codec_vp8_cx(), &settings, 0);
  settings.g_w = width;
  settings.g_h = height;
  settings.g_timebase = (vpx_rational_t){1, FPS};
  settings.g_lag_in_frames = 0;
  settings.rc_target_bitrate = 300;
  CHECK_EQ(vpx_codec_enc_init(&encoder, vpx_codec_vp8_cx(), &settings, 0), 0);
  for (int n = 0; n < CLIP; n++) {
    msdk_video_frame *frame = host_frame(&helper, &format);
    paint(frame, n);
    vpx_image_t image;
    vpx_img_wrap(&image, VPX_IMG_FMT_I420, width, height, 1, frame->plane[0].data);
    for (int i = 0; i < 3; i++) {
      image.planes[i] = frame->plane[i].data;
      image.stride[i] = frame->plane[i].stride;
    }
    CHECK_EQ(vpx_codec_encode(&encoder, &image, n, 1, n % 50 == 0 ? VPX_EFLAG_FORCE_KF : 0, VPX_DL_REALTIME), 0);
    vpx_codec_iter_t iterator = NULL;
    const vpx_codec_cx_pkt_t *packet = vpx_codec_get_cx_data(&encoder, &iterator);
    CHECK(packet != NULL);
    clip->frames[n].size = packet->data.frame.sz;
    clip->frames[n].data = malloc(packet->data.frame.sz);
    clip->frames[n].key = (packet->data.frame.flags & VPX_FRAME_IS_KEY) != 0;
    memcpy(clip->frames[n].data, packet->data.frame.buf, packet->data.frame.sz);
    host_unref(frame);
  }
  vpx_codec_destroy(&encoder);
  host_destroy(&helper);
}

static void free_clip(vp8_clip *clip) {
  for (int n = 0; n < CLIP; n++) free(clip->frames[n].data);
}

static msdk_result give_vp8(host_instance *instance, const vp8_clip *clip, int n, uint32_t width, uint32_t height, int64_t timestamp_ns) {
  msdk_encoded_frame frame = MSDK_INIT(msdk_encoded_frame);
  frame.codec = MSDK_CODEC_VP8;
  frame.flags = clip->frames[n].key ? MSDK_ENCODED_KEY : 0;
  frame.width = width;
  frame.height = height;
  uint8_t *copy = malloc(clip->frames[n].size); /* given back at once: what was kept must have been copied */
  memcpy(copy, clip->frames[n].data, clip->frames[n].size);
  frame.data = copy;
  frame.size = clip->frames[n].size;
  frame.timestamp_ns = timestamp_ns;
  msdk_result result = video->render_encoded_frame(instance->self, &frame);
  free(copy);
  return result;
}

/* The sound alone, as Ogg Opus: what lies in the file, and what it says of itself. */
static void test_ogg(ogg_file *ogg) {
  const char *path = host_path("sound.OPUS");
  host_instance instance;
  create(&instance, path, "auto");
  CHECK_EQ(video->init_render(instance.self), MSDK_E_INVALID);
  CHECK_TEXT(instance.context.error_text, ".webm");
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  for (int64_t n = 0; n < 250; n++) CHECK_EQ(give_sound(&instance, 2, n, EPOCH), MSDK_OK);
  CHECK_EQ(give_sound_at(&instance, 2, 250 * BUFFER, 500, EPOCH + 5 * SECOND), MSDK_OK); /* a short last one */
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
  read_ogg(path, ogg);
  CHECK(ogg->count >= 250 + 2);
  CHECK_EQ(memcmp(ogg->packets[0].data, "OpusHead\1\2", 10), 0);
  CHECK_EQ(ogg->packets[0].data[10] + 256 * ogg->packets[0].data[11], 312);
  CHECK_EQ(memcmp(ogg->packets[1].data, "OpusTags", 8), 0);
  CHECK_EQ(ogg->last_granule, 250 * BUFFER + 500 + 312); /* RFC 7845, section 4.3: with the samples that are left out at the start */
  CHECK_EQ(ogg->first_granule % BUFFER, 0);
  recorded read = read_recorded(path, 0, 1);
  CHECK_EQ(read.samples, 250 * BUFFER + 500);
  double worst = 0;
  for (int i = 1; i < 5; i++) {
    double off = next_beep(&read, i - 0.3) - i;
    if (fabs(off) > fabs(worst)) worst = off;
  }
  printf("Ogg: beep against its time at most %+.1f ms\n", worst * 1000);
  CHECK(fabs(worst) < 0.004);
  CHECK(fabs(probe_duration(path) - (250.0 * BUFFER + 500) / RATE) < 0.01);
  free_recorded(&read);
}

/* The encoder's sound is late by 312 samples: a packet's first decoded sample is of so much before its first sample. */
static int64_t opus_time(int64_t n) { return EPOCH + n * SECOND / 50 - 312 * SECOND / RATE; }

static void test_pass_through(const ogg_file *ogg, const vp8_clip *clip) {
  const char *path = host_path("passed.webm");
  host_instance instance;
  create(&instance, path, "auto");
  CHECK_EQ(video->init_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  CHECK_EQ(video->accepts_codec(instance.self, MSDK_CODEC_VP8), 1);
  CHECK_EQ(video->accepts_codec(instance.self, MSDK_CODEC_OPUS), 0);
  CHECK_EQ(audio->accepts_codec(instance.self, MSDK_CODEC_OPUS), 1);
  CHECK_EQ(audio->accepts_codec(instance.self, MSDK_CODEC_VP8), 0);
  for (int n = 0; n < CLIP; n++) {
    CHECK_EQ(give_vp8(&instance, clip, n, WIDTH, HEIGHT, EPOCH + n * SECOND / FPS), MSDK_OK);
    for (uint32_t i = 2 * (uint32_t)n; i < 2 * (uint32_t)n + 2; i++) {
      if (i / 5 % 20 == 8) continue; /* a tenth of a second is lost in each two */
      msdk_encoded_frame packet = packet_of(ogg->packets[i + 2].data, ogg->packets[i + 2].size, opus_time(i));
      CHECK_EQ(audio->render_encoded_frame(instance.self, &packet), MSDK_OK);
    }
  }
  CHECK_EQ(video->release_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  CHECK_EQ(instance.context.errors, 0);
  host_destroy(&instance);
  check_sync("VP8 and Opus as they came", path, 4, 1.0065);

  /* Bit by bit what was given. */
  char command[1024];
  size_t size;
  snprintf(command, sizeof command, "ffmpeg -v error -i '%s' -map 0:v -c copy -f ivf -", path);
  uint8_t *ivf = output_of(command, &size);
  size_t at = 32;
  for (int n = 0; n < CLIP; n++) {
    int same = at + 12 + clip->frames[n].size <= size && memcmp(ivf + at + 12, clip->frames[n].data, clip->frames[n].size) == 0;
    CHECK(same);
    at += 12 + clip->frames[n].size;
  }
  CHECK_EQ(at, size);
  free(ivf);
  snprintf(command, sizeof command, "ffmpeg -v error -y -i '%s' -map 0:a -c copy '%s'", path, host_path("again.opus"));
  free(output_of(command, &size));
  static ogg_file again;
  read_ogg(host_path("again.opus"), &again);
  CHECK_EQ(again.count, 250 + 2);
  uint32_t same = 0, bridged = 0;
  for (uint32_t i = 2; i < again.count && i < 252; i++) {
    uint32_t length = ogg->packets[i].size;
    bridged += again.packets[i].size == 1;
    same += again.packets[i].size == length && memcmp(again.packets[i].data, ogg->packets[i].data, length) == 0;
  }
  CHECK_EQ(same, 250 - 15);
  CHECK_EQ(bridged, 15);
  free(again.bytes);
}

/* Both kinds of sources in one file, each way round. */
static void test_half_encoded(const ogg_file *ogg, const vp8_clip *clip) {
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, WIDTH, HEIGHT);
  for (int round = 0; round < 2; round++) {
    const char *path = host_path("half.webm");
    host_instance instance;
    create(&instance, path, "auto");
    CHECK_EQ(video->init_render(instance.self), MSDK_OK);
    CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
    for (int n = 0; n < CLIP; n++) {
      if (round == 0) CHECK_EQ(give_vp8(&instance, clip, n, WIDTH, HEIGHT, EPOCH + n * SECOND / FPS), MSDK_OK);
      else CHECK_EQ(give_picture(&instance, &format, n, EPOCH), MSDK_OK);
      for (uint32_t i = 2 * (uint32_t)n; i < 2 * (uint32_t)n + 2; i++) {
        msdk_encoded_frame packet = packet_of(ogg->packets[i + 2].data, ogg->packets[i + 2].size, opus_time(i));
        if (round == 0) CHECK_EQ(give_sound(&instance, 2, i, EPOCH), MSDK_OK);
        else CHECK_EQ(audio->render_encoded_frame(instance.self, &packet), MSDK_OK);
      }
    }
    CHECK_EQ(video->release_render(instance.self), MSDK_OK);
    CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
    host_destroy(&instance);
    check_sync(round == 0 ? "VP8 as it came, samples" : "pictures, Opus as it came", path, 4, round == 0 ? 1 : 1.0065);
  }
}

/* A real clip: its VP8 as it is, its sound encoded here; ffmpeg has nothing to complain of. */
static void test_bunny(void) {
  enum { HEADER = 78 }; /* of this WAV file: s16, stereo, 48 kHz */
  char command[1024];
  size_t size, wav_size;
  snprintf(command, sizeof command, "cat '%s/bunny-720p25.ivf'", getenv("MSDK_TEST_MEDIA"));
  uint8_t *ivf = output_of(command, &size);
  snprintf(command, sizeof command, "cat '%s/bunny-48k-stereo.wav'", getenv("MSDK_TEST_MEDIA"));
  uint8_t *wav = output_of(command, &wav_size);
  const char *path = host_path("bunny.webm");
  host_instance instance;
  create(&instance, path, "auto");
  CHECK_EQ(video->init_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  msdk_audio_format format = host_audio_format(MSDK_SAMPLE_F32, RATE, 2);
  uint32_t pictures = 0;
  for (size_t at = 32, sound_at = HEADER; at + 12 <= size; pictures++) {
    msdk_encoded_frame frame = MSDK_INIT(msdk_encoded_frame);
    uint32_t length;
    memcpy(&length, ivf + at, sizeof length);
    frame.codec = MSDK_CODEC_VP8;
    frame.data = ivf + at + 12;
    frame.size = length;
    frame.flags = (frame.data[0] & 1) == 0 ? MSDK_ENCODED_KEY : 0; /* RFC 6386, section 9.1 */
    frame.width = 1280;
    frame.height = 720;
    frame.timestamp_ns = EPOCH + pictures * SECOND / FPS;
    CHECK_EQ(video->render_encoded_frame(instance.self, &frame), MSDK_OK);
    at += 12 + length;
    for (int64_t n = 2 * pictures; n < 2 * pictures + 2 && sound_at + 4 * BUFFER <= wav_size; n++, sound_at += 4 * BUFFER) {
      msdk_audio_frame *buffer = host_audio_frame(&instance, &format, BUFFER);
      for (uint32_t i = 0; i < 2 * BUFFER; i++) {
        int16_t sample;
        memcpy(&sample, wav + sound_at + 2 * (size_t)i, sizeof sample);
        host_set_sample(buffer, i, sample / 32768.0);
      }
      buffer->timestamp_ns = EPOCH + n * SECOND / 50;
      CHECK_EQ(audio->render_audio_frame(instance.self, buffer), MSDK_OK);
      host_audio_unref(buffer);
    }
  }
  CHECK_EQ(video->release_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
  free(ivf);
  free(wav);
  recorded read = read_recorded(path, 1, 0);
  CHECK_EQ(read.pictures, pictures);
  free_recorded(&read);
  CHECK(fabs(probe_duration(path) - (double)pictures / FPS) < 0.1);
  snprintf(command, sizeof command, "ffmpeg -v error -i '%s' -f null - 2>&1", path);
  uint8_t *complaints = output_of(command, &size);
  CHECK_EQ(size, 0);
  free(complaints);
}

/* --------------------------------------------------------------------------------------------------------------------- time */

/* Sound whose clock is slow against the timestamps by `ppm`, which jitter: beeps stay at their times. */
static void test_drift(int ppm) {
  const char *path = host_path("drift.opus");
  host_instance instance;
  create(&instance, path, "audio");
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  uint32_t seed = 1;
  const int seconds = 40;
  for (int64_t n = 0; n < 50 * seconds; n++) {
    int64_t time = n * SECOND / 50 + n * SECOND / 50 * ppm / 1000000;
    seed = seed * 1664525 + 1013904223;
    int64_t jitter = n == 0 ? 0 : (int64_t)(seed >> 8) % 10000000 - 5000000;
    CHECK_EQ(give_sound_at(&instance, 2, n * BUFFER, BUFFER, EPOCH + time + jitter), MSDK_OK);
  }
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  CHECK_EQ(instance.context.logs[MSDK_LOG_INFO], 0);
  host_destroy(&instance);
  recorded read = read_recorded(path, 0, 1);
  double worst = 0;
  for (int i = 1; i < seconds; i++) {
    double off = next_beep(&read, i - 0.3) - i * (1 + ppm / 1e6);
    if (fabs(off) > fabs(worst)) worst = off;
  }
  printf("a clock off by %d ppm, +-5 ms of jitter: beep against its time at most %+.1f ms\n", ppm, worst * 1000);
  CHECK(fabs(worst) < 0.006);
  free_recorded(&read);
}

/* Sound that is missing becomes silence, sound that comes twice is left out, and nothing moves. */
static void test_gaps(void) {
  const char *path = host_path("gaps.opus");
  host_instance instance;
  create(&instance, path, "auto");
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  for (int64_t n = 0; n < 600; n++) {
    if ((n >= 60 && n < 75) || (n >= 210 && n < 390)) continue; /* 0.3 s; 3.6 s */
    CHECK_EQ(give_sound(&instance, 1, n, EPOCH), MSDK_OK);
    if (n == 120 || n == 160) CHECK_EQ(give_sound(&instance, 1, n - 5, EPOCH), MSDK_OK);
  }
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  CHECK_EQ(instance.context.errors, 0);
  host_destroy(&instance);
  recorded read = read_recorded(path, 0, 1);
  CHECK_EQ(read.samples, 600 * BUFFER);
  static const int there[] = {1, 2, 3, 4, 8, 9, 10, 11};
  for (size_t i = 0; i < sizeof there / sizeof there[0]; i++) CHECK(fabs(next_beep(&read, there[i] - 0.3) - there[i]) < 0.002);
  CHECK(fabs(next_beep(&read, 4.5) - 8) < 0.002);
  free_recorded(&read);

  /* The mix of a session: silence has the time of mixing, speech that of its capture, 200 ms earlier. Nothing of the beep is cut. */
  create(&instance, path, "auto");
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  for (int64_t n = 0; n < 200; n++) {
    int64_t position = n * BUFFER, within = position % RATE;
    int silent = n < 50 || within >= RATE / 25;
    CHECK_EQ(give_sound_at(&instance, 2, position, BUFFER, EPOCH + n * SECOND / 50 + (silent ? SECOND / 5 : 0)), MSDK_OK);
  }
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  CHECK_EQ(instance.context.logs[MSDK_LOG_INFO], 0);
  host_destroy(&instance);
  read = read_recorded(path, 0, 1);
  for (int i = 1; i < 4; i++) CHECK(fabs(next_beep(&read, i - 0.5) - (i - 0.2)) < 0.002);
  free_recorded(&read);
}

/* Sound that ends, and goes on much later, while pictures go on. */
static void test_silent_side(void) {
  const char *path = host_path("silent.webm");
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, WIDTH, HEIGHT);
  host_instance instance;
  create(&instance, path, "both");
  CHECK_EQ(video->init_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  for (int64_t n = 0; n < 15 * FPS; n++) {
    CHECK_EQ(give_picture(&instance, &format, n, EPOCH), MSDK_OK);
    if ((n >= 45 && n < 170) || n >= 10 * FPS) continue;
    for (int64_t i = 2 * n; i < 2 * n + 2; i++) CHECK_EQ(give_sound(&instance, 2, i, EPOCH), MSDK_OK);
  }
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  CHECK_EQ(video->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
  recorded read = read_recorded(path, 1, 1);
  CHECK(fabs(next_beep(&read, 0.5) - 1) < 0.003);
  CHECK(fabs(next_beep(&read, 1.5) - 7) < 0.003);
  CHECK(fabs(next_beep(&read, 8.5) - 9) < 0.003);
  CHECK_EQ(read.pictures, 15 * FPS);
  CHECK(read.samples >= 125 * RATE / 10 && read.samples <= 15 * RATE); /* silence follows the pictures, two seconds behind */
  free_recorded(&read);
}

/* ---------------------------------------------------------------------------------------------------- when the file begins */

static void test_waiting(const vp8_clip *clip) {
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, WIDTH, HEIGHT);
  const char *path = host_path("waiting.webm");
  host_instance instance;
  struct stat status;

  /* auto: two seconds, then without sound, which is left out for good. */
  create(&instance, path, "auto");
  CHECK_EQ(video->init_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  for (int64_t n = 0; n < 4 * FPS; n++) {
    CHECK_EQ(give_picture(&instance, &format, n, EPOCH), MSDK_OK);
    CHECK_EQ(stat(path, &status), 0);
    CHECK_EQ(status.st_size > 0, n >= 2 * FPS);
    if (n >= 3 * FPS) CHECK_EQ(give_sound(&instance, 2, 2 * n, EPOCH), MSDK_OK);
  }
  CHECK_EQ(instance.context.logs[MSDK_LOG_WARN], 2); /* that it begins without, and that some came */
  CHECK_TEXT(instance.context.log_text, "sound");
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  CHECK_EQ(video->release_render(instance.self), MSDK_OK);
  CHECK_EQ(instance.context.errors, 0);
  host_destroy(&instance);
  CHECK(strstr(probe(path, "stream=codec_name"), "opus") == NULL);
  recorded read = read_recorded(path, 1, 0);
  CHECK_EQ(read.pictures, 4 * FPS);
  CHECK(fabs(next_flash(&read, 0) - 1) < 0.001);
  free_recorded(&read);

  /* both: sound comes after ten seconds; what is in the file before begins with a key frame at most three seconds earlier. */
  create(&instance, path, "both");
  CHECK_EQ(video->init_render(instance.self), MSDK_OK);
  for (int64_t n = 0; n < 10 * FPS; n++) CHECK_EQ(give_picture(&instance, &format, n, EPOCH), MSDK_OK);
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  for (int64_t n = 10 * FPS; n < 13 * FPS; n++) {
    CHECK_EQ(give_picture(&instance, &format, n, EPOCH), MSDK_OK);
    for (int64_t i = 2 * n; i < 2 * n + 2; i++) CHECK_EQ(give_sound(&instance, 2, i, EPOCH), MSDK_OK);
  }
  CHECK_EQ(video->release_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
  read = read_recorded(path, 1, 1);
  CHECK(read.pictures >= 3 * FPS && read.pictures <= 6 * FPS);
  CHECK_EQ(read.times[0] * 1000, 0);
  double last = next_beep(&read, read.times[read.pictures - 1] - 1.5);
  CHECK(fabs(next_flash(&read, last - 0.3) - last) < 0.01);
  free_recorded(&read);

  /* both, and no second key frame for longer than can be held: all is given up, and it begins with the next key frame. */
  create(&instance, path, "both");
  CHECK_EQ(video->init_render(instance.self), MSDK_OK);
  for (int n = 0; n < 35 * FPS; n++) {
    CHECK_EQ(give_vp8(&instance, clip, n == 0 ? 0 : 1 + n % 24, WIDTH, HEIGHT, EPOCH + n * SECOND / FPS), MSDK_OK);
  }
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  for (int n = 0; n < CLIP; n++) {
    int64_t at = 35 * FPS + n;
    CHECK_EQ(give_vp8(&instance, clip, n == 0 ? 1 : n, WIDTH, HEIGHT, EPOCH + at * SECOND / FPS), MSDK_OK);
    for (int64_t i = 2 * at; i < 2 * at + 2; i++) CHECK_EQ(give_sound(&instance, 2, i, EPOCH), MSDK_OK);
  }
  CHECK_EQ(video->release_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  CHECK_EQ(instance.context.errors, 0);
  host_destroy(&instance);
  read = read_recorded(path, 1, 1);
  CHECK_EQ(read.pictures, CLIP - 50);
  last = next_beep(&read, 3.5);
  CHECK(fabs(next_flash(&read, last - 0.3) - last) < 0.004);
  free_recorded(&read);

  /* both, and only one ever comes: that one is kept. */
  create(&instance, path, "both");
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  for (int64_t n = 0; n < 100; n++) CHECK_EQ(give_sound(&instance, 1, n, EPOCH), MSDK_OK);
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
  read = read_recorded(path, 0, 1);
  CHECK(fabs(next_beep(&read, 0) - 1) < 0.003);
  free_recorded(&read);
}

/* ------------------------------------------------------------------------------------------------------------ pictures alone */

static void test_sizes(const vp8_clip *clip) {
  const char *path = host_path("sizes.webm");
  static vp8_clip wide;
  encode_clip(&wide, 2 * WIDTH, HEIGHT);
  host_instance instance;
  create(&instance, path, "video");
  CHECK_EQ(audio->init_render(instance.self), MSDK_E_UNSUPPORTED);
  CHECK_TEXT(instance.context.error_text, "'tracks' is 'video'");
  CHECK_EQ(video->init_render(instance.self), MSDK_OK);
  for (int n = 10; n < 75; n++) { /* nothing before the first key frame, which is frame 50 */
    CHECK_EQ(give_vp8(&instance, clip, n, WIDTH, HEIGHT, EPOCH + n * SECOND / FPS), MSDK_OK);
  }
  for (int n = 0; n < 50; n++) CHECK_EQ(give_vp8(&instance, &wide, n, 2 * WIDTH, HEIGHT, EPOCH + (75 + n) * SECOND / FPS), MSDK_OK);
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, 50, 31);
  for (int n = 125; n < 150; n++) { /* and from now on pictures */
    if (n == 140) format = host_format(MSDK_PIXEL_I420, 64, 64);
    CHECK_EQ(give_picture(&instance, &format, n, EPOCH), MSDK_OK);
  }
  CHECK_EQ(video->release_render(instance.self), MSDK_OK);
  CHECK_EQ(instance.context.logs[MSDK_LOG_INFO], 1);
  host_destroy(&instance);
  recorded read = read_recorded(path, 1, 0);
  CHECK_EQ(read.pictures, 100);
  CHECK(fabs(next_flash(&read, 0) - 2) < 0.001); /* frame 25 of `wide`, 100 of all, the first of which is 50 */
  CHECK_EQ(probe_duration(path) * 1000, 4000);
  CHECK_TEXT(probe(path, "stream=width"), "width=160");
  free_recorded(&read);
  free_clip(&wide);
}

/* ---------------------------------------------------------------------------------------------------------- what goes wrong */

static void test_killed(void) {
  static const char *const names[] = {"killed.webm", "killed.opus"};
  for (int kind = 0; kind < 2; kind++) {
    const char *path = host_path(names[kind]);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      msdk_video_format format = host_format(MSDK_PIXEL_NV12, WIDTH, HEIGHT);
      host_instance instance;
      create(&instance, path, "auto");
      audio->init_render(instance.self);
      if (kind == 0) video->init_render(instance.self);
      for (int64_t n = 0; n < 6 * FPS; n++) {
        if (kind == 0) give_picture(&instance, &format, n, EPOCH);
        for (int64_t i = 2 * n; i < 2 * n + 2; i++) give_sound(&instance, 2, i, EPOCH);
      }
      kill(getpid(), SIGKILL);
    }
    int status = 0;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    recorded read = read_recorded(path, kind == 0, 1);
    double sound = (double)read.samples / RATE, pictures = (double)read.pictures / FPS;
    if (kind == 0) printf("killed after 6 s: %.2f s of pictures and %.2f s of sound are in the WebM file\n", pictures, sound);
    else printf("killed after 6 s: %.2f s of sound are in the Ogg file\n", sound);
    CHECK(sound >= 4.5 && sound <= 6.1);
    CHECK(kind == 1 || pictures >= 4.5);
    for (int i = 1; i < 5; i++) {
      double beep = next_beep(&read, i - 0.3);
      CHECK(fabs(beep - i) < 0.005);
      CHECK(kind == 1 || fabs(next_flash(&read, i - 0.3) - beep) < 0.010);
    }
    free_recorded(&read);
  }
}

static void test_full_device(void) {
  static const char *const names[] = {"full.webm", "full.opus"};
  for (int kind = 0; kind < 2; kind++) {
    const char *path = host_path(names[kind]);
    CHECK_EQ(symlink("/dev/full", path), 0);
    host_instance instance;
    create(&instance, path, "auto");
    CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
    for (int64_t n = 0; n < 5; n++) {
      instance.context.error_text[0] = 0;
      CHECK_EQ(give_sound(&instance, 2, n, EPOCH), MSDK_E_IO);
      CHECK_TEXT(instance.context.error_text, strerror(ENOSPC));
    }
    CHECK_EQ(instance.context.logs[MSDK_LOG_ERROR], 1); /* told once */
    CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
    host_destroy(&instance);
  }
}

/* The file may grow to so many bytes only; what was written before stays, and plays. */
static void test_file_limit(void) {
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit before, tight;
  getrlimit(RLIMIT_FSIZE, &before);
  tight = before;
  tight.rlim_cur = 60000;
  const char *path = host_path("limit.webm");
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, WIDTH, HEIGHT);
  host_instance instance;
  create(&instance, path, "both");
  CHECK_EQ(host_set_u32(&instance, "audio_bitrate", 200000), MSDK_OK);
  CHECK_EQ(video->init_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  CHECK_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  int64_t failed_at = 0;
  for (int64_t n = 0; n < 30 * FPS && failed_at == 0; n++) {
    msdk_result result = MSDK_OK;
    for (int64_t i = 2 * n; i < 2 * n + 2 && result == MSDK_OK; i++) result = give_sound(&instance, 2, i, EPOCH);
    if (result == MSDK_OK) result = give_picture(&instance, &format, n, EPOCH);
    CHECK(result == MSDK_OK || result == MSDK_E_IO);
    if (result < 0) failed_at = n;
  }
  CHECK_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  CHECK(failed_at > 3 * FPS);
  CHECK_TEXT(instance.context.error_text, strerror(EFBIG));
  CHECK_EQ(give_picture(&instance, &format, failed_at, EPOCH), MSDK_E_IO); /* there would be room again, but not in this file */
  CHECK_EQ(instance.context.logs[MSDK_LOG_ERROR], 1);
  CHECK_EQ(video->release_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
  struct stat status;
  CHECK_EQ(stat(path, &status), 0);
  CHECK(status.st_size > 40000 && status.st_size <= 60000);
  recorded read = read_recorded(path, 1, 1);
  printf("no room after %.2f s: %.2f s of pictures and %.2f s of sound are in the file\n", (double)failed_at / FPS,
         (double)read.pictures / FPS, (double)read.samples / RATE);
  CHECK((int64_t)read.pictures > failed_at - 2 * FPS);
  char command[512]; /* and nothing that is half a cluster */
  size_t size;
  snprintf(command, sizeof command, "ffmpeg -v error -i '%s' -map 0 -c copy -f null - 2>&1", path);
  uint8_t *complaints = output_of(command, &size);
  CHECK_EQ(size, 0);
  free(complaints);
  CHECK(fabs(next_beep(&read, 0) - 1) < 0.005);
  free_recorded(&read);

  /* No room for the end only: told at release, and the file plays. */
  create(&instance, path, "audio");
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  for (int64_t n = 0; n < 200; n++) CHECK_EQ(give_sound(&instance, 2, n, EPOCH), MSDK_OK);
  CHECK_EQ(stat(path, &status), 0);
  tight.rlim_cur = (rlim_t)status.st_size;
  CHECK_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  CHECK_EQ(audio->release_render(instance.self), MSDK_E_IO);
  CHECK_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  host_destroy(&instance);
  read = read_recorded(path, 0, 1);
  CHECK(read.samples > 2 * RATE);
  free_recorded(&read);
}

static void check_refused(const char *path, msdk_result wanted, const char *words) {
  host_instance instance;
  create(&instance, path, "auto");
  CHECK_EQ(audio->init_render(instance.self), wanted);
  CHECK_TEXT(instance.context.error_text, words);
  host_destroy(&instance);
}

static void test_paths(void) {
  CHECK_EQ(mkdir(host_path("folder.webm"), 0700), 0);
  CHECK_EQ(mkfifo(host_path("fifo.webm"), 0600), 0);
  alarm(20);
  check_refused(host_path("folder.webm"), MSDK_E_INVALID, "folder.webm");
  check_refused(host_path("fifo.webm"), MSDK_E_INVALID, "fifo.webm");
  alarm(0);
  check_refused(host_path("none/x.webm"), MSDK_E_NOT_FOUND, "No such file");
  check_refused(host_path("x.mp4"), MSDK_E_INVALID, ".webm, .opus or .ogg");
  check_refused(host_path("noending"), MSDK_E_INVALID, "noending");
  check_refused("/folder.webm/noending", MSDK_E_INVALID, "noending");

  host_instance instance;
  host_create(&instance, class);
  CHECK_EQ(video->init_render(instance.self), MSDK_E_INVALID);
  CHECK_TEXT(instance.context.error_text, "path");
  CHECK_EQ(host_set_string(&instance, "path", ""), MSDK_E_INVALID);
  host_check_params(&instance);
  CHECK_EQ(host_set_u32(&instance, "audio_bitrate", 5000), MSDK_E_RANGE);
  CHECK_TEXT(instance.context.error_text, "6000 to 510000");
  CHECK_EQ(host_set_u32(&instance, "video_bitrate", 1), MSDK_E_RANGE);
  CHECK_EQ(host_set_u32(&instance, "video_bitrate", 1000000), MSDK_OK);
  host_destroy(&instance);
}

static void test_bad_frames(const vp8_clip *clip) {
  static const uint8_t bits[8] = {0xFC, 0xFF, 0xFE};
  msdk_video_format format = host_format(MSDK_PIXEL_NV12, WIDTH, HEIGHT);
  host_instance instance;
  create(&instance, host_path("bad.webm"), "auto");
  msdk_encoded_frame packet = packet_of(bits, 3, EPOCH);
  CHECK_EQ(give_picture(&instance, &format, 0, EPOCH), MSDK_E_STATE);
  CHECK_EQ(give_vp8(&instance, clip, 0, WIDTH, HEIGHT, EPOCH), MSDK_E_STATE);
  CHECK_EQ(give_sound(&instance, 1, 0, EPOCH), MSDK_E_STATE);
  CHECK_EQ(audio->render_encoded_frame(instance.self, &packet), MSDK_E_STATE);
  CHECK_EQ(video->init_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  CHECK_EQ(host_set_string(&instance, "path", host_path("other.webm")), MSDK_E_STATE);
  CHECK_TEXT(instance.context.error_text, "bad.webm");
  CHECK_EQ(video->render_video_frame(instance.self, NULL), MSDK_E_INVALID);
  CHECK_EQ(video->render_encoded_frame(instance.self, NULL), MSDK_E_INVALID);
  CHECK_EQ(audio->render_audio_frame(instance.self, NULL), MSDK_E_INVALID);
  CHECK_EQ(audio->render_encoded_frame(instance.self, NULL), MSDK_E_INVALID);
  CHECK_EQ(audio->render_settings(instance.self, NULL), MSDK_E_INVALID);
  CHECK_EQ(give_vp8(&instance, clip, 0, 0, HEIGHT, EPOCH), MSDK_E_INVALID);
  packet.size = 0;
  CHECK_EQ(audio->render_encoded_frame(instance.self, &packet), MSDK_E_INVALID);
  packet.size = 3;
  packet.codec = MSDK_CODEC_VP8;
  CHECK_EQ(audio->render_encoded_frame(instance.self, &packet), MSDK_E_FORMAT);
  CHECK_EQ(video->render_encoded_frame(instance.self, &packet), MSDK_E_INVALID); /* of no size */
  packet.codec = MSDK_CODEC_OPUS;
  CHECK_EQ(video->render_encoded_frame(instance.self, &packet), MSDK_E_FORMAT);
  msdk_video_format wrong = host_format(MSDK_PIXEL_BGRA, 16, 16);
  CHECK_EQ(video->accepts_format(instance.self, &wrong), 0);
  CHECK_EQ(video->accepts_format(instance.self, NULL), 0);
  CHECK_EQ(give_picture(&instance, &wrong, 0, EPOCH), MSDK_E_FORMAT);
  msdk_audio_format other = host_audio_format(MSDK_SAMPLE_S16, RATE, 2);
  msdk_audio_frame *sound = host_audio_frame(&instance, &other, BUFFER);
  CHECK_EQ(audio->render_audio_frame(instance.self, sound), MSDK_E_FORMAT);
  CHECK_TEXT(instance.context.error_text, "f32");
  host_audio_unref(sound);

  /* Times that make no sense do no harm. */
  for (int64_t n = 0; n < 30; n++) {
    CHECK_EQ(give_sound(&instance, 1 + n % 2, n, EPOCH), MSDK_OK); /* channels change as they like */
    CHECK_EQ(give_picture(&instance, &format, n, n % 3 == 2 ? 0 : EPOCH), MSDK_OK);
  }
  CHECK_EQ(give_sound_at(&instance, 1, 0, BUFFER, INT64_MAX), MSDK_E_INVALID);
  CHECK_EQ(give_sound_at(&instance, 1, 0, BUFFER, INT64_MIN), MSDK_E_INVALID);
  CHECK_EQ(give_sound_at(&instance, 1, 0, BUFFER, 0), MSDK_OK); /* left out */
  CHECK_EQ(give_picture(&instance, &format, 30, INT64_MAX - 2 * SECOND), MSDK_E_INVALID);
  CHECK_EQ(give_picture(&instance, &format, 30, INT64_MIN), MSDK_E_INVALID);
  CHECK_EQ(give_picture(&instance, &format, 30, EPOCH + 25 * 3600 * SECOND), MSDK_E_INVALID);
  CHECK_TEXT(instance.context.error_text, "timestamp");
  CHECK_EQ(video->release_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
  host_destroy(&instance);
  recorded read = read_recorded(host_path("bad.webm"), 1, 1);
  CHECK_EQ(read.pictures, 30);
  for (uint32_t i = 1; i < read.pictures; i++) CHECK(read.times[i] > read.times[i - 1]);
  free_recorded(&read);
}

static void test_lifecycle(const vp8_clip *clip) {
  msdk_video_format format = host_format(MSDK_PIXEL_I420, WIDTH, HEIGHT);
  host_instance instance;
  struct stat status;
  const char *path = host_path("life.webm");
  create(&instance, path, "auto");
  int before = host_open_descriptors();
  for (int i = 0; i < 40; i++) {
    CHECK_EQ(i % 2 == 0 ? video->init_render(instance.self) : audio->init_render(instance.self), MSDK_OK);
    if (i % 3 == 0) CHECK_EQ(i % 2 == 1 ? video->init_render(instance.self) : audio->init_render(instance.self), MSDK_OK);
    if (i % 4 == 2) CHECK_EQ(give_vp8(&instance, clip, 0, WIDTH, HEIGHT, EPOCH), MSDK_OK);
    if (i % 4 == 3) CHECK_EQ(give_sound(&instance, 2, 0, EPOCH), MSDK_OK);
    CHECK_EQ(video->release_render(instance.self), MSDK_OK);
    CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
    if (i == 1) CHECK_EQ(stat(path, &status), -1); /* nothing came: no file */
    if (i == 5) CHECK(stat(path, &status) == 0 && status.st_size > 0); /* nothing came: the old one is as it was */
  }
  CHECK_EQ(host_open_descriptors(), before);
  CHECK_EQ(instance.context.errors, 0);

  /* A side may go and come back while the other stays: the file goes on. */
  CHECK_EQ(video->init_render(instance.self), MSDK_OK);
  CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
  for (int64_t n = 0; n < 5 * FPS; n++) {
    if (n == FPS + 10) CHECK_EQ(audio->release_render(instance.self), MSDK_OK);
    if (n == 2 * FPS + 10) CHECK_EQ(audio->init_render(instance.self), MSDK_OK);
    if (n == 2 * FPS + 10) CHECK_EQ(video->release_render(instance.self), MSDK_OK);
    if (n == 3 * FPS - 5) CHECK_EQ(video->init_render(instance.self), MSDK_OK);
    if (n < 2 * FPS + 10 || n >= 3 * FPS - 5) CHECK_EQ(give_picture(&instance, &format, n, EPOCH), MSDK_OK);
    if (n >= FPS + 10 && n < 2 * FPS + 10) continue;
    for (int64_t i = 2 * n; i < 2 * n + 2; i++) CHECK_EQ(give_sound(&instance, 2, i, EPOCH), MSDK_OK);
  }
  instance.class->destroy(instance.self); /* takes it down by itself */
  CHECK_EQ(instance.context.errors, 0);
  CHECK_EQ(instance.context.outstanding, 0);
  CHECK_EQ(class->create(&host_table, &instance.context, &instance.self), MSDK_OK);
  host_destroy(&instance);
  recorded read = read_recorded(path, 1, 1);
  for (int i = 1; i < 5; i++) {
    CHECK(fabs(next_flash(&read, i - 0.2) - i) < 0.002);
    if (i != 2) CHECK(fabs(next_beep(&read, i - 0.2) - i) < 0.005);
  }
  CHECK(next_beep(&read, 1.5) > 2.9);
  free_recorded(&read);
  char command[1024]; /* the index is there: seeking by it comes to a key frame */
  size_t size;
  snprintf(command, sizeof command, "ffprobe -v error -select_streams v -read_intervals 4%%+#1 -show_entries %s -of csv=p=0 '%s'",
           "packet=pts_time,flags", path);
  uint8_t *text = output_of(command, &size);
  CHECK(atof((char *)text) > 2 && strchr((char *)text, 'K') != NULL);
  free(text);
}

int main(int argc, char **argv) {
  class = host_load(argc, argv, "recorder.so", "org.mediasdk.renderer.recorder");
  video = class->video_renderer;
  audio = class->audio_renderer;
  static ogg_file ogg;
  static vp8_clip clip;
  encode_clip(&clip, WIDTH, HEIGHT);
  test_raw();
  test_ogg(&ogg);
  test_pass_through(&ogg, &clip);
  test_half_encoded(&ogg, &clip);
  test_bunny();
  test_drift(300);
  test_drift(-300);
  test_gaps();
  test_silent_side();
  test_waiting(&clip);
  test_sizes(&clip);
  test_killed();
  test_full_device();
  test_file_limit();
  test_paths();
  test_bad_frames(&clip);
  test_lifecycle(&clip);
  free_clip(&clip);
  free(ogg.bytes);
  return check_done();
}
