/* Sends the first ten seconds of a WAV file, and records the mix that another participant hears as a WAV file.
 *
 *     gcc wav.c $(pkg-config --cflags --libs mediasdk) && ./a.out INPUT.wav OUTPUT.wav [seconds]
 *
 * INPUT has 16 bits a sample, one or two channels, and a rate that streams accept, for example 48000 Hz. A loopback room lives inside the
 * process, so the listener, bob, is here too. */
#include <mediasdk/mediasdk.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(msdk_result result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s: %s\n", what, msdk_status_string(result), msdk_last_error());
  exit(1);
}

typedef struct wav {
  FILE *file;
  uint32_t rate, channels, bytes; /* bytes: of samples */
} wav;

/* Of a WAV file (RIFF), whose numbers are little-endian. */
static uint32_t number(const uint8_t *at, int size) {
  return size == 0 ? 0 : at[0] | number(at + 1, size - 1) << 8;
}

/* Leaves the file at its samples. */
static wav open_wav(const char *path) {
  wav it = {.file = fopen(path, "rb")};
  uint8_t head[12], chunk[8], format[16] = {0};
  int is_wav = it.file != NULL && fread(head, sizeof head, 1, it.file) == 1 && memcmp(head + 8, "WAVE", 4) == 0;
  while (is_wav && (is_wav = fread(chunk, sizeof chunk, 1, it.file) == 1) && memcmp(chunk, "data", 4) != 0) {
    long size = (long)number(chunk + 4, 4) + (chunk[4] & 1), kept = memcmp(chunk, "fmt ", 4) == 0 && size >= 16 ? 16 : 0;
    is_wav = fread(format, 1, (size_t)kept, it.file) == (size_t)kept && fseek(it.file, size - kept, SEEK_CUR) == 0;
  }
  it.channels = number(format + 2, 2);
  it.rate = number(format + 4, 4);
  if (is_wav && number(format, 2) == 1 && number(format + 14, 2) == 16) return it;
  fprintf(stderr, "%s is not a WAV file of 16-bit samples\n", path);
  exit(1);
}

/* Written before the samples, and again after them, when their number is known. */
static void write_head(const wav *it) {
  uint32_t frame = it->channels * 2;
  const uint32_t numbers[] = {it->bytes + 36, 16, it->channels << 16 | 1, it->rate, it->rate * frame, 16u << 16 | frame, it->bytes};
  const int places[] = {4, 16, 20, 24, 28, 32, 40};
  uint8_t head[] = "RIFF....WAVEfmt ....................data....";
  for (int i = 0; i < 28; i++) head[places[i / 4] + i % 4] = (uint8_t)(numbers[i / 4] >> 8 * (i % 4));
  rewind(it->file);
  fwrite(head, 44, 1, it->file);
}

static msdk_session *join(msdk_engine *engine, const char *user_id) {
  msdk_session_options options = MSDK_INIT(msdk_session_options);
  options.url = "loopback:lobby";
  options.user_id = user_id;
  msdk_session *session = NULL;
  must(msdk_session_create(engine, &options, &session), "msdk_session_create");
  must(msdk_session_connect(session), "msdk_session_connect");
  return session;
}

/* Reads one buffer of the mix, if there is one in time. */
static int record(msdk_incoming_audio *mix, uint32_t timeout_ms, wav *output) {
  msdk_audio_frame *heard = NULL;
  if (msdk_incoming_audio_read(mix, timeout_ms, &heard) < 0) return 0;
  output->bytes += heard->sample_count * output->channels * 2;
  fwrite(heard->planes[0], output->channels * 2, heard->sample_count, output->file);
  msdk_audio_frame_unref(heard);
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  wav input = open_wav(argv[1]), output = {.file = fopen(argv[2], "wb"), .rate = input.rate, .channels = 2};
  if (output.file == NULL) return perror(argv[2]), 1;
  write_head(&output);
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  msdk_session *alice = join(engine, "alice"), *bob = join(engine, "bob");

  /* Bob hears all others, mixed: a buffer every 20 ms, silent while nobody sends. */
  msdk_incoming_audio *mix = NULL;
  must(msdk_session_get_mixed_audio(bob, &mix), "msdk_session_get_mixed_audio");
  msdk_incoming_audio_options wanted = MSDK_INIT(msdk_incoming_audio_options);
  wanted.sample_rate = output.rate;
  wanted.sample_format = MSDK_SAMPLE_S16;
  wanted.queue_ms = 5000; /* so that nothing is dropped while this thread writes */
  must(msdk_incoming_audio_start(mix, &wanted), "msdk_incoming_audio_start");
  msdk_outgoing_audio_options options = MSDK_INIT(msdk_outgoing_audio_options);
  options.sample_rate = input.rate;
  options.channels = input.channels;
  msdk_outgoing_audio *stream = NULL;
  must(msdk_outgoing_audio_create(engine, &options, &stream), "msdk_outgoing_audio_create");
  must(msdk_session_start_audio(alice, stream), "msdk_session_start_audio");
  msdk_event event = MSDK_INIT(msdk_event); /* what is sent before somebody receives it is dropped */
  while (event.type != MSDK_EVENT_RECEIVERS || event.value == 0) must(msdk_session_next_event(alice, 5000, &event), "a receiver");

  /* A tenth of a second at a time. The stream sends in real time: write waits while its queue is full. */
  uint32_t second = input.rate * input.channels * 2, tenth = input.rate / 10 * input.channels * 2, sent = 0, size = tenth;
  uint8_t *piece = malloc(tenth);
  for (uint32_t most = (uint32_t)((argc > 3 ? atof(argv[3]) : 10) * second); piece != NULL && size == tenth && sent < most; sent += size) {
    size = (uint32_t)fread(piece, 1, tenth, input.file) / input.channels / 2 * input.channels * 2;
    must(msdk_outgoing_audio_write(stream, piece, size, 0, 5000, NULL), "msdk_outgoing_audio_write");
    while (record(mix, 0, &output)) {}
  }
  must(msdk_outgoing_audio_write(stream, NULL, 0, MSDK_WRITE_END, 5000, NULL), "msdk_outgoing_audio_write");
  must(msdk_outgoing_audio_wait_played(stream, 5000), "msdk_outgoing_audio_wait_played");
  /* Then the last of it has left. Half a second later it has also passed the mix. */
  for (int64_t end = msdk_engine_now(engine) + 500000000; msdk_engine_now(engine) < end;) record(mix, 100, &output);
  free(piece);
  write_head(&output);
  printf("sent %.1f s at %u Hz, recorded %.1f s\n", (double)sent / second, input.rate, (double)output.bytes / 4 / output.rate);
  msdk_engine_destroy(engine);
  return fclose(output.file) == 0 && sent > 0 ? 0 : 1;
}
