/* The check of renderers of several streams at once. */
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "rig.h"

static const char RULE[] = "update_input";


static void do_update(rig_call *call) {
  call->code = call->rig->class->video_renderer->update_input(call->rig->self, call->index, call->in);
}
static void do_remove(rig_call *call) {
  call->code = call->rig->class->video_renderer->remove_input(call->rig->self, call->index);
}
static void do_render(rig_call *call) {
  call->code = call->rig->class->video_renderer->render_input_frame(call->rig->self, call->index, call->in);
}

static msdk_result perform(rig *rig, const char *name, uint32_t number, const void *in, void (*work)(rig_call *)) {
  rig_call call = {.rig = rig, .index = number, .in = in};
  step("%s of input %u", name, number);
  rig->context->error = 0;
  rig_perform(&call, work);
  if (call.code < 0 && call.code != MSDK_E_AGAIN) fail(RULE, "%s of input %u returned %s", name, number, rig_words(rig, call.code));
  return call.code;
}

/* Both texts are lent for the call, each before a border of its own. */
static void update(rig *rig, uint32_t number, uint32_t has_video, uint32_t is_speaking) {
  uint8_t *base[2], *text[2];
  uint64_t length[2];
  char words[2][256];
  snprintf(words[0], sizeof words[0], "user-%u", number);
  memset(words[1], 'n', 255); /* the longest that is told */
  words[1][255] = 0;
  if (number % 2 == 0) snprintf(words[1], sizeof words[1], "N\xC3\xA4me %u", number);
  for (int i = 0; i < 2; i++) {
    uint64_t size = strlen(words[i]) + 1;
    text[i] = pages_before_guard(size, 1, "memory past a text of an input", &base[i], &length[i]);
    memcpy(text[i], words[i], size);
    region_forbid(base[i], length[i], "a text of an input after the call that lent it");
  }
  msdk_input input = MSDK_INIT(msdk_input);
  input.kind = number == 3 ? MSDK_VIDEO_SCREEN_SHARE : MSDK_VIDEO_VIRTUAL;
  input.user_id = (const char *)text[0];
  input.display_name = (const char *)text[1];
  input.is_local = number == 1;
  input.has_video = has_video;
  input.is_speaking = is_speaking;
  perform(rig, "update_input", number, rig_lend(rig, &input, sizeof input, 0), do_update);
  rig_take_back_of(rig, 0);
  for (int i = 0; i < 2; i++) pages_protect(base[i], length[i], 0); /* for good: a few pages of a process that ends soon */
}

static void pictures(rig *rig, uint32_t number, uint32_t count, int32_t *most) {
  static const uint32_t sizes[][2] = {{64, 48}, {33, 17}, {1, 1}, {127, 95}, {48, 64}};
  for (uint32_t i = 0; i < count && !has_failed(); i++) {
    book *book = NULL;
    rig->video.width = sizes[(number + i / 3) % 5][0];
    rig->video.height = sizes[(number + i / 3) % 5][1];
    rig->has_format = 1;
    if (rig_agree(rig) < 0 || rig_call_acquire(rig, &book) < 0) continue; /* a size, or a ninth frame, that it does not have to take */
    rig_lock(rig, book);
    perform(rig, "render_input_frame", number, book->frame, do_render);
    host_unref(book);
    if (most != NULL && rig->context->outstanding > *most) *most = rig->context->outstanding;
  }
}

/* What it keeps, once its threads had the time to let go. */
static int32_t kept(rig *rig, int32_t accepted) {
  for (int i = 0; i < 100 && rig->context->outstanding > accepted; i++) wait_ms(5);
  return rig->context->outstanding;
}

static int begin(rig *rig, const msdk_class *class) {
  if (rig_open(rig, class, MSDK_KIND_VIDEO_RENDERER, HOST_GUARD | HOST_READ_ONLY | HOST_BORROWED) < 0) return 0;
  if (rig_demand(rig, RULE)) return 1;
  rig_close(rig);
  return 0;
}

/* One input after the other: what is gone has given back its frames. */
static void one_by_one(rig *rig) {
  for (uint32_t number = 1; number <= 3 && !has_failed(); number++) {
    int32_t most = 0;
    update(rig, number, 1, 0);
    pictures(rig, number, 8, &most);
    if (most > 4) fail("P4", "it keeps %d frames of one input; accepted: at most 4", most);
    if (!has_failed()) perform(rig, "remove_input", number, NULL, do_remove);
    if (!has_failed() && kept(rig, 0) > 0) {
      fail("remove_input", "it keeps %d frames of an input that was removed; accepted: none", rig->context->outstanding);
    }
  }
}

/* Several at once, that come, change and go; some are left for release. */
static void several(rig *rig) {
  for (uint32_t number = 11; number <= 14 && !has_failed(); number++) update(rig, number, number != 13, 0);
  for (uint32_t i = 0; i < 12 && !has_failed(); i++) pictures(rig, 11 + random_below(2), 1, NULL);
  update(rig, 13, 1, 0);
  update(rig, 12, 0, 0); /* whatever was shown is over */
  pictures(rig, 13, 1, NULL);
  if (!has_failed()) perform(rig, "remove_input", 11, NULL, do_remove);
  if (!has_failed()) perform(rig, "remove_input", 14, NULL, do_remove); /* it never had a picture */
  update(rig, 15, 1, 1);
  pictures(rig, 15, 1, NULL);
  if (rig->class->video_renderer->flush != NULL && !has_failed()) rig->class->video_renderer->flush(rig->self);
  update(rig, 13, 1, 1);
  pictures(rig, 13, 1, NULL);
}

void check_inputs(void) {
  const msdk_class *class = class_get();
  rig rig;
  if (class == NULL) return;
  const msdk_video_renderer *table = (class->kinds & MSDK_KIND_VIDEO_RENDERER) != 0 ? class->video_renderer : NULL;
  int count = 0;
  if (table != NULL && MSDK_HAS(table, msdk_video_renderer, render_input_frame)) {
    count = (table->update_input != NULL) + (table->remove_input != NULL) + (table->render_input_frame != NULL);
  }
  if (count == 0) {
    skip("it is not a renderer of several streams");
    return;
  }
  if (count < 3) {
    fail(RULE, "it has %d of update_input, remove_input and render_input_frame; accepted: all three or none", count);
    return;
  }
  if (!begin(&rig, class)) return;
  one_by_one(&rig);
  rig_close(&rig);
  for (int life = 0; life < 2 && !has_failed() && begin(&rig, class); life++) {
    several(&rig);
    if (!has_failed()) rig_release(&rig);
    if (!has_failed() && kept(&rig, 0) > 0) {
      fail("P4", "after release_render, which ends all inputs, %d frames of them were not released", rig.context->outstanding);
    }
    rig_close(&rig);
  }
}
