/* incoming_audio.h: what converts audio allocates nothing for a buffer, once it runs. This program's malloc counts. */
#include "sound.h"

static atomic_ullong allocations;

/* The sanitizers have a malloc of their own. */
#if !UNDER_ASAN && !UNDER_TSAN
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  atomic_fetch_add(&allocations, 1);
  *memory = __libc_memalign(alignment, size);
  return *memory == NULL ? 12 : 0;
}
#endif

/* Allocations of a second of a call, everything in it counted, after a second without a count. */
static unsigned long long of_a_second(uint32_t channels, uint32_t wanted_rate) {
  msdk_outgoing_audio_options options = sound_options(44100, channels, MSDK_SAMPLE_F32, 10);
  msdk_incoming_audio_options wanted = hearing_options(wanted_rate, channels, MSDK_SAMPLE_F32, 10);
  sound_call *it = sound_open(MSDK_CLOCK_VIRTUAL, &options, &wanted);
  it->heard.capacity = 4 * 48000; /* so that keeping what was heard allocates nothing */
  it->heard.samples = calloc(it->heard.capacity * channels, sizeof(float));
  sound_talk(it, SECOND);
  unsigned long long before = atomic_load(&allocations);
  sound_talk(it, SECOND);
  unsigned long long count = atomic_load(&allocations) - before;
  CHECK_RANGE(it->heard.count, 19 * (wanted_rate / 10), 2 * wanted_rate);
  sound_close(it);
  return count;
}

static void resampling_allocates_nothing(void) {
  void *counted = malloc(1);
  CHECK(counted != NULL && (under_tools() || atomic_load(&allocations) > 0));
  free(counted);
  for (uint32_t channels = 1; channels <= 2; channels++) {
    unsigned long long passed = of_a_second(channels, 44100), higher = of_a_second(channels, 48000), lower = of_a_second(channels, 16000);
    if (under_tools()) continue;
    CHECK_EQ(higher, passed);
    CHECK_EQ(lower, passed);
  }
}

int main(int argc, char **argv) {
  RUN(resampling_allocates_nothing);
  return check_finish();
}
