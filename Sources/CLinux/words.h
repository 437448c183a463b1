/* Words in memory that two processes share, to wait by: futex(2), which Swift cannot import. Any value may stand there: whoever reads one has a copy
 * and checks that. */
#ifndef MEDIASDK_CLINUX_WORDS_H
#define MEDIASDK_CLINUX_WORDS_H

#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline uint32_t msdk_word_load(const void *word) { return __atomic_load_n((const uint32_t *)word, __ATOMIC_SEQ_CST); }
static inline void msdk_word_store(void *word, uint32_t value) { __atomic_store_n((uint32_t *)word, value, __ATOMIC_SEQ_CST); }
static inline void msdk_word_replace(void *word, uint32_t value, uint32_t by) {
  __atomic_compare_exchange_n((uint32_t *)word, &value, by, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Sleeps while the word has that value, until it is woken or the time (CLOCK_MONOTONIC) has come, or for no reason. */
static inline void msdk_word_wait(void *word, uint32_t value, int64_t until_ns) {
  struct timespec until = {until_ns / 1000000000, until_ns % 1000000000};
  syscall(SYS_futex, word, FUTEX_WAIT_BITSET, value, &until, NULL, FUTEX_BITSET_MATCH_ANY);
}

static inline void msdk_word_wait_for_ever(void *word, uint32_t value) { syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0); }

/* Whoever sleeps there, in whichever process. */
static inline void msdk_word_wake(void *word) { syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0); }

static inline void msdk_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

extern int sched_getcpu(void);

/* Looks until the word has another value, without sleeping and without asking the kernel for anything but the time. */
static inline int msdk_word_watch(const void *word, uint32_t value, int64_t longest_ns) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    for (int i = 0; i < 64; i++) {
      if (msdk_word_load(word) != value) return 1;
      msdk_pause();
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < longest_ns);
  return 0;
}

#endif
