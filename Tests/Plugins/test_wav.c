#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64
#include "check.h"
#include "host.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const msdk_class *reader_class, *writer_class;
static const msdk_audio_producer *producer;
static const msdk_audio_renderer *renderer;

/* ----------------------------------------------------------------------------------------------------- files made byte by byte */

typedef struct bytes {
  uint8_t data[65536];
  size_t size;
} bytes;

static void add(bytes *to, const void *data, size_t size) {
  memcpy(to->data + to->size, data, size);
  to->size += size;
}

static void number(bytes *to, uint64_t value, int count) {
  for (int i = 0; i < count; i++) to->data[to->size++] = (uint8_t)(value >> 8 * i);
}

static void name(bytes *to, const char *text) { add(to, text, 4); }

typedef struct recipe {
  uint32_t tag, channels, rate, bits, samples; /* samples per channel in the file */
  uint32_t extensible, odd_chunk, rf64, data_size, has_data_size; /* data_size: what the header says */
} recipe;

static int64_t value_at(uint64_t index) { return (int64_t)(index * 2654435761u % 65536) - 32768; } /* in steps of s16 */

static void make(bytes *file, recipe wanted) {
  file->size = 0;
  uint32_t width = wanted.channels * (wanted.bits / 8), data = wanted.samples * width;
  name(file, wanted.rf64 ? "RF64" : "RIFF");
  number(file, wanted.rf64 ? 0xFFFFFFFF : 4 + 24 + 8 + data, 4);
  name(file, "WAVE");
  if (wanted.rf64) {
    name(file, "ds64");
    number(file, 28, 4);
    number(file, 4 + 36 + 24 + 8 + data, 8);
    number(file, data, 8);
    number(file, wanted.samples, 8);
    number(file, 0, 4);
  }
  name(file, "fmt ");
  number(file, wanted.extensible ? 40 : 16, 4);
  number(file, wanted.extensible ? 0xFFFE : wanted.tag, 2);
  number(file, wanted.channels, 2);
  number(file, wanted.rate, 4);
  number(file, (uint64_t)wanted.rate * width, 4);
  number(file, width, 2);
  number(file, wanted.bits, 2);
  if (wanted.extensible) {
    number(file, 22, 2);
    number(file, wanted.bits, 2);
    number(file, wanted.channels == 1 ? 4 : 3, 4);
    number(file, wanted.tag, 2);
    add(file, "\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71", 14);
  }
  if (wanted.odd_chunk) { /* of odd length, it has a byte of padding behind it, which libsndfile 1.2 knows of in RIFF files only */
    name(file, "what");
    number(file, wanted.rf64 ? 8 : 7, 4);
    add(file, "strange\0", 8);
  }
  name(file, "data");
  number(file, wanted.has_data_size ? wanted.data_size : wanted.rf64 ? 0xFFFFFFFF : data, 4);
  for (uint64_t i = 0; i < (uint64_t)wanted.samples * wanted.channels; i++) {
    float f32 = (float)value_at(i) / 32768;
    if (wanted.tag == 3) add(file, &f32, 4);
    else if (wanted.bits == 8) number(file, (uint64_t)(value_at(i) / 256 + 128), 1);
    else number(file, (uint64_t)(value_at(i) * ((int64_t)1 << (wanted.bits - 16))), (int)wanted.bits / 8);
  }
}

static const char *store(const char *file_name, const void *data, size_t size) {
  const char *path = host_path(file_name);
  FILE *file = fopen(path, "wb");
  CHECK_EQ(fwrite(data, 1, size, file), size);
  fclose(file);
  return path;
}

static uint8_t *load(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  *size = 0;
  if (file == NULL) return NULL;
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  uint8_t *data = malloc(*size + 1);
  CHECK_EQ(fread(data, 1, *size, file), *size);
  fclose(file);
  return data;
}

static uint64_t number_at(const uint8_t *data, int count) {
  uint64_t value = 0;
  for (int i = 0; i < count; i++) value |= (uint64_t)data[i] << 8 * i;
  return value;
}

