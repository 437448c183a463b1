/* Checks of formats, sizes and strides. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "checks.h"
#include "rig.h"

/* ---------------------------------------------------------------------------------------------------------------- formats */

void check_video_format(const msdk_video_format *format, const char *where) {
  const char *what = NULL;
  if (plane_count(format->pixel_format) == 0)
    what = "an unknown pixel format";
  else if (format->width < 1 || format->width > MSDK_DIMENSION_MAX)
    what = "a width outside 1..16384";
  else if (format->height < 1 || format->height > MSDK_DIMENSION_MAX)
    what = "a height outside 1..16384";
  else if (format->fps_num != 0 && format->fps_den == 0)
    what = "a frame rate with a denominator of 0";
  if (what != NULL)
    fail("msdk_video_format", "%s returned %s (%ux%u, %.4s, %u/%u)", where, what, format->width, format->height,
         (const char *)&format->pixel_format, format->fps_num, format->fps_den);
}

static void compare_video(msdk_host_context *context, const msdk_video_frame *frame) {
  const msdk_video_format *agreed = &((rig *)context->user)->video, *has = frame->format;
  if (has->pixel_format != agreed->pixel_format || has->width != agreed->width || has->height != agreed->height) {
    fail("MSDK_E_FORMAT", "a frame is %ux%u, %.4s; agreed by set_format: %ux%u, %.4s", has->width, has->height,
         (const char *)&has->pixel_format, agreed->width, agreed->height, (const char *)&agreed->pixel_format);
  }
}

static void compare_audio(msdk_host_context *context, const msdk_audio_frame *frame) {
  const msdk_audio_format *agreed = &((rig *)context->user)->audio, *has = frame->format;
  if (has->sample_format != agreed->sample_format || has->sample_rate != agreed->sample_rate || has->channels != agreed->channels) {
    fail("MSDK_E_FORMAT", "a buffer has %u Hz and %u channels; agreed by set_format: %u Hz, %u channels", has->sample_rate,
         has->channels, agreed->sample_rate, agreed->channels);
    return;
  }
  if (has->sample_format != MSDK_SAMPLE_F32) return;
  for (uint64_t i = 0; i < (uint64_t)frame->sample_count * has->channels; i++) {
    float sample;
    memcpy(&sample, frame->planes[0] + i * sizeof sample, sizeof sample);
    if (!isfinite(sample)) fail("consume_audio_frame", "sample %llu of a buffer is not a number, or infinite", (unsigned long long)i);
  }
}

static void list_formats(rig *rig) {
  const msdk_video_producer *producer = rig->class->video_producer;
  if (rig->kind != MSDK_KIND_VIDEO_PRODUCER || producer->enum_formats == NULL) return;
  for (uint32_t i = 0; !has_failed(); i++) {
    msdk_video_format format = MSDK_INIT(msdk_video_format);
    char where[64];
    snprintf(where, sizeof where, "enum_formats(%u)", i);
    step("%s", where);
    msdk_result code = producer->enum_formats(rig->self, i, &format);
    if (code == MSDK_E_NOT_FOUND) return;
    if (code < 0)
      fail("enum_formats", "%s returned %s; accepted: a format, or MSDK_E_NOT_FOUND at the end", where, result_name(code));
    else
      check_video_format(&format, where);
    if (i == 1000) fail("enum_formats", "the list does not end: no MSDK_E_NOT_FOUND within 1000 formats");
  }
}

