/* A small harness: checks that count, print where and what, and quote msdk_last_error(). A program runs its cases with RUN and ends with
 * `return check_finish();`, which prints "N passed, N failed". Checks may be made on any thread. */
#ifndef CHECK_H
#define CHECK_H

#include <mediasdk/mediasdk.h>

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#elif __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#endif
#ifndef UNDER_ASAN
#define UNDER_ASAN 0
#endif
#ifndef UNDER_TSAN
#define UNDER_TSAN 0
#endif
/* Sanitizers and valgrind are slower and have threads and memory of their own. */
static inline int under_tools(void) { return UNDER_ASAN || UNDER_TSAN || getenv("MSDK_TEST_SLOW") != NULL; }

static atomic_int check_passed, check_failed;
static const char *check_case = "main";

static inline int check_count(int ok) {
  atomic_fetch_add(ok ? &check_passed : &check_failed, 1);
  return ok;
}

static inline void check_where(const char *file, int line) {
  const char *base = strrchr(file, '/');
  fprintf(stderr, "%s:%d: [%s] ", base != NULL ? base + 1 : file, line, check_case);
}

static inline void check_words(void) {
  const char *words = msdk_last_error();
  fprintf(stderr, "; last error: \"%s\"\n", words != NULL ? words : "(NULL)");
}

/* How many references there are; 0 for no live frame. */
static inline uint32_t video_references(const msdk_video_frame *frame) {
  uint32_t references = 0;
  return msdk_video_frame_get_references(frame, &references) == MSDK_E_HANDLE ? 0 : references;
}
static inline uint32_t audio_references(const msdk_audio_frame *frame) {
  uint32_t references = 0;
  return msdk_audio_frame_get_references(frame, &references) == MSDK_E_HANDLE ? 0 : references;
}

static inline int check_true(int ok, const char *text, const char *file, int line) {
  if (!check_count(ok)) {
    check_where(file, line);
    fprintf(stderr, "false: %s", text);
    check_words();
  }
  return ok;
}

static inline int check_eq(int64_t actual, int64_t expected, const char *text, const char *file, int line) {
  int ok = actual == expected;
  if (!check_count(ok)) {
    check_where(file, line);
    fprintf(stderr, "%s is %" PRId64 " (0x%" PRIx64 "), expected %" PRId64 " (0x%" PRIx64 ")", text, actual, (uint64_t)actual, expected,
            (uint64_t)expected);
    check_words();
  }
  return ok;
}

static inline int check_range(double actual, double low, double high, const char *text, const char *file, int line) {
  int ok = actual >= low && actual <= high;
  if (!check_count(ok)) {
    check_where(file, line);
    fprintf(stderr, "%s is %.6g, expected %.6g..%.6g", text, actual, low, high);
    check_words();
  }
  return ok;
}

static inline int check_result(msdk_result actual, msdk_result expected, const char *text, const char *file, int line) {
  int ok = expected == MSDK_OK ? actual >= 0 : actual == expected;
  if (!check_count(ok)) {
    check_where(file, line);
    fprintf(stderr, "%s gave %s (%d), expected %s", text, msdk_status_string(actual), actual, msdk_status_string(expected));
    check_words();
  }
  return ok;
}

static inline int check_contains(const char *actual, const char *part, const char *text, const char *file, int line) {
  int ok = actual != NULL && strstr(actual, part) != NULL;
  if (!check_count(ok)) {
    check_where(file, line);
    fprintf(stderr, "%s is \"%.600s\", which lacks \"%s\"\n", text, actual != NULL ? actual : "(NULL)", part);
  }
  return ok;
}

#define CHECK(condition) check_true((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define CHECK_EQ(actual, expected) check_eq((int64_t)(actual), (int64_t)(expected), #actual, __FILE__, __LINE__)
#define CHECK_RANGE(actual, low, high) check_range((double)(actual), (double)(low), (double)(high), #actual, __FILE__, __LINE__)
#define CHECK_STR_CONTAINS(actual, part) check_contains((actual), (part), #actual, __FILE__, __LINE__)
/* A call and the result it must give. */
#define CHECK_RESULT(call, expected) check_result((call), (expected), #call, __FILE__, __LINE__)
#define CHECK_OK(call) CHECK_RESULT(call, MSDK_OK)
/* ...and a word that its error text must contain. */
#define CHECK_ERROR(call, expected, part)         \
  do {                                            \
    if (CHECK_RESULT(call, expected)) {           \
      CHECK_STR_CONTAINS(msdk_last_error(), part); \
    }                                             \
  } while (0)
/* Leaves the case when what follows would make no sense. */
#define NEED(condition) \
  do {                  \
    if (!CHECK(condition)) return; \
  } while (0)

static inline const char *check_chosen(int count, char **arguments) { return count > 1 ? arguments[1] : NULL; }

/* Runs a case, or only the one that is named by the program's first argument. */
#define RUN(function)                                                          \
  do {                                                                         \
    const char *chosen = check_chosen(argc, argv);                             \
    if (chosen == NULL || strcmp(chosen, #function) == 0) {                    \
      check_case = #function;                                                  \
      if (getenv("MSDK_TEST_VERBOSE") != NULL) fprintf(stderr, "[%s]\n", #function); \
      function();                                                              \
    }                                                                          \
  } while (0)

static inline int check_finish(void) {
  int failed = atomic_load(&check_failed);
  printf("%d passed, %d failed\n", atomic_load(&check_passed), failed);
  fflush(stdout);
  return failed == 0 ? 0 : 1;
}

#endif
