#include "source.h"

#include <stdlib.h>
#include <string.h>

/* Frames that are decoded but not shown come one at a time in good files. */
enum {
  HIDDEN_READ_MAX = 8,    /* more in a row are left to the next call */
  HIDDEN_LOOK_MAX = 1000, /* more in a row are damage */
};

static const fp_container *container_of(const uint8_t *head, uint64_t size) {
  if (size >= 9 && memcmp(head, "YUV4MPEG2", 9) == 0) return &fp_y4m;
  if (size >= 4 && memcmp(head, "DKIF", 4) == 0) return &fp_ivf;
  return NULL;
}

static msdk_result open_container(fp_source *source) {
  uint8_t head[9] = {0};
  uint64_t size = source->file.size < sizeof head ? source->file.size : sizeof head;
  if (size == 0) return report_fail(&source->report, MSDK_E_CORRUPT, "the file is empty (0 bytes)");
  msdk_result result = fp_file_read(&source->file, 0, head, size, &source->report);
  if (result < 0) return result;
  const fp_container *container = container_of(head, size);
  if (container == NULL) {
    return report_fail(&source->report, MSDK_E_UNSUPPORTED,
                   "the file begins with %02X %02X %02X %02X; accepted: 'YUV4MPEG2' (Y4M), 'DKIF' (IVF)", head[0], head[1],
                   head[2], head[3]);
  }
  source->container = container;
  result = container->open(source);
  if (result < 0) return result;

  fp_cursor cursor = {.next = source->first};
  uint64_t stamp;
  result = fp_source_look(source, &cursor, &stamp);
  if (result == MSDK_OK) return MSDK_OK;
  fp_chunk chunk;
  result = container->locate(source, source->first, 0, &chunk);
  if (result == MSDK_E_CLOSED) {
    return report_fail(&source->report, MSDK_E_CORRUPT, "the file ends at byte %llu, after its header, without a frame",
                   (unsigned long long)source->file.size);
  }
  if (result < 0) return result;
  return report_fail(&source->report, MSDK_E_CORRUPT, "none of the file's first %llu frames is meant to be shown", (unsigned long long)cursor.index);
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
  source->at = (fp_cursor){.next = source->first};
  source->decoded = 0;
}

msdk_result fp_source_reserve(fp_source *source, uint64_t size) {
  if (size <= source->buffer_size) return MSDK_OK;
  free(source->buffer);
  source->buffer = malloc((size_t)size);
  source->buffer_size = source->buffer != NULL ? size : 0;
  if (source->buffer != NULL) return MSDK_OK;
  return report_fail(&source->report, MSDK_E_NOMEM, "no memory for a frame of %llu bytes", (unsigned long long)size);
}

static void pass(fp_cursor *cursor, const fp_chunk *chunk) {
  cursor->next = chunk->offset + chunk->size;
  cursor->index++;
}

static msdk_result locate_next(fp_source *source, fp_chunk *out) {
  msdk_result result = source->container->locate(source, source->at.next, source->at.index, out);
  if (result == MSDK_E_CLOSED && source->at.index > 0 && source->decoded == 0) {
    return report_fail(&source->report, MSDK_E_CORRUPT, "none of the file's %llu frames can be decoded", (unsigned long long)source->at.index);
  }
  return result;
}

/* Goes on to the next frame whether this one can be decoded or not; stays where a frame cannot be read. */
static msdk_result read_one(fp_source *source, const fp_chunk *chunk, fp_picture *out) {
  msdk_result result = fp_source_reserve(source, chunk->size);
  if (result < 0) return result;
  result = fp_file_read(&source->file, chunk->offset, source->buffer, chunk->size, &source->report);
  if (result < 0) return result;
  pass(&source->at, chunk);
  if (!chunk->hidden) source->shown++;
  result = source->container->decode(source, source->buffer, chunk->size, out);
  if (result == MSDK_OK && !chunk->hidden) source->decoded++;
  return result == MSDK_E_CORRUPT ? MSDK_E_AGAIN : result;
}

msdk_result fp_source_read(fp_source *source, fp_picture *out) {
  for (int i = 0; i < HIDDEN_READ_MAX; i++) {
    fp_chunk chunk;
    msdk_result result = locate_next(source, &chunk);
    if (result < 0) return result;
    result = read_one(source, &chunk, out);
    if (!chunk.hidden || (result < 0 && result != MSDK_E_AGAIN)) return result;
  }
  return MSDK_E_AGAIN;
}

msdk_result fp_source_read_packet(fp_source *source, fp_chunk *out) {
  msdk_result result = source->container->locate(source, source->at.next, source->at.index, out);
  if (result < 0) return result;
  result = fp_source_reserve(source, out->size);
  if (result < 0) return result;
  result = fp_file_read(&source->file, out->offset, source->buffer, out->size, &source->report);
  if (result < 0) return result;
  pass(&source->at, out);
  if (!out->hidden) source->shown++;
  return MSDK_OK;
}

msdk_result fp_source_skip(fp_source *source) {
  if (source->container->needs_every_frame) {
    fp_picture unused;
    uint64_t before = source->shown;
    msdk_result result = fp_source_read(source, &unused);
    return result == MSDK_E_AGAIN && source->shown > before ? MSDK_OK : result;
  }
  fp_chunk chunk;
  msdk_result result = source->container->locate(source, source->at.next, source->at.index, &chunk);
  if (result < 0) return result;
  pass(&source->at, &chunk);
  source->shown++;
  source->decoded++; /* would have been: of these containers, only the one that needs every frame has frames that cannot be decoded */
  return MSDK_OK;
}

static void count_unit(const fp_source *source, fp_cursor *cursor, const fp_chunk *chunk) {
  bool is_next = source->unit_is_frame && cursor->index > 0 && chunk->stamp == cursor->stamp + 1;
  if (is_next && cursor->took_unit) cursor->taken++;
  cursor->took_unit = is_next && chunk->hidden;
  cursor->stamp = chunk->stamp;
}

msdk_result fp_source_look(fp_source *source, fp_cursor *cursor, uint64_t *stamp) {
  msdk_result result = MSDK_OK;
  fp_chunk chunk = {.hidden = true};
  source->report.is_quiet = 1;
  for (int i = 0; i < HIDDEN_LOOK_MAX && chunk.hidden && result == MSDK_OK; i++) {
    result = source->container->locate(source, cursor->next, cursor->index, &chunk);
    if (result == MSDK_OK) count_unit(source, cursor, &chunk);
    if (result == MSDK_OK) pass(cursor, &chunk);
  }
  source->report.is_quiet = 0;
  *stamp = chunk.stamp - cursor->taken;
  return result < 0 ? result : chunk.hidden ? MSDK_E_CORRUPT : MSDK_OK;
}
