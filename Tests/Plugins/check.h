/* Assertions that go on after a failure. A test program ends with `return check_done();`. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <stdio.h>
#include <string.h>

extern int check_passed, check_failed; /* in host.c */

static inline void check_report(int good, const char *file, int line, const char *what) {
  if (good) {
    check_passed++;
    return;
  }
  check_failed++;
  printf("%s:%d: failed: %s\n", file, line, what);
}

static inline void check_equal(long long got, long long wanted, const char *file, int line, const char *what) {
  if (got == wanted) {
    check_passed++;
    return;
  }
  check_failed++;
  printf("%s:%d: failed: %s is %lld, not %lld\n", file, line, what, got, wanted);
}

static inline void check_contains(const char *text, const char *part, const char *file, int line) {
  if (text != NULL && strstr(text, part) != NULL) {
    check_passed++;
    return;
  }
  check_failed++;
  printf("%s:%d: failed: \"%s\" does not contain \"%s\"\n", file, line, text != NULL ? text : "(null)", part);
}

static inline int check_done(void) {
  printf("%d passed, %d failed\n", check_passed, check_failed);
  return check_failed == 0 && check_passed > 0 ? 0 : 1;
}

#define CHECK(condition) check_report((condition) != 0, __FILE__, __LINE__, #condition)
#define CHECK_EQ(got, wanted) check_equal((long long)(got), (long long)(wanted), __FILE__, __LINE__, #got)
#define CHECK_TEXT(text, part) check_contains(text, part, __FILE__, __LINE__)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CHECK_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CHECK_SANITIZED 1
#endif
#endif
#ifndef CHECK_SANITIZED
#define CHECK_SANITIZED 0 /* 1: time means nothing */
#endif

#endif
