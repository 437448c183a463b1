#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "file.h"
#include "../file_error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a fifo";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

msdk_result fp_file_open(fp_file *file, const char *path, const plugin_report *report) {
  /* O_NONBLOCK: opening a fifo that nobody writes to would wait; for regular files it changes nothing. */
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return report_fail(report, result_of(errno), "cannot open '%.300s': %s", path, strerror(errno));
  struct stat status;
  if (fstat(fd, &status) != 0) {
    int error = errno;
    close(fd);
    return report_fail(report, MSDK_E_IO, "cannot read the type of '%.300s': %s", path, strerror(error));
  }
  if (!S_ISREG(status.st_mode)) {
    close(fd);
    return report_fail(report, MSDK_E_INVALID, "'%.300s' is %s; accepted: a regular file", path, kind_of(status.st_mode));
  }
  file->fd = fd;
  file->size = (uint64_t)status.st_size;
  return MSDK_OK;
}

void fp_file_close(fp_file *file) {
  if (file->fd >= 0) close(file->fd);
  file->fd = -1;
  file->size = 0;
}

msdk_result fp_file_read(const fp_file *file, uint64_t at, void *to, uint64_t count, const plugin_report *report) {
  uint8_t *bytes = to;
  while (count > 0) {
    size_t part = count < (1u << 30) ? (size_t)count : (size_t)1 << 30;
    ssize_t got = pread(file->fd, bytes, part, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return report_fail(report, MSDK_E_IO, "reading at byte %llu: %s", (unsigned long long)at, strerror(errno));
    if (got == 0) {
      return report_fail(report, MSDK_E_IO, "the file ends at byte %llu; it had %llu bytes when it was opened", (unsigned long long)at,
                     (unsigned long long)file->size);
    }
    bytes += got;
    at += (uint64_t)got;
    count -= (uint64_t)got;
  }
  return MSDK_OK;
}