/* ---------------------------------------------------------------------------------------------------------------- producer */

static msdk_result open_file(host_instance *instance, const char *path, int loop) {
  host_create(instance, reader_class);
  CHECK_EQ(host_set_string(instance, "path", path), MSDK_OK);
  CHECK_EQ(host_set_bool(instance, "loop", loop), MSDK_OK);
  return producer->init_capture(instance->self);
}

static void close_file(host_instance *instance) {
  CHECK_EQ(producer->stop_capture(instance->self), MSDK_OK);
  CHECK_EQ(producer->release_capture(instance->self), MSDK_OK);
  host_destroy(instance);
}

/* Everything up to the end, or so many buffers, into the recording. The last answer. */
static msdk_result play(host_instance *instance, uint32_t buffers) {
  for (uint32_t i = 0; i < buffers; i++) {
    msdk_audio_frame *frame = NULL;
    msdk_result result = producer->produce_frame(instance->self, 5, &frame);
    if (result < 0) return result;
    host_record(&instance->context.recording, frame);
    host_audio_unref(frame);
  }
  return MSDK_OK;
}

static uint64_t wrong_samples(const host_recording *recording, uint64_t period, double apart) {
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < recording->count; i++) {
    wrong += !(fabs(recording->samples[i] - (double)value_at(period != 0 ? i % period : i) / 32768) <= apart);
  }
  return wrong;
}

static void test_kinds(void) {
  static const struct {
    uint32_t tag, bits, sample_format;
  } kinds[] = {{1, 8, MSDK_SAMPLE_F32}, {1, 16, MSDK_SAMPLE_S16}, {1, 24, MSDK_SAMPLE_F32}, {1, 32, MSDK_SAMPLE_F32},
               {3, 32, MSDK_SAMPLE_F32}};
  static bytes file;
  for (size_t k = 0; k < 5; k++) {
    for (uint32_t mode = 0; mode < 16; mode++) {
      recipe wanted = {.tag = kinds[k].tag, .bits = kinds[k].bits, .channels = mode % 2 + 1, .rate = mode % 3 ? 48000 : 11025};
      wanted.samples = 1003;
      wanted.extensible = mode / 2 % 2;
      wanted.odd_chunk = mode / 4 % 2;
      wanted.rf64 = mode / 8;
      make(&file, wanted);
      host_instance instance;
      CHECK_EQ(open_file(&instance, store("a.wav", file.data, file.size), 0), MSDK_OK);
      msdk_audio_format format = MSDK_INIT(msdk_audio_format);
      CHECK_EQ(producer->capture_settings(instance.self, &format), MSDK_OK);
      CHECK_EQ(format.sample_format, kinds[k].sample_format);
      CHECK_EQ(format.sample_rate, wanted.rate);
      CHECK_EQ(format.channels, wanted.channels);
      CHECK_EQ(format.frames_per_buffer, wanted.rate / 100);
      CHECK_EQ(producer->set_format(instance.self, &format), MSDK_OK);
      CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
      CHECK_EQ(play(&instance, 1000), MSDK_E_CLOSED);
      const host_recording *recording = &instance.context.recording;
      CHECK_EQ(recording->count, 1003 * wanted.channels);
      CHECK_EQ(recording->ends, 1);
      CHECK_EQ(recording->mixed, 0);
      CHECK_EQ(recording->buffers, (1003 + wanted.rate / 100 - 1) / (wanted.rate / 100));
      CHECK_EQ(wrong_samples(recording, 0, kinds[k].bits == 8 ? 1.0 / 128 : 0), 0);
      CHECK_EQ(instance.context.errors, 0);
      close_file(&instance);
    }
  }
}

