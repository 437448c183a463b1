/* instance.h, commands: one at a time unless they are thread-safe, whose words they are, whose results, and the end of the instance. */
#include "command_classes.h"

static msdk_engine *engine;
static msdk_instance *instance;

typedef struct caller {
  pthread_t thread;
  const char *name;
  int32_t number; /* an argument, if not 0 */
  msdk_result result;
  char words[256], text[64];
  atomic_int is_done;
} caller;

static void *call_command(void *argument) {
  caller *it = argument;
  msdk_value value = {.type = MSDK_T_I32, .u.i32 = it->number}, given = {0};
  it->result = msdk_instance_call(instance, it->name, &value, it->number != 0 ? 1 : 0, &given);
  if (it->result < 0) snprintf(it->words, sizeof it->words, "%s", msdk_last_error());
  atomic_store(&it->is_done, 1);
  return NULL;
}

static void begin(caller *it, const char *name, int32_t number) {
  *it = (caller){.name = name, .number = number};
  CHECK_EQ(pthread_create(&it->thread, NULL, call_command, it), 0);
}
static msdk_result end(caller *it) {
  pthread_join(it->thread, NULL);
  return it->result;
}
static void let_go(void) { atomic_store(&may_go, 1); }

static void open_instance(void) {
  atomic_store(&may_go, 0);
  command_inside = NULL;
  CHECK_OK(msdk_instance_create(engine, COMMANDS_ID, NULL, &instance));
}

static void others_wait_and_thread_safe_ones_do_not(void) {
  open_instance();
  caller slow, second, beside;
  begin(&slow, "wait", 0);
  WAIT_UNTIL(atomic_load(&waiting) == 1);
  int before = atomic_load(&commands_run);
  begin(&second, "nothing", 0);
  begin(&beside, "wait_beside", 0);
  WAIT_UNTIL(atomic_load(&waiting) == 2); /* inside, while the first is */
  CHECK_EQ(atomic_load(&commands_run), before + 1);
  CHECK(!atomic_load(&second.is_done));
  let_go();
  CHECK_OK(end(&slow));
  CHECK_OK(end(&second));
  CHECK_OK(end(&beside));
  msdk_instance_destroy(instance);
}

static void words_are_of_the_command_that_said_them(void) {
  enum { CALLERS = 6 };
  open_instance();
  caller callers[CALLERS];
  for (int i = 0; i < CALLERS; i++) begin(&callers[i], "refuse_beside", i + 1);
  WAIT_UNTIL(atomic_load(&waiting) == CALLERS); /* all have said theirs */
  CHECK_RESULT(msdk_instance_call(instance, "fails", NULL, 0, NULL), MSDK_E_DEVICE_LOST);
  let_go();
  for (int i = 0; i < CALLERS; i++) {
    char words[32];
    snprintf(words, sizeof words, "number %d", i + 1);
    CHECK_RESULT(end(&callers[i]), MSDK_E_IO);
    CHECK_STR_CONTAINS(callers[i].words, words);
  }
  msdk_instance_destroy(instance);
}

static msdk_result from_inside, from_beside;
static void call_again(void) {
  from_inside = msdk_instance_call(instance, "nothing", NULL, 0, NULL);
  CHECK_STR_CONTAINS(msdk_last_error(), from_inside < 0 ? "from inside a call to the same instance" : "");
  command_inside = NULL;
  from_beside = msdk_instance_call(instance, "inside_beside", NULL, 0, NULL);
}

static void from_inside_only_thread_safe_ones(void) {
  open_instance();
  command_inside = call_again;
  CHECK_OK(msdk_instance_call(instance, "inside", NULL, 0, NULL));
  CHECK_EQ(from_inside, MSDK_E_THREAD);
  CHECK_EQ(from_beside, MSDK_OK);
  command_inside = call_again; /* a thread-safe one holds nothing */
  CHECK_OK(msdk_instance_call(instance, "inside_beside", NULL, 0, NULL));
  CHECK_EQ(from_inside, MSDK_OK);
  CHECK_EQ(from_beside, MSDK_OK);
  msdk_instance_destroy(instance);
}

