/* Frames of the checker's host: counted, and in memory that can be taken away. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "checks.h"

enum { SLACK = 65536, FRAME_EXTRA = 32, EXTRA_BYTE = 0xA5 };

uint32_t plane_count(uint32_t pixel_format) {
  switch (pixel_format) {
    case MSDK_PIXEL_I420:
      return 3;
    case MSDK_PIXEL_NV12:
      return 2;
    case MSDK_PIXEL_BGRA:
    case MSDK_PIXEL_RGBA:
    case MSDK_PIXEL_ARGB:
    case MSDK_PIXEL_ABGR:
    case MSDK_PIXEL_BGR24:
    case MSDK_PIXEL_RGB24:
    case MSDK_PIXEL_GRAY8:
      return 1;
    default:
      return 0;
  }
}

uint32_t row_bytes(const msdk_video_format *format, uint32_t plane) {
  uint32_t half = (format->width + 1) / 2;
  switch (format->pixel_format) {
    case MSDK_PIXEL_I420:
      return plane == 0 ? format->width : half;
    case MSDK_PIXEL_NV12:
      return plane == 0 ? format->width : 2 * half;
    case MSDK_PIXEL_GRAY8:
      return format->width;
    case MSDK_PIXEL_RGB24:
    case MSDK_PIXEL_BGR24:
      return 3 * format->width;
    default:
      return 4 * format->width;
  }
}

uint32_t row_count(const msdk_video_format *format, uint32_t plane) {
  return plane == 0 ? format->height : (format->height + 1) / 2;
}

uint32_t sample_bytes(const msdk_audio_format *format) {
  return format->sample_format == MSDK_SAMPLE_S16 ? 2 : 4;
}

/* Books, and the memory of frames that are gone, stay until they are needed again: only the check that is about it shall meet a plugin that
 * touches what it must not. */
static book books[BOOKS_MAX];
static uint32_t next_book;

static void forget(book *book) {
  for (int i = 0; i < MSDK_PLANES_MAX; i++) {
    if (book->base[i] == NULL) continue;
    region_forget(book->base[i]);
    region_forget(book->base[i] + book->length[i] - PAGE);
    pages_unmap(book->base[i], book->length[i]);
  }
  if (book->page != NULL) region_forget(book->page + book->page_length - PAGE);
  region_forget(book->page);
  pages_unmap(book->page, book->page_length);
}

book *book_new(msdk_host_context *context) {
  for (uint32_t tried = 0; tried < BOOKS_MAX; tried++) {
    book *one = &books[next_book++ % BOOKS_MAX];
    if (one->is_used) continue;
    forget(one);
    *one = (book){.context = context, .is_used = 1, .references = 1, .poison = context->poison};
    return one;
  }
  return NULL;
}

book *book_of(const void *frame) {
  for (uint32_t i = 0; i < BOOKS_MAX; i++) {
    if (books[i].frame == frame) return &books[i];
  }
  return NULL;
}

/* The frame itself, then its format behind it, each as long as the host's version has them. */
void *frame_memory(book *book, uint32_t size) {
  uint32_t extra = (book->context->flags & HOST_NEW) != 0 ? FRAME_EXTRA : 0;
  uint32_t format_size = (uint32_t)(book->is_sound ? sizeof(msdk_audio_format) : sizeof(msdk_video_format));
  uint8_t *format = pages_before_guard(format_size + extra, 8, "memory past a format", &book->page, &book->page_length);
  memset(format, EXTRA_BYTE, format_size + extra);
  uint8_t *frame = book->page + 64;
  memset(frame, EXTRA_BYTE, size + extra);
  memset(frame, 0, size);
  uint32_t whole = size + extra;
  memcpy(frame, &whole, sizeof whole);
  book->frame = frame;
  if (book->is_sound)
    book->audio = (msdk_audio_format *)(void *)format;
  else
    book->video = (msdk_video_format *)(void *)format;
  return frame;
}

static void make_plane(book *book, msdk_video_frame *frame, uint32_t index) {
  uint32_t flags = book->context->flags, bytes = row_bytes(book->video, index);
  uint32_t stride = bytes + ((flags & HOST_PADDED) != 0 ? 64 + 2 * index : 0);
  msdk_plane *plane = &frame->plane[index];
  plane->size = (uint64_t)stride * (row_count(book->video, index) - 1) + bytes;
  plane->stride = (int32_t)stride;
  uint64_t room = plane->size + ((flags & HOST_GUARD) != 0 ? 0 : SLACK);
  plane->data = pages_before_guard(room, 1, "memory past the last row of a frame", &book->base[index], &book->length[index]);
  memset(plane->data, book->poison, room);
}

msdk_result host_acquire_video(msdk_host_context *context, const msdk_video_format *format, uint32_t timeout_ms, msdk_video_frame **out) {
  (void)timeout_ms;
  if (format == NULL || out == NULL || plane_count(format->pixel_format) == 0) return MSDK_E_INVALID;
  if (format->width < 1 || format->width > MSDK_DIMENSION_MAX || format->height < 1 || format->height > MSDK_DIMENSION_MAX)
    return MSDK_E_RANGE;
  pthread_mutex_lock(&context->lock);
  int is_free = !context->is_starved && context->outstanding < VIDEO_POOL;
  book *book = is_free ? book_new(context) : NULL;
  if (book == NULL) {
    context->refused++;
    pthread_mutex_unlock(&context->lock);
    return MSDK_E_AGAIN;
  }
  msdk_video_frame *frame = frame_memory(book, sizeof *frame);
  memcpy(book->video, format, sizeof *format < format->struct_size ? sizeof *format : format->struct_size);
  book->video->struct_size = (context->flags & HOST_NEW) != 0 ? (uint32_t)sizeof *format + FRAME_EXTRA : (uint32_t)sizeof *format;
  frame->flags = MSDK_FRAME_WRITABLE;
  frame->plane_count = plane_count(format->pixel_format);
  frame->format = book->video;
  for (uint32_t i = 0; i < frame->plane_count; i++) make_plane(book, frame, i);
  context->outstanding++;
  context->acquired++;
  pthread_mutex_unlock(&context->lock);
  *out = frame;
  return MSDK_OK;
}

