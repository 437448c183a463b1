/* A file that a renderer writes: how it is opened and closed. Define _POSIX_C_SOURCE before the first #include. */
#ifndef PLUGIN_OUTPUT_FILE_H
#define PLUGIN_OUTPUT_FILE_H

#include "file_error.h"
#include "report.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* What was opened. */
typedef struct output_file {
  int fd;
  char *path;            /* owned */
  bool created, regular; /* created: there was no such file before; regular: no device, can be cut and patched */
} output_file;

/* Refuses a regular file that another renderer writes (MSDK_E_EXISTS); it is locked as long as it is open. The caller closes it. */
static inline msdk_result output_file_lock(const plugin_report *report, int fd, const char *path) {
  if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return MSDK_OK; /* not every file system has locks */
  return report_fail(report, MSDK_E_EXISTS, "'%.300s' is being written by another renderer; choose another path", path);
}

/* Leaves what is in the file alone. Regular files only, and devices if `devices`; never waits. `shared`: as the umask has it, not for the
 * owner alone, to whom belongs what is heard and seen in a call. A file that another renderer writes is refused. */
static inline msdk_result output_file_open(const plugin_report *report, const char *path, bool shared, bool devices, output_file *out) {
  const int flags = O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const mode_t mode = shared ? 0666 : 0600;
  int fd = open(path, flags | O_CREAT | O_EXCL, mode);
  bool created = fd >= 0;
  if (!created && errno == EEXIST) fd = open(path, flags | O_CREAT, mode);
  if (fd < 0) return report_fail(report, result_of(errno), "cannot open '%.300s' for writing: %s", path, strerror(errno));
  struct stat status;
  bool known = fstat(fd, &status) == 0, regular = known && S_ISREG(status.st_mode);
  if (!regular && !(known && devices && S_ISCHR(status.st_mode))) {
    close(fd); /* a fifo, say: its reader's end would reach the program as a signal */
    return report_fail(report, MSDK_E_INVALID, devices ? "'%.300s' is neither a regular file nor a character device"
                                                       : "'%.300s' is not a regular file", path);
  }
  msdk_result locked = regular ? output_file_lock(report, fd, path) : MSDK_OK;
  if (locked < 0) {
    close(fd);
    return locked;
  }
  size_t size = strlen(path) + 1;
  char *copy = malloc(size);
  if (copy == NULL) {
    close(fd);
    return report_fail(report, MSDK_E_NOMEM, "no memory for the path");
  }
  memcpy(copy, path, size);
  *out = (output_file){.fd = fd, .path = copy, .created = created, .regular = regular};
  return MSDK_OK;
}

/* In any case, and frees the path. A file that was created and never `begun` is removed. `failed`: it was reported before that something
 * is missing in the file. */
static inline msdk_result output_file_close(const plugin_report *report, const output_file *file, bool begun, bool failed) {
  msdk_result result = MSDK_OK;
  /* While it is locked: afterwards another renderer may write it. */
  if (!begun && file->created) unlink(file->path);
  if (close(file->fd) != 0 && errno != EINTR && !failed) {
    result = report_fail(report, MSDK_E_IO, "closing '%.300s': %s", file->path, strerror(errno));
  }
  if (!begun) report_log(report, MSDK_LOG_WARN, "nothing was written to '%.300s'", file->path);
  free(file->path);
  return result;
}

#endif
