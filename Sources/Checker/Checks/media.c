/* Frames and buffers through an instance. */
#include <string.h>
#include <sys/mman.h>

#include "checks.h"
#include "encoded.h"
#include "rig.h"

enum { STEP_NS = 33333333, SOUND_STEP_NS = 10000000, PUSH_WAIT_MS = 3000, QUIET_WAIT_MS = 20 };

int rig_is_pull(const rig *rig) {
  if (rig->kind == MSDK_KIND_VIDEO_PRODUCER) return (rig->class->video_producer->flags & MSDK_PRODUCER_PULL) != 0;
  if (rig->kind == MSDK_KIND_AUDIO_PRODUCER) return (rig->class->audio_producer->flags & MSDK_PRODUCER_PULL) != 0;
  return 0;
}

int rig_is_encoded(const rig *rig) {
  return rig->kind == MSDK_KIND_VIDEO_PRODUCER && (rig->class->video_producer->flags & MSDK_PRODUCER_ENCODED) != 0;
}

static void do_produce(rig_call *call) {
  const msdk_class *class = call->rig->class;
  if (rig_is_encoded(call->rig)) {
    call->code = class->video_producer->produce_encoded_frame(call->rig->self, call->due, (msdk_encoded_frame **)&call->out);
  } else if (call->rig->kind == MSDK_KIND_VIDEO_PRODUCER) {
    call->code = class->video_producer->produce_frame(call->rig->self, call->due, (msdk_video_frame **)&call->out);
  } else {
    call->code = class->audio_producer->produce_frame(call->rig->self, call->due, (msdk_audio_frame **)&call->out);
  }
}

static msdk_result produce(rig *rig, uint32_t *moved) {
  rig_call call = {.rig = rig, .due = rig->time};
  const char *function = rig_is_encoded(rig) ? "produce_encoded_frame" : "produce_frame";
  step("%s", function);
  rig->context->error = 0;
  rig_perform(&call, do_produce);
  if (rig_is_encoded(rig)) {
    rig->time += STEP_NS;
    int is_frame = call.code >= 0 && encoded_is_ours(call.out);
    if (call.code >= 0 && !is_frame) fail(function, "it returned MSDK_OK and no encoded frame of the host's");
    if (is_frame) encoded_deliver(rig->context, call.out);
    *moved += (uint32_t)is_frame;
    return call.code >= 0 && !is_frame ? MSDK_E_INVALID : call.code;
  }
  book *book = call.code >= 0 && call.out != NULL ? book_of(call.out) : NULL;
  rig->time += rig->kind == MSDK_KIND_AUDIO_PRODUCER ? SOUND_STEP_NS : STEP_NS;
  if (call.code >= 0 && book == NULL) {
    fail("produce_frame", "it returned MSDK_OK and no frame of the host's");
    return MSDK_E_INVALID;
  }
  if (book == NULL) return call.code;
  (*moved)++;
  step("reading a frame that was produced");
  host_deliver(rig->context, book);
  return call.code;
}

static uint32_t delivered(rig *rig) {
  pthread_mutex_lock(&rig->context->lock);
  uint32_t count = rig->context->delivered;
  pthread_mutex_unlock(&rig->context->lock);
  return count;
}

/* For a plugin with a thread of its own: until so many came, or for as long as one can be expected to take. */
static void wait_for(rig *rig, uint32_t count, uint32_t *moved) {
  static uint32_t silent_kinds; /* once nothing came in all that time, nothing is expected any more */
  uint32_t before = delivered(rig);
  int is_quiet = rig_is_also_renderer(rig) || (silent_kinds & rig->kind) != 0;
  int64_t end = now_ns() + (int64_t)(is_quiet ? QUIET_WAIT_MS : PUSH_WAIT_MS) * 1000000;
  step("waiting for what the %s does by itself", kind_name(rig->kind));
  if (!rig->is_started) return;
  while (delivered(rig) - before < count && now_ns() < end) wait_ms(2);
  *moved += delivered(rig) - before;
  if (delivered(rig) == 0) silent_kinds |= rig->kind;
}

static void paint_video(rig *rig, msdk_video_frame *frame) {
  for (uint32_t i = 0; i < frame->plane_count; i++) {
    for (uint32_t y = 0; y < row_count(&rig->video, i); y++) {
      uint8_t *row = frame->plane[i].data + (ptrdiff_t)y * frame->plane[i].stride;
      for (uint32_t x = 0; x < row_bytes(&rig->video, i); x++) row[x] = (uint8_t)(x * 3 + y * 5 + i * 50 + rig->sequence * 7);
    }
  }
}

