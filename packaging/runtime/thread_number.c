/* After a fork the runtime asks again which thread this is. It keeps the number of a thread in the thread's memory, of whichever loads the
 * library from the beginning, and the child of a fork inherits that. Its locks of lazy constants are futexes that name their owner by the
 * number (FUTEX_LOCK_PI): in the child two threads that came to one constant at the same time would wait for ever.
 * The name is the runtime's own; should a later one lack it, the library is not linked. */
#include <pthread.h>
#include <sys/types.h>

/* swift::threading_impl::linux::ulock_get_tid()::tid; 0: not asked yet */
extern __thread pid_t thread_number __asm__("_ZZN5swift14threading_impl5linux13ulock_get_tidEvE3tid");

static void forget(void) { thread_number = 0; }

__attribute__((constructor)) static void begin(void) { pthread_atfork(NULL, NULL, forget); }
