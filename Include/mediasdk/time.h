/* mediasdk/time.h - one clock, and its other units
 *
 * Every timestamp is int64_t nanoseconds: of CLOCK_MONOTONIC, or of the engine's virtual clock (engine.h). These helpers convert to the
 * units of neighbouring systems. They round to nearest, halves away from zero, and saturate at the ends of int64_t. [any thread]
 */
#ifndef MEDIASDK_TIME_H
#define MEDIASDK_TIME_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* CLOCK_MONOTONIC now. msdk_engine_now() is the one to use for timestamps. */
MSDK_EXPORT int64_t msdk_time_monotonic(void);

/* To and from ticks of 100 ns, the unit of Windows media timestamps and of Azure Communication Services' raw frames. */
MSDK_EXPORT int64_t msdk_time_to_ticks(int64_t nanoseconds);
MSDK_EXPORT int64_t msdk_time_from_ticks(int64_t ticks);

/* To and from units of a clock rate: 90000 for RTP video (RFC 3551, section 5), the sample rate for audio. A rate of 0 gives 0. */
MSDK_EXPORT int64_t msdk_time_to_units(int64_t nanoseconds, uint32_t rate);
MSDK_EXPORT int64_t msdk_time_from_units(int64_t units, uint32_t rate);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_TIME_H */
