/* A terminal that is left as it was: when the program exits, when nobody reads, when it goes away. */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include "terminal_view.h"

#include <signal.h>
#include <sys/wait.h>
#include <termios.h>

/* One that does not read at all is restored all the same: what it has not read is thrown away. */
static void test_stuck_reader(int halted) {
  terminal tty;
  host_instance instance;
  open_terminal(&tty, 100, 50);
  open_renderer(&instance, tty.name);
  if (halted) {
    CHECK_EQ(render(&instance, noisy(&instance, 100, 50, 1, 0)), MSDK_OK);
    await_noise(&tty, 0);
    CHECK_EQ(tcflow(tty.slave, TCOOFF), 0); /* as Ctrl-S does */
  }
  for (uint32_t seed = 1; seed < 30; seed++) {
    CHECK_EQ(render(&instance, noisy(&instance, 100, 50, 1, seed)), MSDK_OK);
    pause_ms(10);
  }
  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  CHECK_EQ(outstanding(&instance), 0);
  pump_all(&tty);
  CHECK_EQ(tty.screen.alternate, 0);
  CHECK_EQ(tty.screen.hidden, 0);
  CHECK_EQ(tty.screen.front, VT_DEFAULT);
  CHECK_EQ(host_logs(&instance, MSDK_LOG_WARN, 0), 0);
  host_destroy(&instance);
  close_terminal(&tty);
}

/* The terminal goes away: said once, with words, and no signal. */
static void test_hang_up(void) {
  terminal tty;
  host_instance instance;
  open_terminal(&tty, 30, 10);
  open_renderer(&instance, tty.name);
  CHECK_EQ(render(&instance, noisy(&instance, 30, 10, 1, 1)), MSDK_OK);
  await_noise(&tty, 1);
  close(tty.master);
  tty.master = -1;
  msdk_result result = MSDK_OK;
  int64_t until = deadline_ns();
  for (uint32_t seed = 2; result == MSDK_OK && host_monotonic_ns() < until; seed++) {
    result = render(&instance, noisy(&instance, 30, 10, 1, seed));
    if (result == MSDK_OK) pause_ms(10);
  }
  CHECK_EQ(result, MSDK_E_DEVICE_LOST);
  CHECK_TEXT(instance.context.error_text, "was closed");
  CHECK_TEXT(instance.context.error_text, tty.name);
  CHECK_EQ(render(&instance, noisy(&instance, 30, 10, 1, 0)), MSDK_E_DEVICE_LOST);
  CHECK_EQ(renderer->release_render(instance.self), MSDK_OK);
  CHECK_EQ(host_logs(&instance, MSDK_LOG_WARN, 1), 1);
  CHECK_EQ(outstanding(&instance), 0);
  host_destroy(&instance);
  close_terminal(&tty);
}

/* ------------------------------------------------------------------------------------------------ the process's own terminal */

/* In a process of its own, whose terminal it becomes; ends by `exit` while the picture is shown. */
static void show_and_exit(terminal *tty) {
  host_instance *instance = calloc(1, sizeof *instance);
  check_failed = 0;
  setsid();
  close(tty->slave);
  host_create(instance, class);
  CHECK_EQ(renderer->init_render(instance->self), MSDK_E_NOT_FOUND);
  CHECK_TEXT(instance->context.error_text, "no terminal");
  int own = open(tty->name, O_RDWR); /* of a session's leader without a terminal, it becomes the one */
  CHECK(own >= 0);
  CHECK_EQ(renderer->init_render(instance->self), MSDK_OK);
  CHECK_EQ(render(instance, noisy(instance, 30, 10, 3, 5)), MSDK_OK);
  fflush(stdout);
  if (check_failed > 0) _exit(9);
  /* A child of its own that exits leaves the picture alone. */
  pid_t child = fork();
  if (child == 0) exit(0);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) _exit(8);
  char go;
  while (read(own, &go, 1) != 1) {}
  exit(7);
}

static void test_exit(void) {
  terminal tty;
  open_terminal(&tty, 30, 10);
  struct termios plain_input;
  CHECK_EQ(tcgetattr(tty.slave, &plain_input), 0);
  plain_input.c_lflag &= ~(tcflag_t)(ECHO | ICANON);
  CHECK_EQ(tcsetattr(tty.slave, TCSANOW, &plain_input), 0);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) show_and_exit(&tty);
  await_noise(&tty, 5);
  pause_ms(200); /* in which the grandchild would do its harm */
  pump_all(&tty);
  CHECK_EQ(tty.screen.alternate, 1);
  CHECK_EQ(write(tty.master, "x", 1), 1);
  int status = 0;
  int64_t until = deadline_ns();
  pid_t ended = 0;
  while ((ended = waitpid(child, &status, WNOHANG)) == 0 && host_monotonic_ns() < until) pump(&tty, 20);
  CHECK_EQ(ended, child);
  if (ended != child) kill(child, SIGKILL);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  check_restored(&tty);
  CHECK_EQ(tty.screen.entered, 1);
  close_terminal(&tty);
}

static void test_leftovers(void) {
  int before = host_open_descriptors();
  for (int i = 0; i < 4; i++) {
    terminal tty;
    host_instance instance;
    open_terminal(&tty, 10, 5);
    open_renderer(&instance, tty.name);
    if (i % 2 == 0) CHECK_EQ(render(&instance, noisy(&instance, 10, 5, 1, 4)), MSDK_OK);
    if (i % 2 == 0) await_noise(&tty, 4);
    host_destroy(&instance);
    check_restored(&tty);
    CHECK_EQ(tty.screen.bytes > 0, i % 2 == 0); /* without a picture the terminal was left alone */
    close_terminal(&tty);
  }
  CHECK_EQ(host_open_descriptors(), before);
}

int main(int argc, char **argv) {
  load_terminal(argc, argv);
  if (!host_leaves_out("terminal-exit")) test_exit(); /* before there are threads, or files to be removed at exit */
  test_stuck_reader(0);
  test_stuck_reader(1);
  test_hang_up();
  test_leftovers();
  return check_done();
}