static void see_formats(const msdk_class *class, uint32_t kind) {
  rig rig;
  if (rig_open(&rig, class, kind, 0) < 0 || rig_init(&rig) < 0) return;
  list_formats(&rig);
  if (kind == MSDK_KIND_VIDEO_PRODUCER && class->video_producer->capture_settings != NULL && !has_failed()) {
    msdk_video_format format = MSDK_INIT(msdk_video_format);
    if (class->video_producer->capture_settings(rig.self, &format) >= 0) check_video_format(&format, "capture_settings");
  }
  msdk_result code = has_failed() ? MSDK_E_FAIL : rig_agree(&rig);
  if (code < 0 && !has_failed() && !rig_is_also_renderer(&rig)) {
    fail("set_format", "it refuses a format that it offers: %s", rig_words(&rig, code));
  }
  if (code >= 0) {
    rig.context->look_video = kind == MSDK_KIND_VIDEO_PRODUCER ? compare_video : NULL;
    rig.context->look_audio = kind == MSDK_KIND_AUDIO_PRODUCER || kind == MSDK_KIND_AUDIO_FILTER ? compare_audio : NULL;
    if (rig_start(&rig) >= 0) rig_media(&rig, 10, NULL);
  }
  rig_close(&rig);
}

void check_formats(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  FOR_KINDS(kind, class) {
    see_formats(class, kind);
  }
}

/* -------------------------------------------------------------------------------------------------------------- odd sizes */

static const uint32_t SIZES[][2] = {{1, 1}, {2, 1}, {1, 3}, {17, 13}, {33, 2}, {127, 95}, {641, 361}};
enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES };

/* 1 when it took the size and something came. */
static int at_size(rig *rig, uint32_t width, uint32_t height) {
  int is_video = (rig->kind & (MSDK_KIND_VIDEO_PRODUCER | MSDK_KIND_VIDEO_RENDERER | MSDK_KIND_VIDEO_FILTER)) != 0;
  uint32_t moved = 0;
  if (!is_video) return 0;
  if (rig->is_started) rig_stop(rig);
  /* A renderer or a filter may stick to the first size: a life for each. */
  if (rig->kind != MSDK_KIND_VIDEO_PRODUCER && rig->is_ready) rig_release(rig);
  if (!rig->is_ready && rig_init(rig) < 0) return 0;
  rig->video.width = width;
  rig->video.height = height;
  rig->has_format = rig->kind == MSDK_KIND_VIDEO_PRODUCER;
  if (rig_agree(rig) < 0) return 0;
  if (!rig->is_started && rig_start(rig) < 0) return 0;
  msdk_result code = rig_media(rig, rig->kind == MSDK_KIND_VIDEO_PRODUCER ? 2 : 3, &moved);
  if (code < 0) {
    fail("P3", "the %s accepted the format %ux%u, %.4s, and then returned %s", kind_name(rig->kind), width, height,
         (const char *)&rig->video.pixel_format, rig_words(rig, code));
  }
  return moved > 0;
}

static void odd_sizes(const msdk_class *class, uint32_t kind) {
  rig rig;
  if (rig_open(&rig, class, kind, HOST_GUARD) < 0) return;
  if (rig_demand(&rig, "P3")) {
    rig_media(&rig, 2, NULL);
    uint32_t first = random_below(SIZE_COUNT);
    for (uint32_t i = 0; i < SIZE_COUNT && !has_failed(); i++)
      at_size(&rig, SIZES[(first + i) % SIZE_COUNT][0], SIZES[(first + i) % SIZE_COUNT][1]);
  }
  rig_close(&rig);
}

void check_odd_sizes(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  FOR_KINDS(kind, class) {
    odd_sizes(class, kind);
  }
}

/* ---------------------------------------------------------------------------------------------------------------- strides */

/* A row of nothing but poison was not written: unless the picture happens to be of that very byte, for which there is a second poison. */
void rig_look_for_rows(msdk_host_context *context, const msdk_video_frame *frame) {
  book *book = book_of(frame);
  if (book->is_wrapped) return;
  for (uint32_t i = 0; i < frame->plane_count; i++) {
    uint32_t bytes = row_bytes(book->video, i);
    for (uint32_t y = 0; y < row_count(book->video, i); y++) {
      const uint8_t *row = frame->plane[i].data + (ptrdiff_t)y * frame->plane[i].stride;
      uint32_t same = 0;
      while (same < bytes && row[same] == book->poison) same++;
      if (same == bytes) context->changed++;
    }
  }
}

