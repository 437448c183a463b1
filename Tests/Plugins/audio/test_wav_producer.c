#define _XOPEN_SOURCE 700
#include "wav_play.h"

#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------------------- files made byte by byte */

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

/* ----------------------------------------------------------------------------------------------------------------- playing */

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
      host_finish(&instance);
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
  host_finish(&instance);
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
      host_finish(&instance);
    }
  }
}

/* A file that has a time at which it begins, and hosts that ask 10 ms apart, from 5 ns on: how many buffers they wait for, how much of the first one is
 * silent, and which sample follows. */
static void test_start(void) {
  enum { MS = 1000000 };
  static const struct {
    int64_t start_ns;
    uint32_t waits, silent, first;
  } table[] = {{0, 0, 0, 0}, {5, 0, 0, 0}, {5 + 3 * MS, 0, 144, 0}, {5 + 10 * MS, 1, 0, 0}, {5 + 27 * MS, 2, 336, 0}};
  static const struct {
    int64_t late_ns;
    uint32_t first;
  } late[] = {{1 * MS, 48}, {999 * MS, 47952}, {1000 * MS, 0}, {INT64_C(5000) * MS, 0}};
  static bytes file;
  make(&file, (recipe){.tag = 1, .channels = 1, .rate = 48000, .bits = 16, .samples = 30000});
  for (size_t t = 0; t < MSDK_COUNT(table) + MSDK_COUNT(late); t++) {
    int is_late = t >= MSDK_COUNT(table);
    int64_t due = is_late ? 5 + late[t - MSDK_COUNT(table)].late_ns : 5, start_ns = is_late ? 5 : table[t].start_ns;
    uint32_t waits = is_late ? 0 : table[t].waits, silent = is_late ? 0 : table[t].silent;
    uint32_t first = is_late ? late[t - MSDK_COUNT(table)].first : table[t].first;
    host_instance instance;
    CHECK_EQ(open_file(&instance, store("a.wav", file.data, file.size), 0), MSDK_OK);
    CHECK_EQ(host_set_u64(&instance, "start_ns", (uint64_t)start_ns), MSDK_OK);
    CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
    msdk_audio_frame *frame = NULL;
    msdk_result result;
    uint32_t waited = 0;
    while ((result = producer->produce_frame(instance.self, due, &frame)) == MSDK_E_AGAIN) waited++, due += 10 * MS;
    CHECK_EQ(waited, waits);
    if (first >= 30000) { /* the file is over by then */
      CHECK_EQ(result, MSDK_E_CLOSED);
    } else if (result == MSDK_OK) {
      const int16_t *samples = (const int16_t *)(const void *)frame->planes[0];
      CHECK_EQ(frame->sample_count, 480);
      for (uint32_t i = 0; i < silent; i++) CHECK_EQ(samples[i], 0);
      for (uint32_t i = silent; i < 480; i++) CHECK_EQ(samples[i], value_at(first + i - silent));
      host_audio_unref(frame);
      CHECK_EQ(producer->produce_frame(instance.self, due + 10 * MS, &frame), MSDK_OK); /* and on from there, without a gap */
      CHECK_EQ(*(const int16_t *)(const void *)frame->planes[0], value_at(first + 480 - silent));
      host_audio_unref(frame);
    } else {
      CHECK_EQ(result, MSDK_OK);
    }
    host_finish(&instance);
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
    host_finish(&instance);
  }

  /* A list that is longer than the file, which libsndfile would go through to its end. */
  static const uint8_t endless[] = "RIFF\x48\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x80\xBB\0\0\0\x77\1\0\2\0\x10\0LIST\xF0\xFF\xFF\x7F";
  host_instance listed;
  CHECK_EQ(open_file(&listed, store("a.wav", endless, sizeof endless - 1), 0), MSDK_E_CORRUPT);
  CHECK_TEXT(listed.context.error_text, "LIST chunk of 2147483632 bytes");
  host_finish(&listed);

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
    host_finish(&instance);
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
  CHECK_EQ(host_logs(&instance, MSDK_LOG_WARN, 1), 1);
  host_finish(&instance);
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
  host_finish(&instance);
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

int main(int argc, char **argv) {
  load_reader(argc, argv);
  test_kinds();
  test_formats();
  test_loop();
  test_start();
  test_lies();
  test_damage();
  test_refusals();
  return check_done();
}
