/* Commands of plugins in processes of their own: listed, checked and answered as in this process, values of any length, and what becomes of a call
 * that its process dies of. test_commands runs isolated, too. */
#include "isolating.h"

#include <signal.h>

static msdk_engine *engine;

static msdk_value text_of(const char *text) { return (msdk_value){.type = MSDK_T_STRING, .u.str = text}; }
static msdk_value number_of(int32_t number) { return (msdk_value){.type = MSDK_T_I32, .u.i32 = number}; }

static void they_are_listed_and_checked_before_anything_is_sent(void) {
  msdk_instance *instance = isolated(engine, "org.mediasdk.faulty.filter", 0);
  msdk_command command = MSDK_INIT(msdk_command);
  CHECK_OK(msdk_engine_class_command_at(engine, "org.mediasdk.faulty.filter", 0, &command));
  CHECK(strcmp(command.name, "work") == 0 && strcmp(command.summary, "adds the shade") == 0 && command.arg_count == 1);
  set(instance, "shade", "5");
  msdk_value value = number_of(37), result = {.type = 77};
  CHECK_OK(msdk_instance_call(instance, "work", &value, 1, &result));
  CHECK(result.type == MSDK_T_I32 && result.u.i32 == 42);
  CHECK_ERROR(msdk_instance_call(instance, "wrok", &value, 1, &result), MSDK_E_NOT_FOUND, "it has work, echo");
  CHECK_ERROR(msdk_instance_call(instance, "work", NULL, 0, &result), MSDK_E_INVALID, "is missing");
  value = text_of("many");
  CHECK_ERROR(msdk_instance_call(instance, "work", &value, 1, &result), MSDK_E_TYPE, "\"number\"");
  CHECK_ERROR(msdk_instance_call(instance, "refuse", NULL, 0, &result), MSDK_E_DEVICE_LOST, "in the plugin's own words");
  msdk_instance_destroy(instance);
}

/* Longer than any message, there and back. */
static void long_values(void) {
  enum { BYTES = 16 << 20, TEXT = 65536 };
  msdk_instance *instance = isolated(engine, "org.mediasdk.faulty.filter", 30000);
  unsigned char *bytes = malloc(BYTES);
  char *text = malloc(TEXT + 1);
  for (int i = 0; i < BYTES; i++) bytes[i] = (unsigned char)(i * 31 + (i >> 11));
  for (int i = 0; i < TEXT; i++) text[i] = (char)('a' + i % 26);
  text[TEXT] = 0;
  static const int sizes[] = {0, 1, 81919, 81920, 81921, 163840, 1000003, BYTES};
  enum { SIZES = sizeof sizes / sizeof sizes[0] };
  for (int i = 0; i < 2 * SIZES; i++) {
    uint64_t size = (uint64_t)sizes[i % SIZES];
    msdk_value value = {.type = MSDK_T_BYTES, .u.bytes = {bytes, size}}, result = {.type = 77};
    CHECK_OK(msdk_instance_call(instance, i < SIZES ? "send_back" : "send_back_beside", &value, 1, &result));
    CHECK(result.type == MSDK_T_BYTES && result.u.bytes.size == size);
    CHECK(size == 0 || (result.type == MSDK_T_BYTES && memcmp(result.u.bytes.data, bytes, (size_t)size) == 0));
  }
  msdk_value value = text_of(text), result = {.type = 77};
  CHECK_OK(msdk_instance_call(instance, "echo", &value, 1, &result));
  CHECK(result.type == MSDK_T_STRING && strcmp(result.u.str, text) == 0);
  msdk_value too_long = {.type = MSDK_T_BYTES, .u.bytes = {bytes, BYTES + 1}};
  CHECK_ERROR(msdk_instance_call(instance, "send_back", &too_long, 1, &result), MSDK_E_RANGE, "\"bytes\"");
  CHECK_OK(msdk_instance_call(instance, "echo", (msdk_value[]){text_of("short")}, 1, &result));
  CHECK(strcmp(result.u.str, "short") == 0);
  msdk_instance_destroy(instance);
  free(bytes);
  free(text);
}

/* The same of parameters, which a process that is started again is given once more. */
static void long_parameters(void) {
  enum { BYTES = 16 << 20 };
  msdk_instance *instance = isolated(engine, "org.mediasdk.faulty.filter", 30000);
  unsigned char *bytes = malloc(BYTES + 1), *read = malloc(BYTES);
  char pid[32];
  for (int i = 0; i < BYTES; i++) bytes[i] = (unsigned char)(i * 31 + (i >> 11));
  static const int sizes[] = {0, 1, 81800, 81920, 163840, BYTES, 1000003};
  uint64_t size = 0;
  for (int i = 0; i <= 7; i++) {
    msdk_value value = {.type = MSDK_T_BYTES, .u.bytes = {bytes, size}};
    if (i < 7) {
      value.u.bytes.size = size = (uint64_t)sizes[i];
      CHECK_OK(msdk_instance_set_param(instance, "data", &value));
    } else {
      CHECK_OK(msdk_instance_get_param(instance, "pid", &value, pid, sizeof pid, NULL));
      CHECK_EQ(kill(atoi(value.u.str), SIGKILL), 0);
    }
    value = (msdk_value){.type = 77};
    CHECK_OK(msdk_instance_get_param(instance, "data", &value, read, BYTES, NULL));
    CHECK(value.type == MSDK_T_BYTES && value.u.bytes.size == size);
    CHECK(size == 0 || (value.type == MSDK_T_BYTES && memcmp(value.u.bytes.data, bytes, (size_t)size) == 0));
  }
  msdk_value too_long = {.type = MSDK_T_BYTES, .u.bytes = {bytes, BYTES + 1}};
  CHECK_ERROR(msdk_instance_set_param(instance, "data", &too_long), MSDK_E_RANGE, "data");
  msdk_instance_destroy(instance);
  free(bytes);
  free(read);
}