static void test_formats(void) {
  static bytes file;
  make(&file, (recipe){.tag = 1, .channels = 2, .rate = 44100, .bits = 16, .samples = 2000});
  host_instance instance;
  CHECK_EQ(open_file(&instance, store("a.wav", file.data, file.size), 0), MSDK_OK);
  msdk_audio_format good = host_audio_format(MSDK_SAMPLE_S16, 44100, 2), bad[5] = {good, good, good, good, good};
  bad[0].sample_format = MSDK_SAMPLE_F32;
  bad[1].sample_rate = 48000;
  bad[2].channels = 1;
  bad[3].planar = 1;
  bad[4].frames_per_buffer = 192001;
  for (int i = 0; i < 5; i++) {
    instance.context.error_text[0] = 0;
    CHECK_EQ(producer->set_format(instance.self, &bad[i]), MSDK_E_FORMAT);
    CHECK_TEXT(instance.context.error_text, i < 4 ? "the file is s16, 44100 Hz, 2 channels" : "192001");
  }
  CHECK_EQ(producer->set_format(instance.self, NULL), MSDK_E_INVALID);
  msdk_audio_frame *frame = NULL;
  CHECK_EQ(producer->produce_frame(instance.self, 0, &frame), MSDK_E_STATE);
  good.frames_per_buffer = 999;
  CHECK_EQ(producer->set_format(instance.self, &good), MSDK_OK);
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  /* An empty pool loses nothing. */
  instance.context.audio_pool_limit = 0;
  CHECK_EQ(play(&instance, 1), MSDK_E_AGAIN);
  instance.context.audio_pool_limit = 1;
  CHECK_EQ(play(&instance, 2), MSDK_OK);
  CHECK_EQ(instance.context.recording.ends, 0);
  CHECK_EQ(play(&instance, 2), MSDK_E_CLOSED);
  CHECK_EQ(instance.context.recording.buffers, 3);
  CHECK_EQ(wrong_samples(&instance.context.recording, 0, 0), 0);
  /* Stopped at the end and started again, it begins anew; stopped on the way, it goes on. */
  CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  host_recording_free(&instance.context.recording);
  CHECK_EQ(play(&instance, 1), MSDK_OK);
  CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  CHECK_EQ(play(&instance, 9), MSDK_E_CLOSED);
  CHECK_EQ(instance.context.recording.count, 4000);
  CHECK_EQ(wrong_samples(&instance.context.recording, 0, 0), 0);
  close_file(&instance);
}

static void test_loop(void) {
  static const uint32_t lengths[] = {1, 7, 480, 481, 1000};
  static bytes file;
  for (size_t l = 0; l < 5; l++) {
    for (uint32_t bits = 16; bits <= 32; bits += 16) {
      make(&file, (recipe){.tag = bits == 16 ? 1 : 3, .channels = 2, .rate = 48000, .bits = bits, .samples = lengths[l]});
      host_instance instance;
      CHECK_EQ(open_file(&instance, store("a.wav", file.data, file.size), 1), MSDK_OK);
      CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
      CHECK_EQ(play(&instance, 30), MSDK_OK);
      CHECK_EQ(instance.context.recording.count, 30 * 480 * 2);
      CHECK_EQ(instance.context.recording.ends, 0);
      CHECK_EQ(wrong_samples(&instance.context.recording, lengths[l] * 2, 0), 0);
      close_file(&instance);
    }
  }
}

