/* GNU functions that Swift's Glibc module does not see, because it is built without _GNU_SOURCE. Signatures as in their manual pages. */
#ifndef MEDIASDK_CLINUX_SHIM_H
#define MEDIASDK_CLINUX_SHIM_H

#include <pthread.h>
#include <sys/eventfd.h>

/* Enumerators in C, which Swift would see as a type of their own. */
static inline int msdk_eventfd(unsigned int count) { return eventfd(count, EFD_CLOEXEC | EFD_NONBLOCK); }

extern int pthread_setname_np(pthread_t thread, const char *name);
extern char *secure_getenv(const char *name);

typedef struct msdk_dl_info { /* Dl_info of dladdr(3) */
  const char *file_name;
  void *base;
  const char *symbol_name;
  void *symbol_address;
} msdk_dl_info;

extern int dladdr(const void *address, void *info);

#endif