static void padded(const msdk_class *class, uint32_t kind) {
  uint32_t unwritten = 0, rounds = 0;
  for (uint8_t poison = 0xA5; rounds < 2 && !has_failed(); poison = 0x5A, rounds++) {
    rig rig;
    if (rig_open(&rig, class, kind, HOST_PADDED) < 0) return;
    rig.context->poison = poison;
    if (rig_demand(&rig, "P3")) {
      rig.context->look_video = rig_look_for_rows;
      rig_media(&rig, 3, NULL);
      at_size(&rig, 127, 95);
      if (kind == MSDK_KIND_VIDEO_PRODUCER && rig.is_started) rig_stop(&rig);
    }
    uint32_t overwritten = rig.context->overwritten;
    unwritten += rig.context->changed > 0;
    rig_close(&rig);
    if (overwritten > 0) {
      fail("P3", "the %s wrote between the rows of %u frames: rows begin plane[i].stride bytes apart, not width", kind_name(kind),
           overwritten);
    }
  }
  if (unwritten == 2) fail("P3", "rows of the %s's frames were not written", kind_name(kind));
}

/* Rows far apart, in memory whose pages the kernel can be asked about: which were touched? */
enum { FAR = 131072, ROWS = 24 };

static int was_touched(int pagemap, const uint8_t *address) {
  uint64_t entry = 0;
  if (pread(pagemap, &entry, sizeof entry, (off_t)((uintptr_t)address / PAGE * sizeof entry)) != (ssize_t)sizeof entry) return -1;
  return (entry >> 63) & 1;
}

static void feed_far_rows(rig *rig) {
  book *book = NULL;
  const uint64_t size = (uint64_t)FAR * ROWS;
  int file = memfd_create("frame", MFD_CLOEXEC), pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (file < 0 || pagemap < 0 || ftruncate(file, (off_t)(size * MSDK_PLANES_MAX)) != 0) return;
  if (rig_init(rig) < 0 || rig_agree(rig) < 0 || rig_call_acquire(rig, &book) < 0) return;
  msdk_video_frame *frame = book->frame;
  for (uint32_t i = 0; i < frame->plane_count; i++) {
    uint8_t *writing = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)(i * size));
    uint8_t *reading = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)(i * size));
    for (uint32_t y = 0; y < ROWS; y++) memset(writing + (uint64_t)y * FAR, (int)(y * 9 + i), 64 * 4);
    frame->plane[i].data = reading;
    frame->plane[i].stride = FAR;
    frame->plane[i].size = (uint64_t)FAR * (row_count(&rig->video, i) - 1) + row_bytes(&rig->video, i);
  }
  host_ref(book);
  msdk_result code = rig_feed(rig, book);
  for (int i = 0; i < 100 && book->references > 1; i++) wait_ms(5); /* a thread of its own may look at it */
  uint32_t first = was_touched(pagemap, frame->plane[0].data) == 1, others = 0;
  for (uint32_t y = 1; y < ROWS; y++) others += was_touched(pagemap, frame->plane[0].data + (uint64_t)y * FAR) == 1;
  if (code >= 0 && first && others == 0) {
    fail("P3", "of a frame of %d rows, %d bytes apart, it read only the first: it assumes that rows are width apart", ROWS, FAR);
  }
  host_unref(book);
}

static void far_rows(const msdk_class *class) {
  rig rig;
  if (rig_open(&rig, class, MSDK_KIND_VIDEO_RENDERER, 0) < 0) return;
  rig.video.width = 64;
  rig.video.height = ROWS;
  feed_far_rows(&rig);
  rig_close(&rig);
}

void check_strides(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  int count = 0;
  FOR_KINDS(kind, class) {
    if ((kind & (MSDK_KIND_VIDEO_PRODUCER | MSDK_KIND_VIDEO_FILTER)) != 0) padded(class, kind);
    if (kind == MSDK_KIND_VIDEO_RENDERER) far_rows(class);
    count += (kind & (MSDK_KIND_VIDEO_PRODUCER | MSDK_KIND_VIDEO_FILTER | MSDK_KIND_VIDEO_RENDERER)) != 0;
  }
  if (count == 0) skip("audio has no rows");
}
