#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "output.h"
#include "../file_error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

msdk_result fr_output_open(fr_output *output, const char *path, bool shared) {
  const plugin_report *report = &output->report;
  const int flags = O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const mode_t mode = shared ? 0666 : 0600; /* what is heard and seen in a call is its owner's */
  int fd = open(path, flags | O_CREAT | O_EXCL, mode);
  bool created = fd >= 0;
  if (!created && errno == EEXIST) fd = open(path, flags | O_CREAT, mode);
  if (fd < 0) return report_fail(report, result_of(errno), "cannot open '%.300s' for writing: %s", path, strerror(errno));

  struct stat status;
  bool known = fstat(fd, &status) == 0;
  if (!known || !(S_ISREG(status.st_mode) || S_ISCHR(status.st_mode))) {
    close(fd); /* a fifo, say: its reader's end would reach the program as a signal */
    return report_fail(report, MSDK_E_INVALID, "'%.300s' is neither a regular file nor a character device", path);
  }
  output->path = strdup(path);
  if (output->path == NULL) {
    close(fd);
    return report_fail(report, MSDK_E_NOMEM, "no memory for the path");
  }
  output->fd = fd;
  output->created = created;
  output->begun = false;
  output->regular = S_ISREG(status.st_mode);
  output->size = 0;
  output->error = 0;
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
  msdk_result result = MSDK_OK;
  if (close(output->fd) != 0 && errno != EINTR && output->error == 0) {
    result = report_fail(&output->report, MSDK_E_IO, "closing '%.300s': %s", output->path, strerror(errno));
  }
  if (!output->begun) {
    report_log(&output->report, MSDK_LOG_WARN, "nothing was written to '%.300s'", output->path);
    if (output->created) unlink(output->path);
  }
  free(output->path);
  *output = (fr_output){.report = output->report, .fd = -1};
  return result;
}
