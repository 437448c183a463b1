/** @file
 * mediasdk/time.h - the monotonic clock, and conversions to other units of time
 *
 * Every timestamp is int64_t nanoseconds of CLOCK_MONOTONIC, or of the engine's virtual clock (engine.h). The functions below
 * convert timestamps and durations to and from the units of other systems. They round to nearest, halves away from zero, and
 * saturate at the limits of int64_t. They may be called in the child of a fork(). [any thread]
 */
#ifndef MEDIASDK_TIME_H
#define MEDIASDK_TIME_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the current time of CLOCK_MONOTONIC in nanoseconds. For timestamps use msdk_engine_now(), which also works with a
 * virtual clock. */
MSDK_EXPORT int64_t msdk_time_monotonic(void);

enum {
  MSDK_TICK_RATE = 10000000 /**< of ticks of 100 ns: Windows media timestamps, raw frames of Azure Communication Services */
};

/** Convert nanoseconds to and from units of a clock rate in Hz: 90,000 for RTP video (RFC 3551, section 5), the sample rate for
 * audio, or MSDK_TICK_RATE. If the rate is 0, the result is 0. */
MSDK_EXPORT int64_t msdk_time_to_units(int64_t nanoseconds, uint32_t rate);
MSDK_EXPORT int64_t msdk_time_from_units(int64_t units, uint32_t rate);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_TIME_H */