static void destroy_it(void) {
  int before = atomic_load(&commands_destroyed);
  msdk_instance_destroy(instance);
  CHECK_EQ(atomic_load(&commands_destroyed), before); /* not under the feet of the command */
}

static void destroyed_from_inside_it_ends_afterwards(void) {
  static const char *const names[] = {"inside", "inside_beside"};
  for (int i = 0; i < 2; i++) {
    open_instance();
    command_inside = destroy_it;
    int before = atomic_load(&commands_destroyed);
    CHECK_OK(msdk_instance_call(instance, names[i], NULL, 0, NULL));
    CHECK_EQ(atomic_load(&commands_destroyed), before + 1);
    CHECK_RESULT(msdk_instance_call(instance, "nothing", NULL, 0, NULL), MSDK_E_HANDLE);
  }
}

static void *destroy_beside(void *argument) {
  msdk_instance_destroy(instance);
  atomic_store((atomic_int *)argument, 1);
  return NULL;
}

static void destroying_waits_for_those_inside(void) {
  static const char *const names[] = {"wait", "wait_beside"};
  for (int i = 0; i < 2; i++) {
    open_instance();
    caller slow;
    pthread_t thread;
    atomic_int is_destroyed = 0;
    int before = atomic_load(&commands_destroyed);
    begin(&slow, names[i], 0);
    WAIT_UNTIL(atomic_load(&waiting) == 1);
    CHECK_EQ(pthread_create(&thread, NULL, destroy_beside, &is_destroyed), 0);
    sleep_ms(30);
    CHECK(!atomic_load(&is_destroyed));
    CHECK_EQ(atomic_load(&commands_destroyed), before);
    let_go();
    CHECK_OK(end(&slow));
    pthread_join(thread, NULL);
    CHECK_EQ(atomic_load(&commands_destroyed), before + 1);
  }
}

/* Each thread has its own: what one calls does not touch what another keeps. */
static void *keep_a_text(void *argument) {
  caller *it = argument;
  char name[32];
  int rounds = under_tools() ? 200 : 2000;
  snprintf(name, sizeof name, "caller %d", it->number);
  for (int i = 0; i < rounds; i++) {
    msdk_value given = {.type = MSDK_T_STRING, .u.str = name}, text = {0};
    it->result = msdk_instance_call(instance, "shout", &given, 1, &text);
    if (it->result < 0 || text.u.str[7] != '0' + it->number) return NULL;
    if (i == rounds - 1) snprintf(it->text, sizeof it->text, "%s", text.u.str);
  }
  return NULL;
}

static void results_are_of_their_thread(void) {
  open_instance();
  caller callers[4];
  for (int i = 0; i < 4; i++) {
    callers[i] = (caller){.number = i + 1};
    CHECK_EQ(pthread_create(&callers[i].thread, NULL, keep_a_text, &callers[i]), 0);
  }
  for (int i = 0; i < 4; i++) {
    CHECK_OK(end(&callers[i]));
    char expected[32];
    snprintf(expected, sizeof expected, "CALLER %d", i + 1);
    CHECK(strcmp(callers[i].text, expected) == 0);
  }
  msdk_instance_destroy(instance);
}

int main(int argc, char **argv) {
  engine = engine_new(MSDK_CLOCK_VIRTUAL);
  commands_load(engine);
  RUN(others_wait_and_thread_safe_ones_do_not);
  RUN(words_are_of_the_command_that_said_them);
  /* A plugin in another process calls nothing of the test's. */
  if (!tests_isolated()) RUN(from_inside_only_thread_safe_ones);
  if (!tests_isolated()) RUN(destroyed_from_inside_it_ends_afterwards);
  RUN(destroying_waits_for_those_inside);
  RUN(results_are_of_their_thread);
  msdk_engine_destroy(engine);
  CHECK_EQ(atomic_load(&commands_created), atomic_load(&commands_destroyed));
  return check_finish();
}
