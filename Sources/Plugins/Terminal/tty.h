/* The terminal, or the file in its place: never waits. All but opening and closing is the thread's. */
#ifndef TERMINAL_TTY_H
#define TERMINAL_TTY_H

#include "../report.h"

#include <stdbool.h>

enum { TM_COLUMNS_MAX = 1000, TM_ROWS_MAX = 500 };

typedef struct tm_tty {
  int fd;
  bool terminal; /* not a file */
  char name[300];
  const char *text; /* what is being written; the caller's */
  size_t length, done;
} tm_tty;

/* path: "" for the terminal of the process. A file is taken, and emptied, only if `sized`: it cannot tell how large a screen it is. */
msdk_result tm_tty_open(const plugin_report *report, const char *path, bool sized, bool shared, tm_tty *out);
void tm_tty_close(tm_tty *tty);

/* Of a terminal that tells; columns and rows are left as they are otherwise. */
void tm_tty_size(const tm_tty *tty, uint32_t *columns, uint32_t *rows);

void tm_tty_begin(tm_tty *tty, const char *text, size_t length);
static inline bool tm_tty_busy(const tm_tty *tty) { return tty->done < tty->length; }
/* Writes as much as can be written now. 0, or an errno. */
int tm_tty_write(tm_tty *tty);
/* Writes all, if that takes no longer than a second. */
bool tm_tty_drain(tm_tty *tty);
/* Throws away what the terminal has not taken, and has it go on if it was halted. */
void tm_tty_unblock(tm_tty *tty);

#endif
