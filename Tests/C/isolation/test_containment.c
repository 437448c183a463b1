/* What holds a plugin in a process of its own, as the kernel gives it and where the kernel gives nothing: tried by a plugin that does what it should
 * not. Each part is a program of its own, as it becomes somebody else: this one again, with the part's name. */
#include "isolating.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#define NOSY "org.mediasdk.nosy"
enum { NAMESPACES = MSDK_CONTAINED_USER | MSDK_CONTAINED_PROCESSES | MSDK_CONTAINED_IPC, NEW_NAMESPACES = 0x7E020000 };

static char plugin[4096], own_directory[256], logged[4096];

/* ------------------------------------------------------------------------------------------------------------ what is tried */

static void on_log(void *user, const msdk_log_record *record) {
  (void)user;
  size_t length = strlen(logged);
  snprintf(logged + length, sizeof logged - length, "%.1000s\n", record->text);
}

static msdk_result create(msdk_engine *engine, uint32_t flags, msdk_instance **out) {
  msdk_instance_options options = MSDK_INIT(msdk_instance_options);
  options.isolation = MSDK_ISOLATION_PROCESS;
  options.flags = flags;
  options.control_deadline_ms = 60000;
  return msdk_instance_create(engine, NOSY, &options, out);
}

static uint32_t containment(msdk_instance *instance) { return isolation_of(instance).containment; }

/* "what:of", as nosy.c lists them. */
static const char *attempt(msdk_instance *instance, const char *what, const char *of) {
  static char result[256];
  char text[512];
  msdk_value value;
  snprintf(text, sizeof text, "%s:%s", what, of);
  snprintf(result, sizeof result, "not tried");
  if (CHECK_OK(msdk_instance_set_param_text(instance, "try", text))) {
    CHECK_OK(msdk_instance_get_param(instance, "result", &value, result, sizeof result, NULL));
  }
  return result;
}

static const char *attempt_at(msdk_instance *instance, const char *what, int64_t number) {
  char text[32];
  snprintf(text, sizeof text, "%" PRId64, number);
  return attempt(instance, what, text);
}

#define CHECK_TRY(actual, expected)                                                                     \
  do {                                                                                                  \
    const char *got = (actual);                                                                         \
    if (!CHECK(strcmp(got, expected) == 0)) fprintf(stderr, "  %s: %s, expected %s\n", #actual, got, expected); \
  } while (0)

static int listener(int domain, const void *address, socklen_t size) {
  int descriptor = socket(domain, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(descriptor >= 0 && bind(descriptor, address, size) == 0 && listen(descriptor, 8) == 0);
  return descriptor;
}

static pid_t bystander(void) {
  pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    for (;;) pause();
  }
  return child;
}

static int is_alive(pid_t process) { return waitpid(process, NULL, WNOHANG) == 0; }

/* How many processes have this name. */
static int named(const char *name) {
  DIR *processes = opendir("/proc");
  int count = 0;
  for (struct dirent *entry; processes != NULL && (entry = readdir(processes)) != NULL;) {
    char path[300], text[32] = "";
    snprintf(path, sizeof path, "/proc/%s/comm", entry->d_name);
    FILE *file = entry->d_name[0] >= '0' && entry->d_name[0] <= '9' ? fopen(path, "r") : NULL;
    if (file == NULL) continue;
    if (fgets(text, sizeof text, file) != NULL) count += strncmp(text, name, strlen(name)) == 0;
    fclose(file);
  }
  if (processes != NULL) closedir(processes);
  return count;
}

static int has_landlock(void) { return syscall(444, NULL, 0, 1) >= 1; }

/* ------------------------------------------------------------------------------------------------------------------ parts */

static void others_are_out_of_reach(msdk_engine *engine, int has_namespaces) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int server = listener(AF_INET, &address, sizeof address);
  CHECK_EQ(getsockname(server, (struct sockaddr *)&address, &size), 0);
  int shared = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  pid_t other = bystander();
  msdk_instance *instance = NULL;
  CHECK_OK(create(engine, 0, &instance));
  uint32_t holds = containment(instance);
  CHECK_EQ(holds & NAMESPACES, has_namespaces ? NAMESPACES : 0);
  CHECK_EQ(holds & (MSDK_CONTAINED_NETWORK | MSDK_CONTAINED_FILES), 0);
#if defined(__x86_64__) || defined(__aarch64__)
  CHECK(holds & MSDK_CONTAINED_CALLS);
#endif
  CHECK_TRY(attempt_at(instance, "signal", other), has_namespaces ? "ESRCH" : "ok");
  CHECK_TRY(attempt_at(instance, "shared", shared), has_namespaces ? "EINVAL" : "ok");
  CHECK_TRY(attempt_at(instance, "connect", ntohs(address.sin_port)), "ok");
  CHECK_TRY(attempt(instance, "pipes", ""), "0");
  if (has_namespaces) {
    CHECK_TRY(attempt_at(instance, "memory", other), "EACCES");
    CHECK_TRY(attempt_at(instance, "kill", other), "ESRCH");
    CHECK_TRY(attempt(instance, "kill all", ""), "ESRCH");
    CHECK_TRY(attempt(instance, "capabilities", ""), getuid() == 0 ? "000000000000001f" : "0000000000000000");
  }
  CHECK(is_alive(other));
  msdk_instance_destroy(instance);
  shmctl(shared, IPC_RMID, NULL);
  kill(other, SIGKILL);
  waitpid(other, NULL, 0);
  close(server);
}