/* Headers that lie about how much there is. */
static void test_lies(void) {
  static const struct {
    uint32_t says, plays;
  } lies[] = {{4000, 1000}, {0x7FFFFFFF, 1000}, {0xFFFFFFFF, 1000}, {0xFFFFFFFE, 1000}, {1000, 500}, {1, 0}, {0, 0}};
  static bytes file;
  for (size_t l = 0; l < 7; l++) {
    recipe wanted = {.tag = 1, .channels = 1, .rate = 48000, .bits = 16, .samples = 1000, .has_data_size = 1};
    wanted.data_size = lies[l].says;
    make(&file, wanted);
    host_instance instance;
    msdk_result result = open_file(&instance, store("a.wav", file.data, file.size), 0);
    if (lies[l].plays == 0) {
      CHECK_EQ(result, MSDK_E_CORRUPT);
      CHECK_TEXT(instance.context.error_text, "no samples");
    } else {
      CHECK_EQ(result, MSDK_OK);
      CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
      CHECK_EQ(play(&instance, 1000), MSDK_E_CLOSED);
      CHECK_EQ(instance.context.recording.count, lies[l].plays);
      CHECK_EQ(instance.context.recording.ends, 1);
      CHECK_EQ(wrong_samples(&instance.context.recording, 0, 0), 0);
    }
    close_file(&instance);
  }

  /* A file that becomes shorter while it plays. */
  make(&file, (recipe){.tag = 1, .channels = 1, .rate = 48000, .bits = 16, .samples = 2000});
  for (int loop = 0; loop < 2; loop++) {
    host_instance instance;
    const char *path = store("a.wav", file.data, file.size);
    CHECK_EQ(open_file(&instance, path, loop), MSDK_OK);
    CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
    CHECK_EQ(play(&instance, 1), MSDK_OK);
    CHECK_EQ(truncate(path, 44 + 2 * 1100), 0);
    CHECK_EQ(play(&instance, 20), loop ? MSDK_OK : MSDK_E_CLOSED);
    CHECK_EQ(instance.context.recording.count, loop ? 21 * 480 : 1100);
    if (loop) CHECK_EQ(truncate(path, 10), 0);
    if (loop) CHECK_EQ(play(&instance, 100), MSDK_E_CLOSED);
    close_file(&instance);
  }

  float strange[] = {0.5f, NAN, INFINITY, -INFINITY, -0.5f};
  make(&file, (recipe){.tag = 3, .channels = 1, .rate = 48000, .bits = 32, .samples = 5});
  memcpy(file.data + file.size - sizeof strange, strange, sizeof strange);
  host_instance instance;
  CHECK_EQ(open_file(&instance, store("a.wav", file.data, file.size), 0), MSDK_OK);
  CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
  CHECK_EQ(play(&instance, 9), MSDK_E_CLOSED);
  const float *samples = instance.context.recording.samples;
  CHECK(samples[0] == 0.5f && samples[1] == 0 && samples[2] == 0 && samples[3] == 0 && samples[4] == -0.5f);
  CHECK_EQ(instance.context.logs[MSDK_LOG_WARN], 1);
  close_file(&instance);
}

/* Whatever the bytes are: an error with words, or sound that ends. */
static int try_bytes(const bytes *file, uint64_t limit) {
  host_instance instance;
  int good = 1;
  msdk_result result = open_file(&instance, store("f.wav", file->data, file->size), 0);
  if (result < 0) {
    good = instance.context.errors == 1 && strstr(instance.context.error_text, "f.wav") != NULL;
  } else {
    good = producer->start_capture(instance.self) == MSDK_OK;
    result = play(&instance, 5000);
    good = good && result == MSDK_E_CLOSED && instance.context.recording.count <= limit;
  }
  unsigned long long count = instance.context.recording.count;
  if (!good) printf("result %d, \"%s\", %llu samples\n", result, instance.context.error_text, count);
  close_file(&instance);
  return good;
}

static void test_damage(void) {
  static bytes whole, file;
  for (uint32_t kind = 0; kind < 4; kind++) {
    make(&whole, (recipe){.tag = kind % 2 ? 3 : 1, .channels = 2, .rate = 48000, .bits = kind % 2 ? 32 : 16, .samples = 100,
                          .extensible = kind / 2, .odd_chunk = 1, .rf64 = kind / 2});
    size_t header = whole.size - 100 * (kind % 2 ? 8 : 4);
    uint32_t bad = 0;
    for (size_t size = 0; size < header + 20; size++) {
      file = whole;
      file.size = size;
      bad += !try_bytes(&file, 1000);
    }
    for (size_t at = 0; at < header; at++) {
      static const uint8_t values[] = {0, 1, 2, 0x7F, 0x80, 0xFF};
      for (size_t v = 0; v < 6; v++) {
        file = whole;
        file.data[at] = values[v];
        bad += !try_bytes(&file, 1000);
      }
    }
    CHECK_EQ(bad, 0);
  }
}

