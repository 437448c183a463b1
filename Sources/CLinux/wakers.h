/* eventfd(2), by which one thread ends another's wait for descriptors. */
#ifndef MEDIASDK_CLINUX_WAKERS_H
#define MEDIASDK_CLINUX_WAKERS_H

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static inline int msdk_waker_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
static inline void msdk_waker_set(int waker) { (void)!eventfd_write(waker, 1); }
static inline void msdk_waker_clear(int waker) { uint64_t value; (void)!read(waker, &value, sizeof value); }

#endif
