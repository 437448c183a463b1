/* mediasdk/error.h - what went wrong, in words; the version */
#ifndef MEDIASDK_ERROR_H
#define MEDIASDK_ERROR_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MSDK_VERSION_STRING "0.1.0"
enum { MSDK_VERSION_MAJOR = 0, MSDK_VERSION_MINOR = 1, MSDK_VERSION_PATCH = 0 };

/* The version of the library that is running, which may be newer than MSDK_VERSION_STRING. Static. [any thread] */
MSDK_EXPORT const char *msdk_version(void);

/* The name of a result, "MSDK_E_RANGE"; "MSDK_OK" for every result >= 0; "MSDK_E_UNKNOWN" for one this version does not know. Static.
 * [any thread] */
MSDK_EXPORT const char *msdk_status_string(msdk_result result);

/* The words of the calling thread's last failed call; "" when there was none. A success does not clear them. Valid until the thread's next
 * failing call: copy them to keep them. Never NULL. [any thread] */
MSDK_EXPORT const char *msdk_last_error(void);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_ERROR_H */
