#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include "limits.h"
#include "wav_play.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static const msdk_class *writer_class;
static const msdk_audio_renderer *renderer;

static uint64_t number_at(const uint8_t *data, int count) {
  uint64_t value = 0;
  for (int i = 0; i < count; i++) value |= (uint64_t)data[i] << 8 * i;
  return value;
}

static void open_output(host_instance *instance, const char *path, const char *format) {
  host_create(instance, writer_class);
  CHECK_EQ(host_set_string(instance, "path", path), MSDK_OK);
  CHECK_EQ(host_set_string(instance, "format", format), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance->self), MSDK_OK);
}

static void close_output(host_instance *instance) {
  CHECK_EQ(renderer->release_render(instance->self), MSDK_OK);
  host_destroy(instance);
}

/* `from`: which value_at the first sample is. */
static msdk_result render(host_instance *instance, msdk_audio_format format, uint32_t count, uint64_t from, int64_t timestamp_ns) {
  msdk_audio_frame *frame = host_audio_frame(instance, &format, count);
  for (uint64_t i = 0; i < (uint64_t)count * format.channels; i++) host_set_sample(frame, i, (double)value_at(from + i) / 32768);
  frame->timestamp_ns = timestamp_ns;
  msdk_result result = renderer->render_audio_frame(instance->self, frame);
  host_audio_unref(frame);
  return result;
}

/* Reads with the producer of this module; the caller ends with close_file. */
static void read_back(host_instance *instance, const char *path) {
  CHECK_EQ(open_file(instance, path, 0), MSDK_OK);
  CHECK_EQ(producer->start_capture(instance->self), MSDK_OK);
  CHECK_EQ(play(instance, 100000), MSDK_E_CLOSED);
}

static void test_round_trip(void) {
  static const char *const formats[] = {"s16", "s24", "f32"};
  for (uint32_t mode = 0; mode < 24; mode++) {
    uint32_t f = mode % 3, channels = mode / 3 % 2 + 1, bits = f == 0 ? 16 : f == 1 ? 24 : 32;
    msdk_audio_format format = host_audio_format(mode / 6 % 2 ? MSDK_SAMPLE_S16 : MSDK_SAMPLE_F32, mode / 12 ? 8000 : 48000, channels);
    const char *path = host_path("out.wav");
    host_instance instance;
    open_output(&instance, path, formats[f]);
    msdk_audio_format settings = format;
    CHECK_EQ(renderer->render_settings(instance.self, &settings), MSDK_OK);
    CHECK_EQ(settings.sample_format, f == 0 ? MSDK_SAMPLE_S16 : MSDK_SAMPLE_F32);
    CHECK_EQ(settings.sample_rate, format.sample_rate);
    CHECK_EQ(settings.channels, channels);
    for (uint64_t i = 0; i < 5; i++) CHECK_EQ(render(&instance, format, 333, i * 333 * channels, 0), MSDK_OK);
    close_output(&instance);

    size_t size, header = f == 2 ? 94 : 80, data = 5 * 333 * channels * bits / 8;
    uint8_t *file = read_file(path, &size);
    CHECK_EQ(size, header + data + data % 2);
    CHECK_EQ(memcmp(file, "RIFF", 4), 0);
    CHECK_EQ(number_at(file + 4, 4), size - 8);
    CHECK_EQ(memcmp(file + 12, "JUNK", 4), 0);
    CHECK_EQ(memcmp(file + 48, "fmt ", 4), 0);
    CHECK_EQ(number_at(file + 56, 2), f == 2 ? 3 : 1);
    CHECK_EQ(number_at(file + 58, 2), channels);
    CHECK_EQ(number_at(file + 60, 4), format.sample_rate);
    CHECK_EQ(number_at(file + 64, 4), format.sample_rate * channels * bits / 8);
    CHECK_EQ(number_at(file + 68, 2), channels * bits / 8);
    CHECK_EQ(number_at(file + 70, 2), bits);
    CHECK_EQ(memcmp(file + header - 8, "data", 4), 0);
    CHECK_EQ(number_at(file + header - 4, 4), data);
    free(file);
    read_back(&instance, path);
    CHECK_EQ(instance.context.recording.count, 5 * 333 * channels);
    CHECK_EQ(wrong_samples(&instance.context.recording, 0, 0), 0);
    host_finish(&instance);
  }
}

