#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "output.h"
#include "../output_file.h"

#include <libavformat/version.h>
#include <libavutil/error.h>
#include <libavutil/mem.h>

enum { BUFFER_BYTES = 65536 };

#if LIBAVFORMAT_VERSION_MAJOR >= 61
typedef const uint8_t rec_written;
#else
typedef uint8_t rec_written; /* FFmpeg before 7 promises nothing of the bytes it hands over */
#endif

msdk_result rec_output_open(rec_output *output, const char *path, bool shared) {
  output_file file = {.fd = -1};
  msdk_result result = output_file_open(&output->report, path, shared, true, &file);
  if (result < 0) return result;
  *output = (rec_output){.report = output->report, .fd = file.fd, .path = file.path, .created = file.created, .regular = file.regular};
  return MSDK_OK;
}

msdk_result rec_output_failed(const rec_output *output) {
  return report_fail(&output->report, MSDK_E_IO, "writing to '%.300s': %s; its first %lld bytes are usable", output->path, strerror(output->error),
                  (long long)output->good);
}

/* Keeps the first failure, and cuts the file back to where it was good. */
static void remember(rec_output *output, int error) {
  if (output->error != 0) return;
  output->error = error;
  report_log(&output->report, MSDK_LOG_ERROR, "writing to '%.300s' at byte %lld: %s; nothing more is written", output->path,
          (long long)output->at, strerror(error));
  if (output->regular && ftruncate(output->fd, (off_t)output->good) != 0) {
    report_log(&output->report, MSDK_LOG_WARN, "'%.300s' ends within a cluster or page: %s", output->path, strerror(errno));
  }
}

static int write_bytes(void *opaque, rec_written *bytes, int count) {
  rec_output *output = opaque;
  if (output->error != 0) return AVERROR(output->error);
  for (int written = 0; written < count;) {
    size_t left = (size_t)(count - written);
    const void *from = bytes + written;
    ssize_t done = output->regular ? pwrite(output->fd, from, left, (off_t)output->at) : write(output->fd, from, left);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      remember(output, done < 0 ? errno : EIO);
      return AVERROR(output->error);
    }
    written += (int)done;
    output->at += done;
    if (output->at > output->size) output->size = output->at;
  }
  return count;
}

static int64_t seek(void *opaque, int64_t offset, int whence) {
  rec_output *output = opaque;
  int64_t at;
  switch (whence & ~AVSEEK_FORCE) {
  case AVSEEK_SIZE: return output->size;
  case SEEK_SET: at = offset; break;
  case SEEK_CUR: at = output->at + offset; break;
  case SEEK_END: at = output->size + offset; break;
  default: return AVERROR(EINVAL);
  }
  if (at < 0) return AVERROR(EINVAL);
  output->at = at;
  return at;
}

msdk_result rec_output_begin(rec_output *output) {
  uint8_t *buffer = av_malloc(BUFFER_BYTES);
  if (buffer != NULL) output->io = avio_alloc_context(buffer, BUFFER_BYTES, 1, output, NULL, write_bytes, output->regular ? seek : NULL);
  if (output->io == NULL) {
    av_free(buffer);
    return report_fail(&output->report, MSDK_E_NOMEM, "no memory for writing to '%.300s'", output->path);
  }
  output->begun = true;
  if (output->regular && ftruncate(output->fd, 0) != 0) {
    remember(output, errno);
    return rec_output_failed(output);
  }
  return MSDK_OK;
}

void rec_output_mark_good(rec_output *output) {
  if (output->error == 0) output->good = output->size;
}

msdk_result rec_output_close(rec_output *output) {
  if (output->fd < 0) return MSDK_OK;
  if (output->io != NULL) {
    av_freep(&output->io->buffer);
    avio_context_free(&output->io);
  }
  const output_file file = {.fd = output->fd, .path = output->path, .created = output->created};
  msdk_result result = output_file_close(&output->report, &file, output->begun, output->error != 0);
  *output = (rec_output){.report = output->report, .fd = -1};
  return result;
}
