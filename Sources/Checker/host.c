/* The table of host functions that a plugin is given. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "encoded.h"

/* Rule P1: create() calls nothing but log and set_error. */
static void note(msdk_host_context *context, const char *function) {
  if (context->is_creating && context->forbidden_call == NULL) context->forbidden_call = function;
}

static void log_text(msdk_host_context *context, int32_t level, const char *text) {
  (void)context, (void)level, (void)text;
}

static void set_error(msdk_host_context *context, msdk_result code, const char *text) {
  pthread_mutex_lock(&context->lock);
  context->error = code;
  context->errors++;
  snprintf(context->error_text, sizeof context->error_text, "%s", text == NULL ? "" : text);
  pthread_mutex_unlock(&context->lock);
}

static void post_event(msdk_host_context *context, uint32_t event, msdk_result code, const msdk_value *detail) {
  (void)event, (void)code, (void)detail;
  note(context, "post_event");
}

static msdk_result acquire_video(msdk_host_context *context, const msdk_video_format *format, uint32_t timeout_ms, msdk_video_frame **out) {
  note(context, "video_frame_acquire");
  return host_acquire_video(context, format, timeout_ms, out);
}

static msdk_result wrap_video(msdk_host_context *context, const msdk_external_frame *external, msdk_video_frame **out) {
  note(context, "video_frame_wrap");
  return host_wrap_video(context, external, out);
}

static void ref_video(const msdk_video_frame *frame) {
  book *book = book_of(frame);
  if (book != NULL) host_ref(book);
}

static void unref_video(const msdk_video_frame *frame) {
  book *book = book_of(frame);
  if (book != NULL) host_unref(book);
}

static msdk_result writable_video(msdk_host_context *context, msdk_video_frame *in, msdk_video_frame **out) {
  note(context, "video_frame_make_writable");
  book *from = book_of(in);
  if (from == NULL || out == NULL) return MSDK_E_INVALID;
  if (from->references == 1 && !from->is_wrapped && !from->is_delivered && !context->is_starved) {
    in->flags |= MSDK_FRAME_WRITABLE;
    *out = in;
    return MSDK_OK;
  }
  msdk_video_frame *copy = NULL;
  msdk_result code = host_acquire_video(context, in->format, 0, &copy);
  for (uint32_t i = 0; code == MSDK_OK && i < copy->plane_count; i++) {
    for (uint32_t y = 0; y < row_count(copy->format, i); y++) {
      memcpy(copy->plane[i].data + (ptrdiff_t)y * copy->plane[i].stride, in->plane[i].data + (ptrdiff_t)y * in->plane[i].stride,
             row_bytes(copy->format, i));
    }
  }
  if (code == MSDK_OK) {
    copy->timestamp_ns = in->timestamp_ns;
    copy->sequence = in->sequence;
    *out = copy;
    host_unref(from); /* after an error it stays the plugin's */
  }
  return code;
}

static msdk_result acquire_audio(msdk_host_context *context, const msdk_audio_format *format, uint32_t count, msdk_audio_frame **out) {
  note(context, "audio_frame_acquire");
  return host_acquire_audio(context, format, count, out);
}

static void ref_audio(const msdk_audio_frame *frame) {
  book *book = book_of(frame);
  if (book != NULL) host_ref(book);
}

static void unref_audio(const msdk_audio_frame *frame) {
  book *book = book_of(frame);
  if (book != NULL) host_unref(book);
}

/* Deliveries: those of a stopped instance are counted, and slow ones give stop a chance to come in between. */
static int enter(msdk_host_context *context) {
  pthread_mutex_lock(&context->lock);
  int is_open = !context->is_closing && !context->is_stopped;
  context->inside++;
  if (context->is_stopped) context->late++;
  pthread_mutex_unlock(&context->lock);
  if ((context->flags & HOST_CLOSE_WATCH) != 0) wait_ms(20);
  return is_open;
}

static void leave(msdk_host_context *context) {
  pthread_mutex_lock(&context->lock);
  context->inside--;
  pthread_mutex_unlock(&context->lock);
}

static msdk_result consume(msdk_host_context *context, const void *frame) {
  book *book = book_of(frame);
  if (book == NULL) return MSDK_E_INVALID;
  int is_open = enter(context);
  if (is_open)
    host_deliver(context, book);
  else
    host_unref(book);
  leave(context);
  return is_open ? MSDK_OK : MSDK_E_CLOSED;
}

static msdk_result consume_video(msdk_host_context *context, msdk_video_frame *frame) {
  note(context, "consume_video_frame");
  return consume(context, frame);
}

