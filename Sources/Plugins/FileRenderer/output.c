#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "output.h"
#include "../output_file.h"

msdk_result fr_output_open(fr_output *output, const char *path, bool shared) {
  output_file file = {.fd = -1};
  msdk_result result = output_file_open(&output->report, path, shared, true, &file);
  if (result < 0) return result;
  *output = (fr_output){.report = output->report, .fd = file.fd, .path = file.path, .created = file.created, .regular = file.regular};
  return MSDK_OK;
}

static msdk_result failed(const fr_output *output) {
  return report_fail(&output->report, MSDK_E_IO, "writing to '%.300s' at byte %llu: %s", output->path, (unsigned long long)output->size,
                 strerror(output->error));
}

static msdk_result remember(fr_output *output, int error) {
  output->error = error;
  report_log(&output->report, MSDK_LOG_ERROR, "writing to '%.300s' at byte %llu: %s; nothing more is written", output->path,
         (unsigned long long)output->size, strerror(error));
  return failed(output);
}

/* Returns 0 or the errno. */
static int write_all(int fd, const uint8_t *bytes, uint64_t count) {
  while (count > 0) {
    ssize_t done = write(fd, bytes, count < (1u << 30) ? (size_t)count : (size_t)1 << 30);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    if (done == 0) return EIO;
    bytes += done;
    count -= (uint64_t)done;
  }
  return 0;
}

msdk_result fr_output_append(fr_output *output, const void *bytes, uint64_t count) {
  if (output->error != 0) return failed(output);
  if (!output->begun && output->regular && ftruncate(output->fd, 0) != 0) return remember(output, errno);
  output->begun = true;
  int error = write_all(output->fd, bytes, count);
  if (error == 0) {
    output->size += count;
    return MSDK_OK;
  }
  /* If even cutting fails, the file ends in part of a frame, which readers report; there is no more to be done. */
  if (output->regular && ftruncate(output->fd, (off_t)output->size) != 0) {
    report_log(&output->report, MSDK_LOG_WARN, "'%.300s' ends with a part of a frame: %s", output->path, strerror(errno));
  }
  return remember(output, error);
}

msdk_result fr_output_patch(fr_output *output, uint64_t at, const void *bytes, uint64_t count) {
  if (!output->regular) return MSDK_OK;
  ssize_t done;
  do done = pwrite(output->fd, bytes, (size_t)count, (off_t)at);
  while (done < 0 && errno == EINTR);
  if (done >= 0 && (uint64_t)done == count) return MSDK_OK;
  return report_fail(&output->report, MSDK_E_IO, "writing to '%.300s' at byte %llu: %s", output->path, (unsigned long long)at,
                 done < 0 ? strerror(errno) : "not all bytes were written");
}

msdk_result fr_output_close(fr_output *output) {
  if (output->fd < 0) return MSDK_OK;
  const output_file file = {.fd = output->fd, .path = output->path, .created = output->created};
  msdk_result result = output_file_close(&output->report, &file, output->begun, output->error != 0);
  *output = (fr_output){.report = output->report, .fd = -1};
  return result;
}