/* What does not fit is clipped, and what is finer is rounded. */
static void test_levels(void) {
  static const float given[] = {1, -1, 2, -2, 1e30f, -1e30f, NAN, 0.4f / 32768, 0.6f / 32768, -0.6f / 32768};
  static const int wanted[] = {32767, -32768, 32767, -32768, 32767, -32768, 0, 0, 1, -1};
  const char *path = host_path("out.wav");
  host_instance instance;
  open_output(&instance, path, "s16");
  msdk_audio_format format = host_audio_format(MSDK_SAMPLE_F32, 48000, 1);
  msdk_audio_frame *frame = host_audio_frame(&instance, &format, 10);
  for (uint64_t i = 0; i < 10; i++) host_set_sample(frame, i, given[i]);
  CHECK_EQ(renderer->render_audio_frame(instance.self, frame), MSDK_OK);
  host_audio_unref(frame);
  close_output(&instance);
  size_t size;
  uint8_t *file = read_file(path, &size);
  for (int i = 0; i < 10; i++) CHECK_EQ((int16_t)number_at(file + 80 + 2 * i, 2), wanted[i]);
  free(file);
}

static uint64_t samples_in(const char *path) {
  host_instance instance;
  read_back(&instance, path);
  uint64_t count = instance.context.recording.count;
  host_finish(&instance);
  return count;
}

static void test_gaps(void) {
  const int64_t ms = 1000000, begin = 77 * ms;
  const char *path = host_path("out.wav");
  msdk_audio_format format = host_audio_format(MSDK_SAMPLE_S16, 48000, 1);
  host_instance instance;
  open_output(&instance, path, "s16");
  CHECK_EQ(render(&instance, format, 480, 1, begin), MSDK_OK);
  CHECK_EQ(render(&instance, format, 480, 1, begin + 29 * ms), MSDK_OK); /* 19 ms late: no gap */
  CHECK_EQ(render(&instance, format, 480, 1, begin + 20 * ms), MSDK_OK);
  CHECK_EQ(render(&instance, format, 480, 1, begin + 25 * ms), MSDK_OK); /* early */
  CHECK_EQ(render(&instance, format, 480, 1, begin + 140 * ms), MSDK_OK); /* 100 ms */
  CHECK_EQ(render(&instance, format, 480, 1, 0), MSDK_OK); /* no timestamp, no gap */
  CHECK_EQ(render(&instance, format, 480, 1, begin + 660 * ms), MSDK_OK); /* 500 ms */
  close_output(&instance);
  read_back(&instance, path);
  const host_recording *recording = &instance.context.recording;
  CHECK_EQ(recording->count, 48 * (70 + 600));
  uint64_t sounding = 0, misplaced = 0;
  for (uint64_t i = 0; i < recording->count; i++) {
    uint64_t at = i / 48;
    sounding += recording->samples[i] != 0;
    misplaced += recording->samples[i] != 0 && !(at < 40 || (at >= 140 && at < 160) || at >= 660);
  }
  CHECK(sounding > 48 * 69);
  CHECK_EQ(misplaced, 0);
  host_finish(&instance);

  /* Ten minutes are filled, more are logged and left out, and time goes on from there. */
  open_output(&instance, path, "s16");
  format.sample_rate = 8000;
  CHECK_EQ(render(&instance, format, 80, 1, begin), MSDK_OK);
  CHECK_EQ(render(&instance, format, 80, 1, begin + (600000 + 10) * ms), MSDK_OK);
  CHECK_EQ(host_logs(&instance, MSDK_LOG_WARN, 0), 0);
  CHECK_EQ(render(&instance, format, 80, 1, begin + (1200000 + 21) * ms), MSDK_OK);
  CHECK_EQ(host_logs(&instance, MSDK_LOG_WARN, 1), 1);
  CHECK_EQ(render(&instance, format, 80, 1, begin + (1200000 + 61) * ms), MSDK_OK); /* 30 ms */
  CHECK_EQ(render(&instance, format, 80, 1, INT64_MIN), MSDK_OK);
  CHECK_EQ(render(&instance, format, 80, 1, INT64_MAX), MSDK_OK);
  close_output(&instance);
  CHECK_EQ(samples_in(path), 8 * (60 + 600000 + 30));
}

