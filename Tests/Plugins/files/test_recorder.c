/* What is in the files that the recorder writes, of each kind of media. */
#define _XOPEN_SOURCE 700
#include "recorder_media.h"

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

/* Of timestamps from a network: up to 4 ms. */
static int64_t jitter(int64_t n) { return (n * 7 % 9 - 4) * (n > 0) * SECOND / 1000; }

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
      msdk_encoded_frame packet = packet_of(ogg->packets[i + 2].data, ogg->packets[i + 2].size, opus_time(i) + jitter(i));
      CHECK_EQ(audio->render_encoded_frame(instance.self, &packet), MSDK_OK);
      packet.timestamp_ns += SECOND / 250;
      if (i % 50 == 20) CHECK_EQ(audio->render_encoded_frame(instance.self, &packet), MSDK_OK); /* twice for one time */
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
  size_t size, wav_size;
  uint8_t *ivf = read_file(media_path("bunny-720p25.ivf"), &size), *wav = read_file(media_path("bunny-48k-stereo.wav"), &wav_size);
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
  char command[1024];
  snprintf(command, sizeof command, "ffmpeg -v error -i '%s' -f null - 2>&1", path);
  uint8_t *complaints = output_of(command, &size);
  CHECK_EQ(size, 0);
  free(complaints);
}

int main(int argc, char **argv) {
  load_recorder(argc, argv);
  static ogg_file ogg;
  static vp8_clip clip;
  encode_clip(&clip, WIDTH, HEIGHT);
  test_raw();
  test_ogg(&ogg);
  test_pass_through(&ogg, &clip);
  test_half_encoded(&ogg, &clip);
  test_bunny();
  free_clip(&clip);
  free(ogg.bytes);
  return check_done();
}
