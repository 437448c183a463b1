#define _DEFAULT_SOURCE
#include "tty.h"
#include "../monotonic.h"
#include "../output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

enum { PATIENCE_MS = 1000 };

msdk_result tm_tty_open(const plugin_report *report, const char *path, bool sized, bool shared, tm_tty *out) {
  bool own = path[0] == 0;
  tm_tty tty = {.fd = -1};
  snprintf(tty.name, sizeof tty.name, "%s", own ? "/dev/tty" : path);
  /* A terminal that is opened anew has a description of its own, so that nobody else's reads and writes stop waiting. */
  tty.fd = open(own ? "/dev/tty" : path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (sized && !own ? O_CREAT : 0), shared ? 0666 : 0600);
  if (tty.fd < 0 && own) {
    msdk_result result = errno == ENXIO ? MSDK_E_NOT_FOUND : result_of(errno);
    return report_fail(report, result, "this process has no terminal (/dev/tty: %s); the parameter 'path' can name one", strerror(errno));
  }
  if (tty.fd < 0) return report_fail(report, result_of(errno), "cannot open '%s' for writing: %s", tty.name, strerror(errno));
  struct stat status;
  bool known = fstat(tty.fd, &status) == 0, regular = known && S_ISREG(status.st_mode);
  if (!regular && !(known && S_ISCHR(status.st_mode))) {
    close(tty.fd); /* a fifo, say: its reader's end would reach the program as a signal */
    return report_fail(report, MSDK_E_INVALID, "'%s' is neither a terminal nor a regular file", tty.name);
  }
  tty.terminal = isatty(tty.fd) == 1;
  if (!tty.terminal && !sized) {
    close(tty.fd);
    return report_fail(report, MSDK_E_INVALID, "'%s' is not a terminal, so its size is unknown: set 'columns' and 'rows'", tty.name);
  }
  msdk_result locked = regular ? output_file_lock(report, tty.fd, tty.name) : MSDK_OK;
  if (locked < 0) {
    close(tty.fd);
    return locked;
  }
  if (regular && ftruncate(tty.fd, 0) != 0) {
    int error = errno;
    close(tty.fd);
    return report_fail(report, MSDK_E_IO, "cannot truncate '%s': %s", tty.name, strerror(error));
  }
  *out = tty;
  return MSDK_OK;
}

void tm_tty_close(tm_tty *tty) {
  if (tty->fd >= 0) close(tty->fd);
  tty->fd = -1;
}

void tm_tty_size(const tm_tty *tty, uint32_t *columns, uint32_t *rows) {
  struct winsize size;
  if (!tty->terminal || ioctl(tty->fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return;
  *columns = size.ws_col;
  *rows = size.ws_row;
}

void tm_tty_begin(tm_tty *tty, const char *text, size_t length) {
  tty->text = text;
  tty->length = length;
  tty->done = 0;
}

int tm_tty_write(tm_tty *tty) {
  while (tm_tty_busy(tty)) {
    ssize_t done = write(tty->fd, tty->text + tty->done, tty->length - tty->done);
    if (done < 0 && errno == EINTR) continue;
    if (done == 0 || (done < 0 && errno == EAGAIN)) return 0;
    if (done < 0) return errno;
    tty->done += (size_t)done;
  }
  return 0;
}

bool tm_tty_drain(tm_tty *tty) {
  int64_t until_ms = monotonic_ns() / 1000000 + PATIENCE_MS;
  for (;;) {
    if (tm_tty_write(tty) != 0) return false;
    if (!tm_tty_busy(tty)) return true;
    int64_t left_ms = until_ms - monotonic_ns() / 1000000;
    struct pollfd file = {.fd = tty->fd, .events = POLLOUT};
    if (left_ms <= 0 || poll(&file, 1, (int)left_ms) == 0) return false;
  }
}

void tm_tty_unblock(tm_tty *tty) {
  if (!tty->terminal) return;
  tcflush(tty->fd, TCOFLUSH);
  tcflow(tty->fd, TCOON);
}
