/* checker.h - what `msdk plugin check` runs: a hostile host of its own, which speaks the plugin ABI directly and knows nothing of the
 * library.
 *
 * A check looks at a file, or at a class of it. It runs in a child process, which is killed and reaped when its time is over. Not for
 * several threads: texts stay until the next call. */
#ifndef CHECKER_H
#define CHECKER_H

#include <stdint.h>

enum { CHECKER_PASSED = 0, CHECKER_FAILED = 1, CHECKER_SKIPPED = 2 };

typedef struct checker_check {
  const char *id;
  const char *rule;     /* of mediasdk/plugin.h: P1..P7, or the declaration that says it */
  const char *summary;  /* a line for people */
  int32_t is_for_class; /* 0: of the file */
  int32_t is_needed;    /* 1: when it fails, the checks behind it cannot be run */
} checker_check;

int32_t checker_count(void);
const checker_check *checker_at(int32_t index);

typedef struct checker_request {
  const char *path;     /* of the plugin, absolute */
  const char *class_id; /* NULL for a check of the file */
  int32_t check;        /* the index */
  uint64_t seed;
  int32_t in_process;          /* 1: no child; what crashes ends this process, what hangs hangs it */
  uint32_t seconds;            /* of the child's life */
  const char *const *settings; /* a parameter's name, its value, the next name …; parameters that the class does not have are skipped */
  int32_t setting_count;       /* of pairs */
} checker_request;

/* CHECKER_*. */
int32_t checker_run(const checker_request *request);
const char *checker_rule(void); /* which rule the last run's failure breaks */
const char *checker_text(void); /* what was seen, or why it was skipped; "" */

/* The ids of the plugin's classes, found in a child; below 0 when there is no telling, or when no class has a parameter that is set. */
int32_t checker_classes(const checker_request *request);
const char *checker_class(int32_t index);

#endif