msdk_result rig_call_acquire(rig *rig, book **out) {
  int is_sound = (rig->kind & (MSDK_KIND_AUDIO_RENDERER | MSDK_KIND_AUDIO_FILTER)) != 0;
  int is_starved = rig->context->is_starved; /* the pool is the plugin's: ours never is empty */
  rig->context->is_starved = 0;
  msdk_video_frame *frame = NULL;
  msdk_audio_frame *buffer = NULL;
  uint32_t count = is_sound ? rig->audio.frames_per_buffer > 0 ? rig->audio.frames_per_buffer : rig->audio.sample_rate / 100 : 0;
  msdk_result code =
      is_sound ? host_acquire_audio(rig->context, &rig->audio, count, &buffer) : host_acquire_video(rig->context, &rig->video, 0, &frame);
  rig->context->is_starved = is_starved;
  if (code < 0) return code;
  rig->sequence++;
  *out = book_of(is_sound ? (void *)buffer : (void *)frame);
  if (is_sound) {
    buffer->timestamp_ns = rig->time;
    buffer->sequence = rig->sequence;
    rig->time += buffer->duration_ns;
  } else {
    paint_video(rig, frame);
    frame->timestamp_ns = rig->time;
    frame->sequence = rig->sequence;
    rig->time += STEP_NS;
  }
  return MSDK_OK;
}

static void do_feed(rig_call *call) {
  const msdk_class *class = call->rig->class;
  msdk_self *self = call->rig->self;
  switch (call->rig->kind) {
    case MSDK_KIND_VIDEO_RENDERER:
      call->code = class->video_renderer->render_video_frame(self, call->in);
      break;
    case MSDK_KIND_AUDIO_RENDERER:
      call->code = class->audio_renderer->render_audio_frame(self, call->in);
      break;
    case MSDK_KIND_VIDEO_FILTER:
      call->code = class->video_filter->filter_video_frame(self, (void *)(uintptr_t)call->in, (msdk_video_frame **)&call->out);
      break;
    default:
      call->code = class->audio_filter->filter_audio_frame(self, (void *)(uintptr_t)call->in, (msdk_audio_frame **)&call->out);
  }
}

/* Of a renderer what it is shown is no longer writable; a filter may write what carries the flag. */
void rig_lock(rig *rig, book *book) {
  uint32_t read_only = (uint32_t)~MSDK_FRAME_WRITABLE;
  if (book->is_sound)
    ((msdk_audio_frame *)book->frame)->flags &= read_only;
  else
    ((msdk_video_frame *)book->frame)->flags &= read_only;
  if ((rig->context->flags & HOST_READ_ONLY) == 0) return;
  for (int i = 0; i < MSDK_PLANES_MAX; i++) {
    if (book->base[i] == NULL) continue;
    region_forbid(book->base[i], book->length[i] - PAGE, "a frame that it was given to read (rule P3)");
    pages_protect(book->base[i], book->length[i] - PAGE, PROT_READ);
  }
  region_forbid(book->page, book->page_length - PAGE, "the struct of a frame that it was given to read (rule P3)");
  pages_protect(book->page, book->page_length - PAGE, PROT_READ);
}

msdk_result rig_feed(rig *rig, book *book) {
  int is_filter = (rig->kind & (MSDK_KIND_VIDEO_FILTER | MSDK_KIND_AUDIO_FILTER)) != 0;
  rig_call call = {.rig = rig, .in = book->frame};
  step(book->is_sound ? "%s of a buffer" : "%s of %ux%u, %.4s", is_filter ? "the filter" : "render", rig->video.width, rig->video.height,
       (const char *)&rig->video.pixel_format);
  if (!is_filter)
    rig_lock(rig, book);
  else if ((rig->context->flags & HOST_READ_ONLY) != 0 && rig->sequence % 2 == 0) {
    host_ref(book); /* somebody else has it too: the filter must ask for a copy */
    rig_lock(rig, book);
  }
  int is_shared = is_filter && book->references > 1;
  rig->context->error = 0;
  rig_perform(&call, do_feed);
  if (is_shared) host_unref(book);
  if (!is_filter) {
    host_unref(book);
    return call.code;
  }
  struct book *made = call.code >= 0 && call.out != NULL ? book_of(call.out) : NULL;
  if (call.code >= 0 && made == NULL) fail("filter", "it returned MSDK_OK and no frame of the host's");
  if (made != NULL) host_deliver(rig->context, made);
  return call.code;
}

msdk_result rig_media(rig *rig, uint32_t count, uint32_t *moved) {
  uint32_t nothing = 0;
  if (moved == NULL) moved = &nothing;
  int is_own = rig->kind == MSDK_KIND_AUDIO_RENDERER && rig->class->audio_renderer->render_audio_frame == NULL;
  int is_producer = (rig->kind & (MSDK_KIND_VIDEO_PRODUCER | MSDK_KIND_AUDIO_PRODUCER)) != 0;
  if (is_own || (is_producer && !rig_is_pull(rig))) {
    wait_for(rig, count, moved);
    return MSDK_OK;
  }
  for (uint32_t i = 0; i < count && !has_failed(); i++) {
    book *book = NULL;
    msdk_result code = is_producer ? produce(rig, moved) : rig_call_acquire(rig, &book);
    if (!is_producer && code >= 0) {
      code = rig_feed(rig, book);
      if (code >= 0) (*moved)++;
    }
    rig->last = code;
    if (code == MSDK_E_CLOSED) return MSDK_OK;
    if (code == MSDK_E_AGAIN)
      wait_ms(2);
    else if (code < 0)
      return code;
  }
  return MSDK_OK;
}
