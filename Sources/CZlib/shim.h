/* zlib: its functions begin with macros that Swift does not import. */
#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

/* What a stream of gzip (RFC 1952) holds. Returns its bytes, at most `most` of which are in `out`; -1: the stream is damaged, or holds more. */
static inline int64_t msdk_gunzip(const uint8_t *in, uint32_t size, uint8_t *out, uint32_t most) {
  z_stream stream = {0};
  /* Of gzip alone. */
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) return -1;
  stream.next_in = (Bytef *)in;
  stream.avail_in = size;
  stream.next_out = out;
  stream.avail_out = most;
  int result = inflate(&stream, Z_FINISH);
  int64_t written = most - stream.avail_out;
  inflateEnd(&stream);
  return result == Z_STREAM_END ? written : -1;
}

#endif
