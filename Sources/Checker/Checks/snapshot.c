/* The checks of snapshots, and of renderers of encoded frames. */
#include <string.h>

#include "checks.h"
#include "encoded.h"
#include "rig.h"

static void do_format(rig_call *call) {
  call->code = call->rig->class->video_renderer->snapshot_format(call->rig->self, call->out);
}
static void do_snapshot(rig_call *call) {
  call->code = call->rig->class->video_renderer->snapshot(call->rig->self, call->out);
}

static msdk_result format_of(rig *rig, msdk_video_format *format) {
  rig_call call = {.rig = rig};
  *format = MSDK_INIT(msdk_video_format);
  call.out = (void *)(uintptr_t)rig_lend(rig, format, sizeof *format, 0);
  step("snapshot_format");
  rig->context->error = 0;
  rig_perform(&call, do_format);
  memcpy(format, call.out, sizeof *format);
  rig_take_back_of(rig, 0);
  if (call.code >= 0) check_video_format(format, "snapshot_format");
  return call.code;
}

/* Into a frame that it is lent, with rows apart and a border behind the last. MSDK_E_AGAIN: none yet. */
static msdk_result take(rig *rig) {
  msdk_video_format format;
  msdk_video_frame *frame = NULL;
  msdk_result code = format_of(rig, &format);
  if (code == MSDK_E_AGAIN || has_failed()) return MSDK_E_AGAIN;
  if (code < 0) fail("snapshot", "snapshot_format returned %s; accepted: a format, or MSDK_E_AGAIN", rig_words(rig, code));
  if (code < 0 || host_acquire_video(rig->context, &format, 0, &frame) < 0) return MSDK_E_AGAIN;
  book *book = book_of(frame);
  rig_call call = {.rig = rig, .out = frame};
  step("snapshot of %ux%u", format.width, format.height);
  rig->context->error = 0;
  rig_perform(&call, do_snapshot);
  if (call.code < 0 && call.code != MSDK_E_AGAIN) fail("snapshot", "snapshot returned %s", rig_words(rig, call.code));
  if (call.code >= 0) {
    rig_look_for_rows(rig->context, frame);
    if (!padding_is_whole(book)) fail("P3", "snapshot wrote between the rows: rows begin plane[i].stride bytes apart, not width");
    if (book->references != 1)
      fail("P4", "after snapshot, the frame that was lent has %d references; accepted: the host's", book->references);
  }
  host_unref(book);
  return call.code;
}

static void snapshots(const msdk_class *class) {
  uint32_t unwritten = 0;
  for (uint8_t poison = 0xA5, round = 0; round < 2 && !has_failed(); poison = 0x5A, round++) {
    rig rig;
    if (rig_open(&rig, class, MSDK_KIND_VIDEO_RENDERER, HOST_GUARD | HOST_PADDED) < 0) return;
    rig.context->poison = poison;
    if (rig_demand(&rig, "snapshot")) {
      take(&rig);
      msdk_result code = has_failed() ? MSDK_OK : MSDK_E_AGAIN;
      for (int i = 0; i < 100 && code == MSDK_E_AGAIN && !has_failed(); i++) { /* one with a thread of its own takes its time */
        if (rig_media(&rig, 1, NULL) < 0) break;
        code = take(&rig);
        if (code == MSDK_E_AGAIN) wait_ms(20);
      }
      if (code == MSDK_E_AGAIN && !has_failed()) fail("snapshot", "after 100 frames there is still no snapshot");
      unwritten += rig.context->changed > 0;
    }
    rig_close(&rig);
  }
  if (unwritten == 2) fail("snapshot", "rows of the snapshot were not written");
}

void check_snapshot(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  const msdk_video_renderer *table = (class->kinds & MSDK_KIND_VIDEO_RENDERER) != 0 ? class->video_renderer : NULL;
  if (table != NULL && (table->snapshot == NULL) != (table->snapshot_format == NULL)) {
    fail("snapshot", "it has only one of snapshot and snapshot_format; accepted: both or neither");
  } else if (table == NULL || table->snapshot == NULL) {
    skip("it has none");
  } else {
    snapshots(class);
  }
}

/* --------------------------------------------------------------------------------------------------------- encoded frames */

typedef msdk_result render_fn(msdk_self *, const msdk_encoded_frame *);
typedef int32_t accepts_fn(msdk_self *, uint32_t);

/* Tables of older versions may end before them. */
static int is_long_enough(const rig *rig) {
  return rig->kind == MSDK_KIND_VIDEO_RENDERER ? MSDK_HAS(rig->class->video_renderer, msdk_video_renderer, render_encoded_frame)
                                               : MSDK_HAS(rig->class->audio_renderer, msdk_audio_renderer, render_encoded_frame);
}
static render_fn *render_of(const rig *rig) {
  if (!is_long_enough(rig)) return NULL;
  return rig->kind == MSDK_KIND_VIDEO_RENDERER ? rig->class->video_renderer->render_encoded_frame
                                               : rig->class->audio_renderer->render_encoded_frame;
}
static accepts_fn *accepts_of(const rig *rig) {
  if (!is_long_enough(rig)) return NULL;
  return rig->kind == MSDK_KIND_VIDEO_RENDERER ? rig->class->video_renderer->accepts_codec : rig->class->audio_renderer->accepts_codec;
}