static void nothing_is_left(msdk_engine *engine) {
  char name[16];
  snprintf(name, sizeof name, "nosy-%d", (int)getpid());
  msdk_instance *instance = NULL;
  CHECK_OK(create(engine, MSDK_ISOLATED_MAY_FORK, &instance));
  CHECK_TRY(attempt(instance, "leave", name), "ok");
  for (int tries = 0; tries < 6000 && named(name) < 8; tries++) sleep_ms(5);
  CHECK_EQ(named(name), 8);
  msdk_instance_destroy(instance);
  for (int tries = 0; tries < 6000 && named(name) > 0; tries++) sleep_ms(5);
  CHECK_EQ(named(name), 0);
}

static void its_death_is_told(msdk_engine *engine) {
  msdk_instance *instance = NULL;
  CHECK_OK(create(engine, 0, &instance));
  CHECK_EQ(msdk_instance_set_param_text(instance, "try", "abort:"), MSDK_E_PLUGIN_DIED);
  msdk_instance_event event = MSDK_INIT(msdk_instance_event);
  do {
    CHECK_OK(msdk_instance_next_event(instance, 60000, &event));
  } while (event.event != MSDK_PLUGIN_EVENT_DIED && check_failed == 0);
  CHECK_STR_CONTAINS(event.text, "SIGABRT");
  msdk_instance_destroy(instance);
}

static void the_network_is_gone(msdk_engine *engine, int has_namespaces) {
  msdk_instance *instance = NULL;
  if (!has_namespaces) {
    CHECK_EQ(create(engine, MSDK_ISOLATED_NO_NETWORK, &instance), MSDK_E_UNSUPPORTED);
    CHECK_STR_CONTAINS(msdk_last_error(), "MSDK_ISOLATED_NO_NETWORK");
    CHECK_STR_CONTAINS(msdk_last_error(), "Operation not permitted");
    return;
  }
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int server = listener(AF_INET, &address, sizeof address);
  CHECK_EQ(getsockname(server, (struct sockaddr *)&address, &size), 0);
  struct sockaddr_un abstract = {.sun_family = AF_UNIX};
  snprintf(abstract.sun_path + 1, sizeof abstract.sun_path - 1, "nosy-%d", (int)getpid());
  int abstract_server = listener(AF_UNIX, &abstract, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(abstract.sun_path + 1)));
  static const uint32_t flags[] = {0, MSDK_ISOLATED_NO_NETWORK};
  for (int i = 0; i < 2; i++) {
    CHECK_OK(create(engine, flags[i], &instance));
    CHECK_EQ(containment(instance) & MSDK_CONTAINED_NETWORK, i == 0 ? 0 : MSDK_CONTAINED_NETWORK);
    CHECK_TRY(attempt_at(instance, "connect", ntohs(address.sin_port)), i == 0 ? "ok" : "ENETUNREACH");
    CHECK_TRY(attempt(instance, "abstract", abstract.sun_path + 1), i == 0 ? "ok" : "ECONNREFUSED");
    msdk_instance_destroy(instance);
  }
  close(server);
  close(abstract_server);
}

