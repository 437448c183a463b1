#include "self.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void unmake(slot *one) {
  if (one->state == SLOT_NONE) return;
  munmap(one->memory, one->size);
  close(one->memfd);
  one->needs_forget = one->needs_forget || one->is_registered;
  one->is_registered = false;
  one->state = SLOT_NONE;
}

void slots_free(msdk_feeder *feeder) {
  for (int i = 0; i < SLOTS_MAX; i++) unmake(&feeder->slots[i]);
}

/* Memory whose size nobody can change any more, as the session demands it. */
static msdk_result make(slot *one, size_t size) {
  int memfd = memfd_create("mediasdk-feeder", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  void *memory = MAP_FAILED;
  if (memfd >= 0 && ftruncate(memfd, (off_t)size) == 0 && fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
  }
  if (memory == MAP_FAILED) {
    int code = errno;
    if (memfd >= 0) close(memfd);
    return fail(MSDK_E_NOMEM, "no shared memory of %zu bytes: %s", size, strerror(code));
  }
  one->memfd = memfd;
  one->memory = memory;
  one->size = size;
  one->state = SLOT_FREE;
  return MSDK_OK;
}

/* One that fits, or is new, or is made anew in place of one that is too small. */
static msdk_result find(msdk_feeder *feeder, size_t size, uint32_t *found) {
  slot *slots = feeder->slots;
  for (uint32_t i = 0; i < feeder->slot_count; i++) {
    if (slots[i].state == SLOT_FREE && slots[i].size >= size) return *found = i, MSDK_OK;
  }
  for (uint32_t i = 0; i < feeder->slot_count; i++) {
    if (slots[i].state != SLOT_NONE && slots[i].state != SLOT_FREE) continue;
    unmake(&slots[i]);
    return *found = i, make(&slots[i], (size + 4095) / 4096 * 4096);
  }
  return fail(MSDK_E_AGAIN, "the session holds all %u slots", feeder->slot_count);
}

msdk_result msdk_feeder_acquire(msdk_feeder *feeder, uint32_t pixel_format, uint32_t width, uint32_t height, msdk_feeder_frame *frame) {
  if (feeder == NULL || frame == NULL) return fail(MSDK_E_INVALID, "%s is NULL", feeder == NULL ? "feeder" : "frame");
  if (frame->struct_size < sizeof *frame || frame->struct_size > 65536) {
    return fail(MSDK_E_INVALID, "frame.struct_size is %u; accepted: %zu or more", frame->struct_size, sizeof *frame);
  }
  if (!feeder->is_unix || feeder->slot_count == 0) return fail(MSDK_E_STATE, "shared memory needs a connection over a Unix socket");
  layout planes;
  msdk_result result = layout_of(pixel_format, width, height, 64, &planes);
  if (result < 0) return result;
  if (planes.size > feeder->largest) {
    return fail(MSDK_E_RANGE, "the frame has %llu bytes; the session accepts %llu", (unsigned long long)planes.size,
                (unsigned long long)feeder->largest);
  }
  uint32_t id = 0;
  pthread_mutex_lock(&feeder->lock);
  link_read(feeder);
  result = feeder->ended == MSDK_OK ? find(feeder, (size_t)planes.size, &id) : fail(MSDK_E_CLOSED, "%s", feeder->why);
  if (result >= 0) {
    feeder->slots[id].state = SLOT_ACQUIRED;
    memset(frame, 0, frame->struct_size);
    *frame = (msdk_feeder_frame){.struct_size = sizeof *frame, .pixel_format = pixel_format, .width = width, .height = height, .slot = id};
    uint8_t *at = feeder->slots[id].memory;
    for (uint32_t p = 0; p < planes.planes; p++) {
      uint64_t bytes = (uint64_t)planes.stride[p] * planes.rows[p];
      frame->plane[p] = (msdk_plane){.data = at, .size = bytes, .stride = (int32_t)planes.stride[p]};
      at += bytes;
    }
  }
  pthread_mutex_unlock(&feeder->lock);
  return result;
}

/* The slot that a frame of acquire's names, with the lock held; NULL when it was not acquired. */
static slot *acquired(msdk_feeder *feeder, const msdk_feeder_frame *frame) {
  if (frame->struct_size < sizeof *frame || frame->slot >= feeder->slot_count) return NULL;
  slot *one = &feeder->slots[frame->slot];
  return one->state == SLOT_ACQUIRED && frame->plane[0].data == one->memory ? one : NULL;
}

msdk_result msdk_feeder_submit(msdk_feeder *feeder, const msdk_feeder_frame *given) {
  if (feeder == NULL) return fail(MSDK_E_INVALID, "feeder is NULL");
  msdk_feeder_frame taken, *frame = &taken;
  layout planes;
  msdk_result result = take_frame(given, frame);
  if (result >= 0) result = layout_of(frame->pixel_format, frame->width, frame->height, 64, &planes);
  if (result < 0) return result;
  pthread_mutex_lock(&feeder->lock);
  slot *one = acquired(feeder, frame);
  if (one == NULL || planes.size > one->size) {
    result = fail(MSDK_E_INVALID, "frame.slot is %u with %ux%u; accepted: a frame from acquire", frame->slot, frame->width,
                  frame->height);
  } else if ((result = link_check(feeder)) >= 0) {
    uint8_t *start = link_reserve(feeder, 256), *at = start;
    if (start == NULL) {
      result = fail(MSDK_E_NOMEM, "out of memory");
    } else {
      if (one->needs_forget) at = put32(put32(put_head(at, 8, SAY_FORGET), frame->slot), 0);
      size_t pass_at = (size_t)(at - start);
      bool is_new = !one->is_registered;
      if (is_new) at = put64(put32(put32(put_head(at, 16, SAY_SLOT), frame->slot), 0), one->size);
      wire_frame wire = describe(frame, &planes);
      at = put_frame_header(put32(put32(put_head(at, 8 + FRAME_HEADER_SIZE, SAY_SLOT_FRAME), frame->slot), 0), &wire);
      one->needs_forget = false;
      one->is_registered = true;
      one->state = SLOT_SENT;
      link_send(feeder, (size_t)(at - start), is_new ? one->memfd : -1, pass_at);
    }
  }
  pthread_mutex_unlock(&feeder->lock);
  return result;
}

msdk_result msdk_feeder_discard(msdk_feeder *feeder, const msdk_feeder_frame *frame) {
  if (feeder == NULL || frame == NULL) return fail(MSDK_E_INVALID, "%s is NULL", feeder == NULL ? "feeder" : "frame");
  pthread_mutex_lock(&feeder->lock);
  slot *one = acquired(feeder, frame);
  if (one != NULL) one->state = SLOT_FREE;
  pthread_mutex_unlock(&feeder->lock);
  return one != NULL ? MSDK_OK : fail(MSDK_E_INVALID, "frame.slot is %u; accepted: a frame from acquire", frame->slot);
}