static void do_accepts(rig_call *call) {
  call->code = accepts_of(call->rig)(call->rig->self, call->index) != 0;
}
static void do_packet(rig_call *call) {
  call->code = render_of(call->rig)(call->rig->self, call->in);
}

/* Something that begins like a frame of the codec, and goes on with anything. */
static msdk_encoded_frame *make_packet(rig *rig, uint32_t codec, uint32_t number) {
  uint8_t data[400];
  for (uint32_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)(i * 7 + number * 13);
  static const uint8_t vp8_key[] = {0x10, 0x02, 0x00, 0x9d, 0x01, 0x2a, 0x40, 0x00, 0x30, 0x00};
  int is_key = number == 0;
  if (codec == MSDK_CODEC_VP8) memcpy(data, vp8_key, sizeof vp8_key), data[0] = is_key ? 0x10 : 0x11;
  if (codec == MSDK_CODEC_OPUS) data[0] = 0xFC; /* 20 ms of CELT, two channels */
  msdk_encoded_frame attributes = MSDK_INIT(msdk_encoded_frame), *made = NULL;
  attributes.codec = codec;
  attributes.data = data;
  attributes.size = sizeof data - number;
  attributes.sequence = number;
  if (rig->kind == MSDK_KIND_VIDEO_RENDERER) {
    attributes.flags = is_key ? MSDK_ENCODED_KEY : 0;
    attributes.width = 64;
    attributes.height = 48;
    attributes.duration_ns = 33333333;
  } else {
    attributes.sample_rate = 48000;
    attributes.channels = 2;
    attributes.duration_ns = 20000000;
    attributes.level = 127;
  }
  attributes.timestamp_ns = rig->time;
  rig->time += attributes.duration_ns;
  return encoded_make(rig->context, &attributes, &made) >= 0 ? made : NULL;
}

/* How many were taken; it may refuse what is no frame. */
static uint32_t feed(rig *rig, uint32_t codec) {
  uint32_t taken = 0;
  for (uint32_t i = 0; i < 12 && !has_failed(); i++) {
    msdk_encoded_frame *packet = make_packet(rig, codec, i);
    if (packet == NULL) break;
    encoded_lock(packet);
    rig_call call = {.rig = rig, .in = packet};
    step("render_encoded_frame of %.4s", (const char *)&codec);
    rig->context->error = 0;
    rig_perform(&call, do_packet);
    encoded_unref(packet);
    taken += call.code >= 0;
    if (call.code < 0 && call.code != MSDK_E_AGAIN && rig->context->error != call.code) {
      fail("set_error", "render_encoded_frame returned %s, and set_error was not called with that code and a text", result_name(call.code));
    }
    if (call.code < 0 && call.code != MSDK_E_AGAIN) break;
  }
  return taken;
}

static void packets(const msdk_class *class, uint32_t kind, uint32_t codec) {
  rig rig;
  if (rig_open(&rig, class, kind, HOST_READ_ONLY | HOST_BORROWED) < 0) return;
  rig_call call = {.rig = &rig, .index = codec};
  msdk_result code = rig_init(&rig);
  if (code < 0) fail("init_render", "init returned %s", rig_words(&rig, code));
  step("accepts_codec of %.4s", (const char *)&codec);
  if (code >= 0) rig_perform(&call, do_accepts);
  if (code >= 0 && call.code > 0 && rig_start(&rig) >= 0) feed(&rig, codec);
  if (rig.is_started && !has_failed()) rig_stop(&rig);
  if (rig.is_ready && !has_failed()) rig_release(&rig);
  for (int i = 0; i < 100 && rig.context->outstanding_encoded > 0; i++) wait_ms(5);
  if (rig.context->outstanding_encoded > 0) {
    fail("P4", "after release_render %d encoded frames were not released", rig.context->outstanding_encoded);
  }
  if (rig.context->over_released > 0) fail("P4", "%u references of encoded frames were released twice", rig.context->over_released);
  rig_close(&rig);
}

void check_packets(void) {
  const msdk_class *class = class_get();
  if (class == NULL) return;
  const uint32_t codecs[] = {MSDK_CODEC_VP8, MSDK_CODEC_AV1, MSDK_CODEC_OPUS, 0x21212121};
  int count = 0;
  FOR_KINDS(kind, class) {
    rig probe = {.class = class, .kind = kind};
    if (kind != MSDK_KIND_VIDEO_RENDERER && kind != MSDK_KIND_AUDIO_RENDERER) continue;
    if ((accepts_of(&probe) == NULL) != (render_of(&probe) == NULL)) {
      fail("accepts_codec", "the %s has only one of accepts_codec and render_encoded_frame; accepted: both or neither", kind_name(kind));
    }
    if (accepts_of(&probe) == NULL || has_failed()) continue;
    count++;
    for (int i = 0; i < 4 && !has_failed(); i++) packets(class, kind, codecs[i]);
  }
  if (count == 0) skip("it renders no encoded frames");
}