/* A copy of the file as it is after a crash: all but the last second is in it. */
static void test_crash(void) {
  msdk_audio_format format = host_audio_format(MSDK_SAMPLE_S16, 48000, 2);
  const char *path = host_path("out.wav"), *copy = host_path("copy.wav");
  host_instance instance, reader;
  open_output(&instance, path, "s24");
  for (uint64_t i = 1; i <= 350; i++) {
    CHECK_EQ(render(&instance, format, 480, (i - 1) * 960, 0), MSDK_OK);
    if (i % 70 != 0) continue;
    size_t size;
    uint8_t *file = read_file(path, &size);
    CHECK_EQ(size, 80 + i * 480 * 6); /* and the samples themselves are there */
    store("copy.wav", file, size);
    free(file);
    if (i < 100) continue; /* before the first second the header says none */
    read_back(&reader, copy);
    CHECK_EQ(reader.context.recording.count, i / 100 * 96000);
    CHECK_EQ(wrong_samples(&reader.context.recording, 0, 0), 0);
    host_finish(&reader);
  }
  close_output(&instance);
  CHECK_EQ(samples_in(path), 350 * 960);
}

/* Beyond 4 GiB, by gaps, which take no room on the disk. */
static void test_large(void) {
  const int64_t minutes = 60000000000;
  msdk_audio_format format = host_audio_format(MSDK_SAMPLE_F32, 192000, 2);
  const char *path = host_path("out.wav");
  host_instance instance;
  open_output(&instance, path, "f32");
  int64_t at = 1;
  uint64_t samples = 0;
  for (int i = 0; i < 6; i++, at += 10 * minutes) {
    CHECK_EQ(render(&instance, format, 1920, 1, at), MSDK_OK);
    samples = (uint64_t)i * 600 * 192000 + 1920;
    uint8_t header[94];
    FILE *file = fopen(path, "rb");
    CHECK_EQ(fread(header, 1, sizeof header, file), sizeof header);
    fclose(file);
    uint64_t data = samples * 8;
    if (i < 5) {
      CHECK_EQ(memcmp(header, "RIFF", 4), 0);
      if (i > 0) CHECK_EQ(number_at(header + 90, 4) + 1920 * 8, data); /* brought up to date after the gap */
      continue;
    }
    CHECK_EQ(memcmp(header, "RF64\xff\xff\xff\xff", 8), 0);
    CHECK_EQ(memcmp(header + 12, "ds64", 4), 0);
    CHECK_EQ(number_at(header + 28, 8) + 1920 * 8, data);
    CHECK_EQ(number_at(header + 90, 4), 0xFFFFFFFF);
  }
  close_output(&instance);
  struct stat status;
  CHECK_EQ(stat(path, &status), 0);
  CHECK_EQ(status.st_size, 94 + samples * 8);
  CHECK((uint64_t)status.st_blocks * 512 < 100000000);
  uint8_t header[94];
  float last = 0;
  FILE *file = fopen(path, "rb");
  CHECK_EQ(fread(header, 1, sizeof header, file), sizeof header);
  CHECK_EQ(fseeko(file, -4, SEEK_END), 0);
  CHECK_EQ(fread(&last, 1, sizeof last, file), sizeof last);
  fclose(file);
  CHECK_EQ(number_at(header + 20, 8), status.st_size - 8);
  CHECK_EQ(number_at(header + 28, 8), samples * 8);
  CHECK_EQ(number_at(header + 36, 8), samples);
  CHECK(last == (float)value_at(3840) / 32768);
  /* The other side opens it. */
  CHECK_EQ(open_file(&instance, path, 0), MSDK_OK);
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  CHECK_EQ(play(&instance, 2), MSDK_OK);
  const float *played = instance.context.recording.samples;
  CHECK(played[0] == (float)value_at(1) / 32768 && played[3839] == last && played[3840] == 0);
  host_finish(&instance);
  unlink(path);
}

