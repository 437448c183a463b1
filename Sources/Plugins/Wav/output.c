#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "output.h"
#include "../output_file.h"

enum { HEADER_MAX = 96, DS64_BYTES = 28 };
enum { TAG_PCM = 1, TAG_FLOAT = 3 };

msdk_result wav_output_open(wav_output *output, const char *path, bool shared) {
  output_file file = {.fd = -1};
  msdk_result result = output_file_open(&output->report, path, shared, false, &file);
  if (result < 0) return result;
  *output = (wav_output){.report = output->report, .fd = file.fd, .path = file.path, .created = file.created};
  return MSDK_OK;
}

static uint64_t frame_bytes(const wav_output *output) { return (uint64_t)output->channels * (output->bits / 8); }

static uint64_t end_of(const wav_output *output) { return output->header_bytes + output->written * frame_bytes(output); }

static msdk_result failed(const wav_output *output) {
  return report_fail(&output->report, MSDK_E_IO, "writing to '%.300s' at byte %llu: %s", output->path, (unsigned long long)end_of(output),
                  strerror(output->error));
}

/* Returns 0 or the errno. */
static int write_at(int fd, const uint8_t *bytes, uint64_t count, uint64_t at) {
  while (count > 0) {
    ssize_t done = pwrite(fd, bytes, (size_t)count, (off_t)at);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    if (done == 0) return EIO;
    bytes += done;
    at += (uint64_t)done;
    count -= (uint64_t)done;
  }
  return 0;
}

/* The file format is of little-endian numbers. */
static uint8_t *put(uint8_t *to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++) *to++ = (uint8_t)(value >> 8 * i);
  return to;
}

static uint8_t *put_name(uint8_t *to, const char *name) {
  memcpy(to, name, 4);
  return to + 4;
}

/* Returns how long it is. */
static uint32_t make_header(const wav_output *output, uint8_t *header) {
  uint64_t data = output->written * frame_bytes(output), all = output->header_bytes - 8 + data + data % 2;
  bool large = all > UINT32_MAX;
  uint8_t *at = put_name(header, large ? "RF64" : "RIFF");
  at = put_name(put(at, large ? UINT32_MAX : all, 4), "WAVE");
  at = put(put_name(at, large ? "ds64" : "JUNK"), DS64_BYTES, 4);
  at = put(at, large ? all : 0, 8);
  at = put(at, large ? data : 0, 8);
  at = put(at, large ? output->written : 0, 8);
  at = put(at, 0, 4);
  bool floats = output->bits == 32;
  at = put(put_name(at, "fmt "), floats ? 18 : 16, 4);
  at = put(put(at, floats ? TAG_FLOAT : TAG_PCM, 2), output->channels, 2);
  at = put(put(at, output->sample_rate, 4), output->sample_rate * frame_bytes(output), 4);
  at = put(put(at, frame_bytes(output), 2), output->bits, 2);
  if (floats) {
    at = put(put_name(put(at, 0, 2), "fact"), 4, 4);
    at = put(at, large ? UINT32_MAX : output->written, 4);
  }
  at = put(put_name(at, "data"), large ? UINT32_MAX : data, 4);
  return (uint32_t)(at - header);
}

/* In place: takes no room on the disk. */
static int update_header(wav_output *output) {
  uint8_t header[HEADER_MAX];
  int error = write_at(output->fd, header, make_header(output, header), 0);
  if (error == 0) output->told = output->written;
  return error;
}

/* What was written whole before stays, and nothing is written after it. */
static msdk_result give_up(wav_output *output, int error) {
  output->error = error;
  report_log(&output->report, MSDK_LOG_ERROR, "writing to '%.300s' at byte %llu: %s; nothing more is written", output->path,
          (unsigned long long)end_of(output), strerror(error));
  if (ftruncate(output->fd, (off_t)end_of(output)) != 0 || update_header(output) != 0) {
    report_log(&output->report, MSDK_LOG_WARN, "the header of '%.300s' states less than the file holds", output->path);
  }
  return failed(output);
}

msdk_result wav_output_begin(wav_output *output, uint32_t sample_rate, uint32_t channels, uint32_t bits) {
  output->sample_rate = sample_rate;
  output->channels = channels;
  output->bits = bits;
  uint8_t header[HEADER_MAX];
  output->header_bytes = make_header(output, header);
  int error = ftruncate(output->fd, 0) != 0 ? errno : update_header(output);
  return error == 0 ? MSDK_OK : give_up(output, error);
}

static msdk_result advance(wav_output *output, int error, uint64_t count) {
  if (error != 0) return give_up(output, error);
  output->written += count;
  if (output->written - output->told < output->sample_rate) return MSDK_OK;
  error = update_header(output);
  return error == 0 ? MSDK_OK : give_up(output, error);
}

msdk_result wav_output_append(wav_output *output, const void *samples, uint32_t count) {
  if (output->error != 0) return failed(output);
  return advance(output, write_at(output->fd, samples, count * frame_bytes(output), end_of(output)), count);
}

/* A hole in the file reads as zeros and is made at once, however long it is. */
msdk_result wav_output_append_silence(wav_output *output, uint64_t count) {
  if (output->error != 0) return failed(output);
  int error = ftruncate(output->fd, (off_t)(end_of(output) + count * frame_bytes(output))) != 0 ? errno : 0;
  return advance(output, error, count);
}

/* Chunks have even lengths. */
static msdk_result complete(wav_output *output) {
  uint8_t zero = 0;
  int error = output->written * frame_bytes(output) % 2 != 0 ? write_at(output->fd, &zero, 1, end_of(output)) : 0;
  int also = update_header(output);
  if (error == 0) error = also;
  if (error == 0) return MSDK_OK;
  return report_fail(&output->report, MSDK_E_IO, "completing '%.300s': %s", output->path, strerror(error));
}

msdk_result wav_output_close(wav_output *output) {
  if (output->fd < 0) return MSDK_OK;
  bool told = output->error != 0, begun = output->bits != 0;
  msdk_result completed = begun && !told ? complete(output) : MSDK_OK;
  const output_file file = {.fd = output->fd, .path = output->path, .created = output->created};
  msdk_result closed = output_file_close(&output->report, &file, begun, told || completed < 0);
  *output = (wav_output){.report = output->report, .fd = -1};
  return completed < 0 ? completed : closed;
}
