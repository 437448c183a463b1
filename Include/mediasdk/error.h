/** @file
 * mediasdk/error.h - names of results, the text of the last error, the version */
#ifndef MEDIASDK_ERROR_H
#define MEDIASDK_ERROR_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MSDK_VERSION_STRING "0.1.0"
enum { MSDK_VERSION_MAJOR = 0, MSDK_VERSION_MINOR = 1, MSDK_VERSION_PATCH = 0 };
enum { MSDK_VERSION_NUMBER = MSDK_VERSION_MAJOR << 16 | MSDK_VERSION_MINOR << 8 | MSDK_VERSION_PATCH }; /**< increases with each release */

/** Returns the version of the library that is running, for example "0.1.0". It may be newer than MSDK_VERSION_STRING. The string is
 * static. [any thread] */
MSDK_EXPORT const char *msdk_version(void);

/** Returns the version of the library that is running as a number. It can be compared with MSDK_VERSION_NUMBER. [any thread] */
MSDK_EXPORT uint32_t msdk_version_number(void);

/** Returns the name of a result, for example "MSDK_E_RANGE". Every result >= 0 is "MSDK_OK". A result that this version does not
 * know is "MSDK_E_UNKNOWN". The string is static. [any thread] */
MSDK_EXPORT const char *msdk_status_string(msdk_result result);

/** Returns the error text of the last call that failed on the calling thread, or "" if none has failed. It is never NULL. A call
 * that succeeds does not clear it. The text has at most 1,023 bytes and is valid until the next call that fails on this thread.
 * [any thread] */
MSDK_EXPORT const char *msdk_last_error(void);

#ifdef __cplusplus
}
#endif
#endif /* MEDIASDK_ERROR_H */
