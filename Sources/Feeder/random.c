#include "self.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

msdk_result random_bytes(uint8_t *bytes, size_t size) {
  for (size_t got = 0; got < size;) {
    ssize_t some = getrandom(bytes + got, size - got, 0);
    if (some < 0 && errno != EINTR) return fail(MSDK_E_IO, "no random bytes: getrandom: %s", strerror(errno));
    if (some > 0) got += (size_t)some;
  }
  return MSDK_OK;
}