static void files_are_read_only(msdk_engine *engine) {
  char path[300], other[300];
  snprintf(path, sizeof path, "%s/there", own_directory);
  snprintf(other, sizeof other, "%s/made", own_directory);
  FILE *file = fopen(path, "w");
  NEED(file != NULL);
  fputs("something", file);
  fclose(file);
  msdk_instance *instance = NULL;
  if (!has_landlock()) {
    CHECK_EQ(create(engine, MSDK_ISOLATED_READ_ONLY, &instance), MSDK_E_UNSUPPORTED);
    CHECK_STR_CONTAINS(msdk_last_error(), "MSDK_ISOLATED_READ_ONLY needs Landlock");
  } else {
    CHECK_OK(create(engine, MSDK_ISOLATED_READ_ONLY, &instance));
    CHECK(containment(instance) & MSDK_CONTAINED_FILES);
    CHECK_TRY(attempt(instance, "read", path), "ok");
    static const char *const refused[] = {"write", "remove"};
    for (int i = 0; i < 2; i++) CHECK_TRY(attempt(instance, refused[i], path), "EACCES");
    if (syscall(444, NULL, 0, 1) >= 3) CHECK_TRY(attempt(instance, "cut", path), "EACCES");
    CHECK_TRY(attempt(instance, "make", other), "EACCES");
    CHECK_TRY(attempt(instance, "make directory", other), "EACCES");
    CHECK_TRY(attempt(instance, "write", "/dev/null"), "ok");
    /* What other processes have there, and what is no device of media. */
    char shared[64];
    snprintf(shared, sizeof shared, "/dev/shm/msdk-containment-%d", (int)getpid());
    int descriptor = open(shared, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    NEED(descriptor >= 0);
    close(descriptor);
    CHECK_TRY(attempt(instance, "write", shared), "EACCES");
    unlink(shared);
    CHECK_TRY(attempt(instance, "make", shared), "EACCES");
    static const char *const devices[] = {"/dev/mem", "/dev/loop0", "/dev/sda", "/dev/vda", "/dev/kmsg", "/dev/fuse", "/dev/net/tun", "/dev/uinput"};
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
      if (access(devices[i], W_OK) == 0) CHECK_TRY(attempt(instance, "write", devices[i]), "EACCES");
    }
    msdk_instance_destroy(instance);
  }
  CHECK_OK(create(engine, 0, &instance));
  CHECK_TRY(attempt(instance, "make", other), "ok");
  CHECK_TRY(attempt(instance, "cut", path), "ok");
  msdk_instance_destroy(instance);
  unlink(path);
  unlink(other);
}

static void one_in_this_process_is_not_held(msdk_engine *engine) {
  msdk_instance_options options = MSDK_INIT(msdk_instance_options);
  options.isolation = MSDK_ISOLATION_NONE;
  msdk_instance *instance = NULL;
  CHECK_OK(msdk_instance_create(engine, NOSY, &options, &instance));
  CHECK_EQ(containment(instance), 0);
  CHECK_EQ(msdk_instance_get_isolation(instance, NULL), MSDK_E_INVALID);
  msdk_instance_destroy(instance);
  msdk_instance_isolation out = MSDK_INIT(msdk_instance_isolation);
  CHECK_EQ(msdk_instance_get_isolation(instance, &out), MSDK_E_HANDLE);
  /* Nor can it be: what is asked for is not left out. */
  for (int i = 0; i < 2; i++) {
    options.flags = i == 0 ? MSDK_ISOLATED_NO_NETWORK : MSDK_ISOLATED_READ_ONLY;
    CHECK_EQ(msdk_instance_create(engine, NOSY, &options, &instance), MSDK_E_UNSUPPORTED);
    CHECK_STR_CONTAINS(msdk_last_error(), "process of its own");
  }
}

