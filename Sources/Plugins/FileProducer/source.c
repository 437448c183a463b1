#include "source.h"

#include <stdlib.h>
#include <string.h>

/* Frames that are decoded but not shown come one at a time in good files; more in a row are left to the next call. */
enum { UNSEEN_IN_A_ROW = 8 };

static const fp_container *container_of(const uint8_t *head, uint64_t size) {
  if (size >= 9 && memcmp(head, "YUV4MPEG2", 9) == 0) return &fp_y4m;
  if (size >= 4 && memcmp(head, "DKIF", 4) == 0) return &fp_ivf;
  return NULL;
}

static msdk_result open_container(fp_source *source) {
  uint8_t head[9] = {0};
  uint64_t size = source->file.size < sizeof head ? source->file.size : sizeof head;
  if (size == 0) return fp_fail(&source->report, MSDK_E_CORRUPT, "the file is empty (0 bytes)");
  msdk_result result = fp_file_read(&source->file, 0, head, size, &source->report);
  if (result < 0) return result;
  const fp_container *container = container_of(head, size);
  if (container == NULL) {
    return fp_fail(&source->report, MSDK_E_UNSUPPORTED,
                   "the file begins with %02X %02X %02X %02X, neither with 'YUV4MPEG2' (Y4M) nor with 'DKIF' (IVF)", head[0], head[1],
                   head[2], head[3]);
  }
  source->container = container;
  result = container->open(source);
  if (result < 0) return result;

  fp_chunk chunk;
  result = container->locate(source, source->first, 0, &chunk);
  if (result == MSDK_E_CLOSED) {
    return fp_fail(&source->report, MSDK_E_CORRUPT, "the file ends at byte %llu, after its header: not one frame in it",
                   (unsigned long long)source->file.size);
  }
  return result;
}

msdk_result fp_source_open(fp_source *source, const char *path) {
  msdk_result result = fp_file_open(&source->file, path, &source->report);
  if (result < 0) return result;
  result = open_container(source);
  if (result < 0) {
    fp_source_close(source);
    return result;
  }
  fp_source_rewind(source);
  return MSDK_OK;
}

void fp_source_close(fp_source *source) {
  if (source->container != NULL) source->container->close(source);
  fp_file_close(&source->file);
  free(source->buffer);
  *source = (fp_source){.report = source->report, .file.fd = -1};
}

void fp_source_rewind(fp_source *source) {
  source->next = source->first;
  source->index = 0;
  source->decoded = 0;
}

msdk_result fp_source_reserve(fp_source *source, uint64_t size) {
  if (size <= source->buffer_size) return MSDK_OK;
  free(source->buffer);
  source->buffer = malloc((size_t)size);
  source->buffer_size = source->buffer != NULL ? size : 0;
  if (source->buffer != NULL) return MSDK_OK;
  return fp_fail(&source->report, MSDK_E_NOMEM, "no memory for a frame of %llu bytes", (unsigned long long)size);
}

/* Goes on to the next frame whether this one can be decoded or not; stays where a frame cannot be found or read. */
static msdk_result read_one(fp_source *source, fp_picture *out) {
  fp_chunk chunk;
  msdk_result result = source->container->locate(source, source->next, source->index, &chunk);
  if (result == MSDK_E_CLOSED && source->index > 0 && source->decoded == 0) {
    return fp_fail(&source->report, MSDK_E_CORRUPT, "none of the file's %llu frames can be decoded", (unsigned long long)source->index);
  }
  if (result < 0) return result;
  result = fp_source_reserve(source, chunk.size);
  if (result < 0) return result;
  result = fp_file_read(&source->file, chunk.offset, source->buffer, chunk.size, &source->report);
  if (result < 0) return result;
  source->next = chunk.offset + chunk.size;
  source->index++;
  result = source->container->decode(source, source->buffer, chunk.size, out);
  if (result == MSDK_OK) source->decoded++;
  return result;
}

msdk_result fp_source_read(fp_source *source, fp_picture *out) {
  msdk_result result = MSDK_E_AGAIN;
  for (int i = 0; i < UNSEEN_IN_A_ROW && result == MSDK_E_AGAIN; i++) {
    uint64_t before = source->index;
    result = read_one(source, out);
    if (result == MSDK_E_CORRUPT && source->index > before) return MSDK_E_AGAIN;
  }
  return result;
}

msdk_result fp_source_skip(fp_source *source) {
  if (source->container->needs_every_frame) {
    fp_picture unused;
    msdk_result result = fp_source_read(source, &unused);
    return result == MSDK_E_AGAIN ? MSDK_OK : result;
  }
  fp_chunk chunk;
  msdk_result result = source->container->locate(source, source->next, source->index, &chunk);
  if (result < 0) return result;
  source->next = chunk.offset + chunk.size;
  source->index++;
  source->decoded++; /* would have been: of these containers, only the one that needs every frame has frames that cannot be decoded */
  return MSDK_OK;
}

bool fp_source_ends_before(fp_source *source, uint64_t ahead) {
  uint64_t at = source->next;
  fp_chunk chunk;
  source->report.quiet = 1; /* what is wrong further on is told when it is reached */
  while (ahead > 0 && source->container->locate(source, at, source->index, &chunk) == MSDK_OK) {
    at = chunk.offset + chunk.size;
    ahead--;
  }
  source->report.quiet = 0;
  return at >= source->file.size;
}

bool fp_rate(uint64_t num, uint64_t den, uint32_t *out_num, uint32_t *out_den) {
  if (num == 0 || den == 0 || num / den > 1000) return false;
  uint64_t a = num, b = den;
  while (b != 0) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  num /= a;
  den /= a;
  while (num > UINT32_MAX || den > UINT32_MAX) {
    num >>= 1;
    den >>= 1;
  }
  if (num == 0 || den == 0) return false;
  *out_num = (uint32_t)num;
  *out_den = (uint32_t)den;
  return true;
}
