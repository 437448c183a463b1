/* Memory with borders that must not be crossed, and words for who crossed one. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "checks.h"

enum { REGIONS = 1024, STACK = 65536 };
static struct {
  const uint8_t *start;
  uint64_t size;
  const char *what;
} regions[REGIONS];
static uint32_t next_region;

void region_forbid(const void *start, uint64_t size, const char *what) {
  uint32_t at = __atomic_fetch_add(&next_region, 1, __ATOMIC_RELAXED) % REGIONS;
  regions[at].start = start;
  regions[at].size = size;
  regions[at].what = what;
}

void region_forget(const void *start) {
  for (int i = 0; i < REGIONS; i++) {
    if (regions[i].start == start) regions[i].start = NULL;
  }
}

static void on_fault(int number, siginfo_t *info, void *context) {
  const uint8_t *address = info->si_addr;
  const char *what = NULL;
  if (number == SIGSEGV || number == SIGBUS) {
    for (uint32_t i = 0; i < REGIONS; i++) {
      uint32_t at = (next_region - 1 - i) % REGIONS; /* the latest first */
      if (what == NULL && regions[at].start != NULL && address >= regions[at].start && address < regions[at].start + regions[at].size) {
        what = regions[at].what;
      }
    }
  }
  const char *how = "touched";
#if defined(__x86_64__)
  how = (((ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2) != 0 ? "wrote to" : "read";
#else
  (void)context;
#endif
  if (what != NULL) snprintf(result->fault, sizeof result->fault, "it %s %s", how, what);
  raise(number); /* the handler is gone by now: it dies as it would have */
}

void region_watch(void) {
  static uint8_t stack[STACK];
  stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternative, NULL);
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND};
  const int signals[] = {SIGSEGV, SIGBUS};
  for (int i = 0; i < 2; i++) sigaction(signals[i], &action, NULL);
}

uint8_t *pages_map(uint64_t size) {
  void *made = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) {
    fail("memory", "the checker itself has no memory");
    result->is_over = 1;
    _exit(1);
  }
  return made;
}

uint8_t *pages_before_guard(uint64_t size, uint64_t align, const char *what, uint8_t **base, uint64_t *length) {
  uint64_t rounded = (size + align - 1) / align * align, whole = (rounded + PAGE - 1) / PAGE * PAGE;
  *length = whole + PAGE;
  *base = pages_map(*length);
  mprotect(*base + whole, PAGE, PROT_NONE);
  region_forbid(*base + whole, PAGE, what);
  return *base + whole - rounded;
}

void pages_protect(const void *base, uint64_t length, int protection) {
  mprotect((void *)(uintptr_t)base, length, protection);
}

void pages_unmap(uint8_t *base, uint64_t length) {
  if (base != NULL) munmap(base, length);
}