/* Everything, as whoever this process is now. */
static int run_part(int has_namespaces) {
  snprintf(own_directory, sizeof own_directory, "/tmp/msdk-containment-%d", (int)getpid());
  if (!CHECK_EQ(mkdir(own_directory, 0700), 0)) return 1;
  msdk_engine *engine = engine_new(MSDK_CLOCK_SYSTEM);
  CHECK_OK(msdk_engine_set_log_callback(engine, MSDK_LOG_WARN, on_log, NULL));
  if (!CHECK_OK(msdk_engine_load_plugin(engine, plugin))) return 1;
  others_are_out_of_reach(engine, has_namespaces);
  nothing_is_left(engine);
  its_death_is_told(engine);
  the_network_is_gone(engine, has_namespaces);
  files_are_read_only(engine);
  one_in_this_process_is_not_held(engine);
  CHECK_EQ(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
  /* Said once, though there were many. */
  const char *said = strstr(logged, "the kernel provides no namespaces");
  CHECK_EQ(said != NULL, !has_namespaces);
  CHECK(said == NULL || strstr(said + 1, "the kernel provides") == NULL);
  msdk_engine_destroy(engine);
  rmdir(own_directory);
  return check_failed > 0;
}

/* ---------------------------------------------------------------------------------------------------------------- who it is */

static void become_nobody(void) {
  if (setgroups(0, NULL) != 0 || setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0) _exit(98);
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

/* As containers and old kernels do it: for this process and all that it starts. */
static void refuse_all(void) {
  struct sock_filter program[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 444 /* landlock_create_ruleset */, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 3, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof program / sizeof program[0], program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) _exit(98);
}

/* Whether this user is given user namespaces with namespaces in them. */
static int can_have_namespaces(void (*become)(void)) {
  pid_t child = fork();
  if (child == 0) {
    if (become != NULL) become();
    pid_t inner = (pid_t)syscall(SYS_clone, (unsigned long)(0x38000000 | SIGCHLD), 0, 0, 0, 0); /* user, pid and ipc */
    if (inner == 0) _exit(0);
    _exit(inner < 0 || waitpid(inner, NULL, 0) != inner);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0;
}

static void run_as(const char *name, void (*become)(void), int has_namespaces) {
  pid_t child = fork();
  if (child == 0) {
    if (become != NULL) become();
    dup2(2, 1); /* its sum is not this program's */
    execl("/proc/self/exe", "test_containment", "part", has_namespaces ? "held" : "free", (char *)NULL);
    _exit(99);
  }
  int status = -1;
  waitpid(child, &status, 0);
  if (!CHECK_EQ(status, 0)) fprintf(stderr, "  as %s, %s namespaces\n", name, has_namespaces ? "with" : "without");
}

static void as_it_is(void) { run_as("this user", NULL, can_have_namespaces(NULL)); }

static void as_nobody(void) {
  if (getuid() != 0) return;
  pid_t child = fork();
  if (child == 0) {
    become_nobody();
    _exit(access("/proc/self/exe", R_OK | X_OK) != 0 || access(plugin, R_OK) != 0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  if (status != 0) return; /* the files of this build are not for everybody */
  run_as("nobody", become_nobody, can_have_namespaces(become_nobody));
}

static void refused_by_the_kernel(void) { run_as("this user", refuse_all, 0); }

/* ------------------------------------------------------------------------------------------------- a class that prefers it */

static int is_mapped(const char *name) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[1024];
  int found = 0;
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) found |= strstr(line, name) != NULL;
  if (maps != NULL) fclose(maps);
  return found;
}

static void a_wish_is_heard_before_the_file_is_loaded(void) {
  char directory[512], copy[600], command[6000];
  snprintf(directory, sizeof directory, "/tmp/msdk-wish-%d", (int)getpid());
  snprintf(copy, sizeof copy, "%s/wishful.so", directory);
  NEED(mkdir(directory, 0700) == 0);
  snprintf(command, sizeof command, "cp '%s' '%s' && chmod 755 '%s'", plugin, copy, copy);
  NEED(system(command) == 0);
  msdk_engine *engine = NULL;
  uint32_t loaded = 0;
  for (int round = 0; round < 2; round++) { /* seen, then known */
    CHECK_OK(msdk_engine_create(NULL, &engine));
    CHECK_OK(msdk_engine_add_plugin_dir(engine, directory, &loaded));
    CHECK_EQ(loaded, 1);
    CHECK(!is_mapped("wishful.so"));
    msdk_instance *instance = NULL;
    CHECK_OK(msdk_instance_create(engine, NOSY, NULL, &instance));
    CHECK_EQ(isolation_of(instance).is_isolated, 1);
    CHECK(!is_mapped("wishful.so"));
    msdk_instance_destroy(instance);
    if (round == 0) msdk_engine_destroy(engine);
  }
  msdk_instance_options options = MSDK_INIT(msdk_instance_options);
  options.isolation = MSDK_ISOLATION_NONE;
  msdk_instance *instance = NULL;
  CHECK_OK(msdk_instance_create(engine, NOSY, &options, &instance));
  CHECK_EQ(isolation_of(instance).is_isolated, 0);
  CHECK(is_mapped("wishful.so"));
  msdk_instance_destroy(instance);
  msdk_engine_destroy(engine);
  unlink(copy);
  rmdir(directory);
}

int main(int argc, char **argv) {
  const char *built = getenv("MSDK_TEST_ISOLATED"), *host = getenv("MSDK_TEST_PLUGIN_HOST");
  /* A library of a sanitizer with a host of none: engines that read the environment find it. */
  if (host != NULL) setenv("MSDK_PLUGIN_HOST", host, 1);
  setenv("MSDK_PLUGIN_ISOLATE", "", 1);
  snprintf(plugin, sizeof plugin, "%s/nosy.so", built != NULL ? built : ".");
  if (argc > 2 && strcmp(argv[1], "part") == 0) return run_part(strcmp(argv[2], "held") == 0);
  RUN(as_it_is);
  RUN(as_nobody);
  RUN(refused_by_the_kernel);
  RUN(a_wish_is_heard_before_the_file_is_loaded);
  return check_finish();
}