static msdk_result consume_audio(msdk_host_context *context, msdk_audio_frame *frame) {
  note(context, "consume_audio_frame");
  return consume(context, frame);
}

static int32_t read_render(msdk_host_context *context, void *destination, uint32_t count) {
  note(context, "read_render_data");
  rig *rig = context->user;
  int is_open = enter(context);
  if (is_open && rig != NULL) memset(destination, 0, (size_t)count * rig->audio.channels * sample_bytes(&rig->audio));
  context->delivered++;
  leave(context);
  return is_open ? 0 : MSDK_E_CLOSED;
}

static int64_t host_now(msdk_host_context *context) {
  note(context, "now_ns");
  return now_ns();
}

static const void *get_extension(msdk_host_context *context, const char *id) {
  (void)id;
  note(context, "get_extension");
  return NULL;
}

static msdk_result writable_audio(msdk_host_context *context, msdk_audio_frame *in, msdk_audio_frame **out) {
  note(context, "audio_frame_make_writable");
  book *from = book_of(in);
  if (from == NULL || out == NULL) return MSDK_E_INVALID;
  if (from->references == 1 && !from->is_delivered && !context->is_starved) {
    in->flags |= MSDK_FRAME_WRITABLE;
    *out = in;
    return MSDK_OK;
  }
  msdk_audio_frame *copy = NULL;
  msdk_result code = host_acquire_audio(context, in->format, in->sample_count, &copy);
  if (code == MSDK_OK) {
    memcpy(copy->planes[0], in->planes[0], (size_t)in->sample_count * in->format->channels * sample_bytes(in->format));
    copy->timestamp_ns = in->timestamp_ns;
    *out = copy;
    host_unref(from);
  }
  return code;
}

static msdk_result consume_encoded(msdk_host_context *context, msdk_encoded_frame *frame) {
  note(context, "consume_encoded_frame");
  if (!encoded_is_ours(frame)) return MSDK_E_HANDLE;
  int is_open = enter(context);
  if (is_open)
    encoded_deliver(context, frame);
  else
    encoded_unref(frame);
  leave(context);
  return is_open ? MSDK_OK : MSDK_E_CLOSED;
}

static msdk_result create_encoded(msdk_host_context *context, const msdk_encoded_frame *attributes, msdk_encoded_frame **out) {
  note(context, "encoded_frame_create");
  return encoded_create(context, attributes, out);
}

static const msdk_host TABLE = {
    .struct_size = sizeof(msdk_host),
    .abi_minor = MSDK_ABI_MINOR,
    .name = "msdk plugin check",
    .version = "1",
    .log = log_text,
    .set_error = set_error,
    .post_event = post_event,
    .video_frame_acquire = acquire_video,
    .video_frame_wrap = wrap_video,
    .video_frame_ref = ref_video,
    .video_frame_unref = unref_video,
    .video_frame_make_writable = writable_video,
    .encoded_frame_ref = encoded_ref,
    .encoded_frame_unref = encoded_unref,
    .audio_frame_acquire = acquire_audio,
    .audio_frame_ref = ref_audio,
    .audio_frame_unref = unref_audio,
    .consume_video_frame = consume_video,
    .consume_audio_frame = consume_audio,
    .read_render_data = read_render,
    .now_ns = host_now,
    .get_extension = get_extension,
    .audio_frame_make_writable = writable_audio,
    .encoded_frame_create = create_encoded,
    .consume_encoded_frame = consume_encoded,
};

static void never(void) {
  fail("P6", "it called a function of the host's table that its header does not know");
}

/* Our table, or the longer one of a later host; each is made once. */
const msdk_host *host_table(msdk_host_context *context) {
  static const msdk_host *made[2];
  int is_new = (context->flags & HOST_NEW) != 0;
  if (made[is_new] != NULL) return made[is_new];
  uint32_t later = is_new ? 64 * (uint32_t)sizeof(void (*)(void)) : 0;
  uint8_t *base;
  uint64_t length;
  uint8_t *memory = pages_before_guard(sizeof TABLE + later + 1024, 8, "memory past the host's table", &base, &length);
  msdk_host *table = (msdk_host *)(void *)memory;
  memcpy(table, &TABLE, sizeof TABLE);
  table->struct_size = (uint32_t)sizeof TABLE + later;
  if (is_new) table->abi_minor = 99;
  for (uint32_t i = 0; i < later / sizeof(void (*)(void)); i++) {
    void (*function)(void) = never;
    memcpy(memory + sizeof TABLE + i * sizeof function, &function, sizeof function);
  }
  pages_protect(base, length - PAGE, PROT_READ);
  return made[is_new] = table;
}