static void check_refused(const char *path, msdk_result wanted, const char *words) {
  host_instance instance;
  CHECK_EQ(open_file(&instance, path, 0), wanted);
  CHECK_TEXT(instance.context.error_text, words);
  CHECK_TEXT(instance.context.error_text, path);
  host_destroy(&instance);
}

static void test_refusals(void) {
  int before = host_open_descriptors();
  static bytes file;
  check_refused(host_path("none.wav"), MSDK_E_NOT_FOUND, "No such file");
  check_refused(host_folder(), MSDK_E_INVALID, "regular file");
  check_refused("/dev/zero", MSDK_E_INVALID, "regular file");
  CHECK_EQ(mkfifo(host_path("fifo"), 0600), 0);
  check_refused(host_path("fifo"), MSDK_E_INVALID, "regular file");
  check_refused(store("empty.wav", "", 0), MSDK_E_CORRUPT, "0 bytes");
  check_refused(store("short.wav", "RIFF\0\0\0\0WAV", 11), MSDK_E_CORRUPT, "11 bytes");
  check_refused(store("text.wav", "It is text and no sound.", 24), MSDK_E_UNSUPPORTED, "'It i'");
  check_refused(store("avi.wav", "RIFF\0\0\0\0AVI LIST", 16), MSDK_E_UNSUPPORTED, "RIFF/WAVE and RF64");
  check_refused(store("flac.wav", "fLaC\0\0\0\x22\x10\0\x10\0\0\0\0\0", 16), MSDK_E_UNSUPPORTED, "'fLaC'");
  check_refused(store("bare.wav", "RIFF\4\0\0\0WAVE", 12), MSDK_E_CORRUPT, "bare.wav");
  make(&file, (recipe){.tag = 1, .channels = 6, .rate = 48000, .bits = 16, .samples = 10});
  check_refused(store("six.wav", file.data, file.size), MSDK_E_UNSUPPORTED, "6 channels");
  make(&file, (recipe){.tag = 1, .channels = 1, .rate = 4000, .bits = 16, .samples = 10});
  check_refused(store("slow.wav", file.data, file.size), MSDK_E_UNSUPPORTED, "4000 samples a second");
  make(&file, (recipe){.tag = 1, .channels = 1, .rate = 48000, .bits = 16, .samples = 0});
  check_refused(store("silent.wav", file.data, file.size), MSDK_E_CORRUPT, "no samples");
  make(&file, (recipe){.tag = 1, .channels = 1, .rate = 48000, .bits = 16, .samples = 10});
  file.data[22] = 0;
  check_refused(store("none.wav", file.data, file.size), MSDK_E_CORRUPT, "none.wav");
  make(&file, (recipe){.tag = 1, .channels = 1, .rate = 0, .bits = 16, .samples = 10});
  host_instance instance;
  CHECK(open_file(&instance, store("still.wav", file.data, file.size), 0) < 0);
  CHECK_TEXT(instance.context.error_text, "still.wav");
  host_destroy(&instance);
  make(&file, (recipe){.tag = 0x31, .channels = 1, .rate = 48000, .bits = 16, .samples = 400});
  CHECK(open_file(&instance, store("gsm.wav", file.data, file.size), 0) < 0);
  CHECK_TEXT(instance.context.error_text, "gsm.wav");
  host_destroy(&instance);

  host_create(&instance, reader_class);
  CHECK_EQ(producer->init_capture(instance.self), MSDK_E_INVALID);
  CHECK_EQ(host_set_string(&instance, "path", ""), MSDK_E_INVALID);
  host_check_params(&instance);
  host_destroy(&instance);
  CHECK_EQ(host_open_descriptors(), before);
}

/* ---------------------------------------------------------------------------------------------------------------- renderer */

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
    uint8_t *file = load(path, &size);
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
    close_file(&instance);
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
  uint8_t *file = load(path, &size);
  for (int i = 0; i < 10; i++) CHECK_EQ((int16_t)number_at(file + 80 + 2 * i, 2), wanted[i]);
  free(file);
}

