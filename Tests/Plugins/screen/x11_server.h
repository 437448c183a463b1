/* X servers of the test's own, one at a time. Each of these functions is one check. */
#ifndef TESTS_X11_SERVER_H
#define TESTS_X11_SERVER_H

#include "check.h"
#include "host.h"

#include <signal.h>
#include <stdlib.h>

static char server_folder[300], display[32]; /* display: ":7", say */

static inline void server_stop(void) {
  if (server_folder[0] != 0) host_server("x11_server.sh", "STOP", server_folder, "", NULL, 0);
  server_folder[0] = 0;
}

/* With the arguments of Xvfb; "": one screen of 640x480 and 24 bits. False when it does not answer. */
static inline int server_start(const char *arguments) {
  static int is_registered;
  snprintf(server_folder, sizeof server_folder, "%s", host_path("server"));
  if (!is_registered) is_registered = atexit(server_stop) == 0; /* after host_path, whose folder is removed last */
  return host_server("x11_server.sh", "START", server_folder, arguments, display, sizeof display) && display[0] == ':';
}

/* At once, as a crash does. */
static inline void server_kill(void) { host_server("x11_server.sh", "KILL", server_folder, "", NULL, 0); }

static inline void server_signal(int number) {
  char path[400];
  int pid = 0;
  snprintf(path, sizeof path, "%s/pid", server_folder);
  FILE *file = fopen(path, "r");
  CHECK(file != NULL && fscanf(file, "%d", &pid) == 1 && pid > 1 && kill(pid, number) == 0);
  if (file != NULL) fclose(file);
}

#endif