msdk_result host_wrap_video(msdk_host_context *context, const msdk_external_frame *external, msdk_video_frame **out) {
  if (external == NULL || out == NULL || external->format == NULL) return MSDK_E_INVALID;
  const msdk_video_format *format = external->format;
  if (external->plane_count == 0 || external->plane_count != plane_count(format->pixel_format)) return MSDK_E_INVALID;
  for (uint32_t i = 0; i < external->plane_count; i++) {
    const msdk_plane *plane = &external->plane[i];
    uint64_t least = (uint64_t)(uint32_t)plane->stride * (row_count(format, i) - 1) + row_bytes(format, i);
    if (plane->data == NULL || plane->stride < (int32_t)row_bytes(format, i) || plane->size < least) return MSDK_E_INVALID;
  }
  pthread_mutex_lock(&context->lock);
  book *book = book_new(context);
  if (book == NULL) {
    pthread_mutex_unlock(&context->lock);
    return MSDK_E_AGAIN;
  }
  msdk_video_frame *frame = frame_memory(book, sizeof *frame);
  memcpy(book->video, format, sizeof *format);
  frame->plane_count = external->plane_count;
  memcpy(frame->plane, external->plane, sizeof frame->plane);
  frame->format = book->video;
  frame->timestamp_ns = external->timestamp_ns;
  frame->orientation = external->orientation;
  book->is_wrapped = 1;
  book->release = external->release;
  book->opaque = external->user;
  context->outstanding++;
  context->acquired++;
  pthread_mutex_unlock(&context->lock);
  *out = frame;
  return MSDK_OK;
}

msdk_result host_acquire_audio(msdk_host_context *context, const msdk_audio_format *format, uint32_t count, msdk_audio_frame **out) {
  if (format == NULL || out == NULL) return MSDK_E_INVALID;
  int is_fit = (format->sample_format == MSDK_SAMPLE_S16 || format->sample_format == MSDK_SAMPLE_F32) && format->sample_rate >= 8000 &&
               format->sample_rate <= 192000 && format->channels >= 1 && format->channels <= 2 && format->planar == 0 && count >= 1 &&
               count <= 192000;
  if (!is_fit) return MSDK_E_RANGE;
  pthread_mutex_lock(&context->lock);
  book *book = !context->is_starved && context->outstanding_sound < AUDIO_POOL ? book_new(context) : NULL;
  if (book == NULL) {
    context->refused++;
    pthread_mutex_unlock(&context->lock);
    return MSDK_E_AGAIN;
  }
  book->is_sound = 1;
  msdk_audio_frame *frame = frame_memory(book, sizeof *frame);
  memcpy(book->audio, format, sizeof *format);
  uint64_t bytes = (uint64_t)count * format->channels * sample_bytes(format);
  uint64_t room = bytes + ((context->flags & HOST_GUARD) != 0 ? 0 : SLACK);
  book->planes[0] = pages_before_guard(room, 64, "memory past the last sample of a buffer", &book->base[0], &book->length[0]);
  frame->flags = MSDK_FRAME_WRITABLE;
  frame->format = book->audio;
  frame->sample_count = count;
  frame->plane_count = 1;
  frame->planes = book->planes;
  frame->duration_ns = (int64_t)(((uint64_t)count * 1000000000 + format->sample_rate / 2) / format->sample_rate);
  frame->level = 127;
  context->outstanding_sound++;
  context->acquired++;
  pthread_mutex_unlock(&context->lock);
  *out = frame;
  return MSDK_OK;
}

uint64_t frame_sum(const msdk_video_frame *frame) {
  uint64_t sum = 1;
  for (uint32_t i = 0; i < frame->plane_count; i++) {
    for (uint32_t y = 0; y < row_count(frame->format, i); y++) {
      const uint8_t *row = frame->plane[i].data + (ptrdiff_t)y * frame->plane[i].stride;
      for (uint32_t x = 0; x < row_bytes(frame->format, i); x++) sum = (sum ^ row[x]) * 0x100000001B3;
    }
  }
  return sum;
}

int padding_is_whole(const book *book) {
  if (book->is_sound || book->is_wrapped) return 1;
  const msdk_video_frame *frame = book->frame;
  for (uint32_t i = 0; i < frame->plane_count; i++) {
    uint32_t bytes = row_bytes(book->video, i);
    for (uint32_t y = 0; y + 1 < row_count(book->video, i); y++) {
      const uint8_t *row = frame->plane[i].data + (ptrdiff_t)y * frame->plane[i].stride;
      for (int32_t x = (int32_t)bytes; x < frame->plane[i].stride; x++) {
        if (row[x] != book->poison) return 0;
      }
    }
  }
  return 1;
}
