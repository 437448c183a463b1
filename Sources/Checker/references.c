/* What becomes of a frame: references, delivery, and the end, after which its memory is forbidden or gone. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "checks.h"

static const char GONE[] = "a frame after its last reference was released";

void host_ref(book *book) {
  pthread_mutex_lock(&book->context->lock);
  book->references++;
  pthread_mutex_unlock(&book->context->lock);
}

/* Under the lock. */
static void end(book *book) {
  msdk_host_context *context = book->context;
  if ((context->flags & HOST_PADDED) != 0 && !padding_is_whole(book)) context->overwritten++;
  if (book->is_wrapped && book->is_delivered && frame_sum(book->frame) != book->sum) context->changed++;
  for (int i = 0; i < MSDK_PLANES_MAX; i++) {
    if (book->base[i] == NULL || (context->flags & HOST_BORROWED) == 0) continue;
    pages_protect(book->base[i], book->length[i], PROT_NONE);
    region_forbid(book->base[i], book->length[i], GONE);
  }
  if ((context->flags & HOST_BORROWED) != 0) {
    pages_protect(book->page, book->page_length, PROT_NONE);
    region_forbid(book->page, book->page_length, GONE);
  }
  if (book->is_sound)
    context->outstanding_sound--;
  else
    context->outstanding--;
  book->is_used = 0;
}

void host_unref(book *book) {
  msdk_host_context *context = book->context;
  pthread_mutex_lock(&context->lock);
  if (book->references <= 0) {
    context->over_released++;
    pthread_mutex_unlock(&context->lock);
    return;
  }
  void (*release)(void *) = NULL;
  void *opaque = book->opaque;
  if (--book->references == 0) {
    release = book->release;
    end(book);
  }
  pthread_mutex_unlock(&context->lock);
  if (release != NULL) release(opaque);
}

void host_deliver(msdk_host_context *context, book *book) {
  int64_t length = book->is_sound ? ((const msdk_audio_frame *)book->frame)->duration_ns : 0;
  book->is_delivered = 1;
  if (book->is_wrapped) book->sum = frame_sum(book->frame);
  if (book->is_sound && context->look_audio != NULL) context->look_audio(context, book->frame);
  if (!book->is_sound && context->look_video != NULL) context->look_video(context, book->frame);
  if ((context->flags & HOST_READ_ONLY) != 0) {
    for (int i = 0; i < MSDK_PLANES_MAX; i++) {
      if (book->base[i] == NULL) continue;
      region_forbid(book->base[i], book->length[i], "a frame that was delivered (rule P3)");
      pages_protect(book->base[i], book->length[i] - PAGE, PROT_READ);
    }
  }
  pthread_mutex_lock(&context->lock);
  context->delivered++;
  context->delivered_at = now_ns();
  if (book->is_sound) context->delivered_ns += length;
  struct book **place = &context->held[context->next_held++ % 3];
  struct book *former = *place;
  *place = (context->flags & HOST_READ_ONLY) != 0 ? book : NULL;
  pthread_mutex_unlock(&context->lock);
  if ((context->flags & HOST_READ_ONLY) == 0) former = book;
  if (former != NULL) host_unref(former);
}

void host_let_go(msdk_host_context *context) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&context->lock);
    book *one = context->held[i];
    context->held[i] = NULL;
    pthread_mutex_unlock(&context->lock);
    if (one != NULL) host_unref(one);
  }
}