static uint64_t samples_in(const char *path) {
  host_instance instance;
  read_back(&instance, path);
  uint64_t count = instance.context.recording.count;
  close_file(&instance);
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
  close_file(&instance);

  /* Ten minutes are filled, more are logged and left out, and time goes on from there. */
  open_output(&instance, path, "s16");
  format.sample_rate = 8000;
  CHECK_EQ(render(&instance, format, 80, 1, begin), MSDK_OK);
  CHECK_EQ(render(&instance, format, 80, 1, begin + (600000 + 10) * ms), MSDK_OK);
  CHECK_EQ(instance.context.logs[MSDK_LOG_WARN], 0);
  CHECK_EQ(render(&instance, format, 80, 1, begin + (1200000 + 21) * ms), MSDK_OK);
  CHECK_EQ(instance.context.logs[MSDK_LOG_WARN], 1);
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
    uint8_t *file = load(path, &size);
    CHECK_EQ(size, 80 + i * 480 * 6); /* and the samples themselves are there */
    store("copy.wav", file, size);
    free(file);
    if (i < 100) continue; /* before the first second the header says none */
    read_back(&reader, copy);
    CHECK_EQ(reader.context.recording.count, i / 100 * 96000);
    CHECK_EQ(wrong_samples(&reader.context.recording, 0, 0), 0);
    close_file(&reader);
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
  close_file(&instance);
  unlink(path);
}

/* The file may grow to 20,000 bytes only, as on a full disk. */
static void test_full(void) {
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit before, tight;
  getrlimit(RLIMIT_FSIZE, &before);
  tight = before;
  tight.rlim_cur = 20000;
  msdk_audio_format format = host_audio_format(MSDK_SAMPLE_S16, 48000, 2);
  const char *path = host_path("out.wav");
  for (int gap = 0; gap < 2; gap++) {
    host_instance instance;
    open_output(&instance, path, "s16");
    msdk_result results[20];
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
    for (uint32_t i = 0; i < 20; i++) {
      results[i] = render(&instance, format, 480, i * 960, gap && i >= 10 ? 10000000000 : 1 + i * 10000000);
    }
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    CHECK_EQ(render(&instance, format, 480, 0, 0), MSDK_E_IO);
    CHECK_TEXT(instance.context.error_text, "File too large");
    CHECK_TEXT(instance.context.error_text, "out.wav");
    for (uint32_t i = 0; i < 20; i++) CHECK_EQ(results[i], i < 10 ? MSDK_OK : MSDK_E_IO);
    CHECK_EQ(instance.context.logs[MSDK_LOG_ERROR], 1); /* told once */
    close_output(&instance);
    read_back(&instance, path);
    CHECK_EQ(instance.context.recording.count, 9600);
    CHECK_EQ(wrong_samples(&instance.context.recording, 0, 0), 0);
    close_file(&instance);
  }
}

static void test_renderer_refusals(void) {
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
  CHECK_EQ(instance.context.logs[MSDK_LOG_WARN], 1);
  host_destroy(&instance);
  CHECK(access(host_path("fresh.wav"), F_OK) != 0);

  open_output(&instance, path, "s16");
  CHECK_EQ(render(&instance, format, 480, 0, 0), MSDK_OK);
  CHECK_EQ(host_set_string(&instance, "format", "f32"), MSDK_OK); /* of the next file */
  CHECK_EQ(host_set_string(&instance, "path", host_path("next.wav")), MSDK_OK);
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
  reader_class = host_load(argc, argv, "wav.so", "org.mediasdk.producer.wav");
  writer_class = host_load(argc, argv, "wav.so", "org.mediasdk.renderer.wav");
  producer = reader_class->audio_producer;
  renderer = writer_class->audio_renderer;
  test_kinds();
  test_formats();
  test_loop();
  test_lies();
  test_damage();
  test_refusals();
  test_round_trip();
  test_levels();
  test_gaps();
  test_crash();
  test_large();
  test_full();
  test_renderer_refusals();
  return check_done();
}