typedef struct fault {
  const char *what, *word;
} fault;

/* The call that it dies of is not made again; the next one finds it with its parameters. `beside`: a thread-safe one. */
static void die(const fault *it, int beside) {
  const char *name = beside ? "wait_beside" : "work";
  char label[64];
  snprintf(label, sizeof label, "%s in %s", it->what, name);
  check_case = label;
  int hangs = strcmp(it->what, "loop") == 0 || strcmp(it->what, "stop") == 0;
  unlink(mark);
  msdk_instance *instance = isolated(engine, "org.mediasdk.faulty.filter", hangs ? 700 : 30000);
  set(instance, "shade", "9");
  set(instance, "mark", mark);
  set(instance, "at", name);
  set(instance, "fault", it->what);
  int before = pid_of(instance);
  msdk_value value = number_of(1), result = {.type = 77};
  CHECK_ERROR(msdk_instance_call(instance, name, &value, beside ? 0 : 1, &result), MSDK_E_PLUGIN_DIED, name);
  CHECK_EQ(result.type, 77);
  CHECK(came_back(instance, it->word));
  if (beside) CHECK_OK(msdk_instance_call(instance, name, NULL, 0, NULL));
  CHECK_OK(msdk_instance_call(instance, "work", &value, 1, &result));
  CHECK_EQ(result.u.i32, 10);
  CHECK(pid_of(instance) != before);
  msdk_instance_destroy(instance);
}

static void it_dies_of_a_command(void) {
  static const fault faults[] = {
    {"segfault", "SIGSEGV"}, {"abort", "SIGABRT"}, {"overflow", "SIGSEGV"}, {"loop", "did not return from command"},
    {"stop", "did not return from command"}, {"exit", "code 0"}, {"kill", "SIGKILL"}, {"forge", "it named"},
    {"garbage", "ended"}, {"noise", "ended"}, {"close", ""}, {"memory", "SIGABRT"}, {"reply", "its answer to"},
  };
  enum { FAULTS = sizeof faults / sizeof faults[0] };
  for (int i = 0; i < FAULTS; i++) die(&faults[i], 0);
  static const int some[] = {0, 3, 5, 7, 10};
  for (int i = 0; i < 5; i++) die(&faults[some[i]], 1);
}

/* A thread-safe one keeps nobody waiting: commands, parameters, pictures. */
static void *call_beside(void *instance) {
  CHECK_OK(msdk_instance_call(instance, "wait_beside", NULL, 0, NULL));
  return NULL;
}

static void thread_safe_ones_run_beside_the_rest(void) {
  msdk_instance *instance = isolated(engine, "org.mediasdk.faulty.filter", 30000);
  pthread_t threads[8];
  unlink(mark);
  set(instance, "mark", mark);
  set(instance, "at", "wait_beside");
  set(instance, "fault", "pause");
  for (int i = 0; i < 8; i++) CHECK_EQ(pthread_create(&threads[i], NULL, call_beside, instance), 0);
  WAIT_UNTIL(access(mark, F_OK) == 0); /* one is inside, and stays until it is told */
  msdk_value value = number_of(1), result = {.type = 77};
  set(instance, "shade", "6");
  CHECK_OK(msdk_instance_call(instance, "work", &value, 1, &result));
  CHECK_EQ(result.u.i32, 7);
  set(instance, "fault", "none");
  for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
  msdk_instance_destroy(instance);
}

/* It is called while the process is being started again. */
static void a_call_waits_for_its_process(void) {
  msdk_instance *instance = isolated(engine, "org.mediasdk.faulty.filter", 30000);
  set(instance, "shade", "3");
  for (int i = 0; i < 3; i++) {
    int process = pid_of(instance);
    CHECK(process > 0);
    kill(process, SIGKILL);
    msdk_value value = number_of(i), result = {.type = 77};
    msdk_result called = msdk_instance_call(instance, "work", &value, 1, &result);
    if (called == MSDK_E_PLUGIN_DIED) called = msdk_instance_call(instance, "work", &value, 1, &result); /* it was sent to the dying one */
    CHECK_OK(called);
    CHECK_EQ(result.u.i32, 3 + i);
  }
  msdk_instance_destroy(instance);
}

int main(int argc, char **argv) {
  isolating_begin();
  engine = loaded_engine(engine_new(MSDK_CLOCK_SYSTEM));
  RUN(they_are_listed_and_checked_before_anything_is_sent);
  RUN(long_values);
  RUN(long_parameters);
  RUN(it_dies_of_a_command);
  RUN(thread_safe_ones_run_beside_the_rest);
  RUN(a_call_waits_for_its_process);
  msdk_engine_destroy(engine);
  unlink(mark);
  return check_finish();
}