/* The file may grow to 20,000 bytes only, as on a full disk. */
static void test_full(void) {
  msdk_audio_format format = host_audio_format(MSDK_SAMPLE_S16, 48000, 2);
  const char *path = host_path("out.wav");
  for (int gap = 0; gap < 2; gap++) {
    host_instance instance;
    open_output(&instance, path, "s16");
    msdk_result results[20];
    limit_files(20000);
    for (uint32_t i = 0; i < 20; i++) {
      results[i] = render(&instance, format, 480, i * 960, gap && i >= 10 ? 10000000000 : 1 + i * 10000000);
    }
    limit_files(RLIM_INFINITY);
    CHECK_EQ(render(&instance, format, 480, 0, 0), MSDK_E_IO);
    CHECK_TEXT(instance.context.error_text, "File too large");
    CHECK_TEXT(instance.context.error_text, "out.wav");
    for (uint32_t i = 0; i < 20; i++) CHECK_EQ(results[i], i < 10 ? MSDK_OK : MSDK_E_IO);
    CHECK_EQ(host_logs(&instance, MSDK_LOG_ERROR, 1), 1); /* told once */
    close_output(&instance);
    read_back(&instance, path);
    CHECK_EQ(instance.context.recording.count, 9600);
    CHECK_EQ(wrong_samples(&instance.context.recording, 0, 0), 0);
    host_finish(&instance);
  }
}

static void test_refusals(void) {
  int before = host_open_descriptors();
  static const struct {
    const char *path, *words;
    msdk_result result;
  } bad[] = {{"/dev/full", "regular file", MSDK_E_INVALID}, {"/no/such/folder/a.wav", "No such file", MSDK_E_NOT_FOUND},
             {"/", "/", MSDK_E_INVALID}};
  host_instance instance;
  for (int i = 0; i < 3; i++) {
    host_create(&instance, writer_class);
    CHECK_EQ(host_set_string(&instance, "path", bad[i].path), MSDK_OK);
    CHECK_EQ(renderer->init_render(instance.self), bad[i].result);
    CHECK_TEXT(instance.context.error_text, bad[i].words);
    host_destroy(&instance);
  }
  host_create(&instance, writer_class);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_E_INVALID);
  CHECK_EQ(host_set_string(&instance, "path", ""), MSDK_E_INVALID);
  msdk_audio_format format = host_audio_format(MSDK_SAMPLE_S16, 48000, 2), other = format;
  CHECK_EQ(render(&instance, format, 480, 0, 0), MSDK_E_STATE);
  host_check_params(&instance);
  host_destroy(&instance);

  /* Nothing came: what was there stays, and what was not is not. */
  const char *path = store("kept.wav", "precious", 8);
  open_output(&instance, path, "s16");
  close_output(&instance);
  CHECK_EQ(access(path, F_OK), 0);
  open_output(&instance, host_path("fresh.wav"), "s16");
  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  CHECK_EQ(host_logs(&instance, MSDK_LOG_WARN, 1), 1);
  host_destroy(&instance);
  CHECK(access(host_path("fresh.wav"), F_OK) != 0);

  open_output(&instance, path, "s16");
  CHECK_EQ(render(&instance, format, 480, 0, 0), MSDK_OK);
  CHECK_EQ(host_set_string(&instance, "format", "f32"), MSDK_OK); /* of the next file */
  CHECK_EQ(host_set_string(&instance, "path", host_path("next.wav")), MSDK_OK);
  other.sample_rate = 44100;
  other.channels = 1;
  CHECK_EQ(renderer->render_settings(instance.self, &other), MSDK_OK); /* what a host converts to */
  CHECK(other.sample_rate == format.sample_rate && other.channels == format.channels);
  other.sample_rate = 44100;
  CHECK_EQ(render(&instance, other, 480, 0, 0), MSDK_E_FORMAT);
  CHECK_TEXT(instance.context.error_text, "44100 Hz");
  other = format;
  other.channels = 1;
  CHECK_EQ(render(&instance, other, 480, 0, 0), MSDK_E_FORMAT);
  CHECK_EQ(renderer->render_audio_frame(instance.self, NULL), MSDK_E_INVALID);
  other = format;
  other.sample_format = MSDK_SAMPLE_F32;
  CHECK_EQ(render(&instance, other, 480, 960, 0), MSDK_OK);
  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  CHECK_EQ(renderer->init_render(instance.self), MSDK_OK);
  CHECK_EQ(render(&instance, format, 480, 0, 0), MSDK_OK);
  close_output(&instance);
  CHECK_EQ(samples_in(path), 1920);
  CHECK_EQ(samples_in(host_path("next.wav")), 960);
  CHECK_EQ(host_open_descriptors(), before);
}

int main(int argc, char **argv) {
  load_reader(argc, argv);
  writer_class = host_load(argc, argv, "wav.so", "org.mediasdk.renderer.wav");
  renderer = writer_class->audio_renderer;
  test_round_trip();
  test_levels();
  test_gaps();
  test_crash();
  test_large();
  test_full();
  test_refusals();
  return check_done();
}
