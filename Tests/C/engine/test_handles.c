/* Handles: NULL, garbage, destroyed, orphaned and of another kind, into every function that takes one. */
#include "audio_classes.h"
#include "handle_calls.h"
#include "ivf.h"
#include "sounding.h"

static call lively;

static void make_good(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 15);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  lively = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  all_good.engine = lively.engine;
  all_good.session = lively.alice;
  all_good.outgoing = lively.outgoing;
  all_good.sender = lively.sender;
  all_good.incoming = lively.incoming;
  const char *directory = getenv("MSDK_PLUGIN_DIR");
  CHECK_OK(msdk_engine_add_plugin_dir(lively.engine, directory != NULL ? directory : "", NULL));
  CHECK_OK(msdk_instance_create(lively.engine, "org.mediasdk.renderer.bw", NULL, &all_good.instance));
  all_good.frame = picture_new(MSDK_PIXEL_NV12, 320, 240, 0);
  static ivf_clip clip;
  if (CHECK(ivf_open(&clip))) all_good.encoded = encoded_of(clip.frame[0].data, clip.frame[0].size, 0);
  ivf_close(&clip);
  sounding_add(&lively, &all_good);
}

static void *good_of(enum handle_kind kind) {
  void *handles[HANDLE_KINDS] = {all_good.engine, all_good.session, all_good.outgoing, all_good.sender, all_good.incoming,
                                 all_good.instance, all_good.frame, all_good.encoded, all_good.sound_out, all_good.sound_in,
                                 all_good.speaker, all_good.sound};
  return handles[kind];
}

static void expect_handle_error(const handle_call *call, void *it, const char *what) {
  msdk_result result = call->make(it);
  if (!CHECK_EQ(result, MSDK_E_HANDLE)) {
    fprintf(stderr, "  %s(%s: %s) gave %s\n", call->name, call->argument, what, msdk_status_string(result));
    return;
  }
  /* The text names the argument: as the header calls it, or by its kind where there is only one of that kind. */
  static const char *const kinds[HANDLE_KINDS] = {"engine", "session", "outgoing_video", "sender",         "incoming_video", "instance",
                                                  "frame",  "frame",   "outgoing_audio", "incoming_audio", "instance",       "frame"};
  /* Two of a kind: a filter and its renderer, a frame and what it is converted into. */
  int only = strstr(call->name, "downstream") == NULL && strstr(call->name, "convert_into") == NULL;
  int by_kind = only && strstr(msdk_last_error(), kinds[call->kind]) != NULL;
  if (!by_kind && !CHECK_STR_CONTAINS(msdk_last_error(), call->argument)) fprintf(stderr, "  of %s(%s)\n", call->name, what);
}

static void null_handles(void) {
  for (int i = 0; i < HANDLE_CALL_COUNT; i++) expect_handle_error(&handle_calls[i], NULL, "NULL");
}

static void garbage_handles(void) {
  static uint8_t zeroes[512];
  uint8_t *heap = calloc(1, 512);
  uint64_t on_stack[16] = {0};
  void *garbage[] = {(void *)(uintptr_t)1, (void *)(uintptr_t)UINTPTR_MAX, (void *)(uintptr_t)0xDEADBEEF,
                     (void *)(uintptr_t)0x8000000000000000u, zeroes, heap, on_stack, (void *)(uintptr_t)puts};
  for (int i = 0; i < HANDLE_CALL_COUNT; i++) {
    for (size_t j = 0; j < sizeof garbage / sizeof garbage[0]; j++) expect_handle_error(&handle_calls[i], garbage[j], "garbage");
  }
  for (size_t j = 0; j < sizeof garbage / sizeof garbage[0]; j++) {
    msdk_engine_destroy(garbage[j]);
    msdk_session_destroy(garbage[j]);
    msdk_outgoing_video_destroy(garbage[j]);
    msdk_outgoing_audio_destroy(garbage[j]);
    msdk_instance_destroy(garbage[j]);
    CHECK_EQ(msdk_engine_now(garbage[j]), 0);
    CHECK_RESULT(msdk_video_frame_unref(garbage[j]), MSDK_E_HANDLE);
    CHECK_RESULT(msdk_encoded_frame_unref(garbage[j]), MSDK_E_HANDLE);
    CHECK_EQ(video_references(garbage[j]), 0);
    CHECK_RESULT(msdk_audio_frame_unref(garbage[j]), MSDK_E_HANDLE);
    CHECK_EQ(audio_references(garbage[j]), 0);
  }
  free(heap);
}

/* Tokens near a live one: the same place with another generation, or the places beside it. */
static void neighbours_of_live_handles(void) {
  static const uint64_t changes[] = {1, 1u << 8, 1u << 16, 1u << 24, UINT64_C(1) << 32, UINT64_C(1) << 40, UINT64_C(1) << 48,
                                     UINT64_C(1) << 56};
  for (int i = 0; i < HANDLE_CALL_COUNT; i++) {
    for (size_t j = 0; j < sizeof changes / sizeof changes[0]; j++) {
      uintptr_t token = (uintptr_t)good_of(handle_calls[i].kind) ^ (uintptr_t)changes[j];
      int taken = 0; /* the change may lead to another live object of the same kind: bob's session, the other instance */
      taken |= (void *)token == (void *)lively.bob;
      taken |= (void *)token == (void *)all_good.instance || (void *)token == (void *)all_good.speaker;
      if (!taken) expect_handle_error(&handle_calls[i], (void *)token, "a neighbour");
    }
  }
}

static void handles_of_another_kind(void) {
  for (int i = 0; i < HANDLE_CALL_COUNT; i++) {
    for (int kind = 0; kind < HANDLE_KINDS; kind++) {
      int same = kind == (int)handle_calls[i].kind || (kind == INSTANCE && handle_calls[i].kind == SPEAKER) ||
                 (kind == SPEAKER && handle_calls[i].kind == INSTANCE);
      if (!same) expect_handle_error(&handle_calls[i], good_of((enum handle_kind)kind), "of another kind");
    }
  }
  msdk_engine_destroy((void *)all_good.session);
  msdk_session_destroy((void *)all_good.engine);
  msdk_outgoing_video_destroy((void *)all_good.incoming);
  msdk_outgoing_video_destroy((void *)all_good.sound_out);
  msdk_outgoing_audio_destroy((void *)all_good.outgoing);
  msdk_outgoing_audio_destroy((void *)all_good.sound_in);
  msdk_instance_destroy((void *)all_good.sender);
  uint32_t state;
  CHECK_OK(msdk_session_get_state(all_good.session, &state));
  CHECK_OK(msdk_incoming_video_get_state(all_good.incoming, &state));
  CHECK_OK(msdk_outgoing_video_get_state(all_good.outgoing, &state));
  CHECK_OK(msdk_outgoing_audio_get_state(all_good.sound_out, &state));
  CHECK_OK(msdk_incoming_audio_get_state(all_good.sound_in, &state));
}

static void destroyed_handles(void) {
  good old = {0};
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 15);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  old.engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_engine_destroy(old.engine);
  old.session = session_new(lively.engine, "loopback:gone", "gone");
  msdk_session_destroy(old.session);
  CHECK_OK(msdk_outgoing_video_create(lively.engine, &options, &old.outgoing));
  msdk_outgoing_video_destroy(old.outgoing);
  CHECK_OK(msdk_instance_create(lively.engine, "org.mediasdk.renderer.bw", NULL, &old.instance));
  msdk_instance_destroy(old.instance);
  old.frame = picture_new(MSDK_PIXEL_NV12, 320, 240, 0);
  msdk_video_frame_unref(old.frame);
  CHECK_OK(msdk_outgoing_audio_create(lively.engine, NULL, &old.sound_out));
  msdk_outgoing_audio_destroy(old.sound_out);
  old.speaker = instance_of(lively.engine, "org.mediasdk.test.earphone");
  msdk_instance_destroy(old.speaker);
  old.sound = sounding_buffer();
  msdk_audio_frame_unref(old.sound);
  void *handles[HANDLE_KINDS] = {old.engine,   old.session, old.outgoing, NULL, NULL,        old.instance,
                                 old.frame, NULL,        old.sound_out, NULL, old.speaker, old.sound};
  for (int i = 0; i < HANDLE_CALL_COUNT; i++) {
    if (handles[handle_calls[i].kind] != NULL) expect_handle_error(&handle_calls[i], handles[handle_calls[i].kind], "destroyed");
  }
  msdk_engine_destroy(old.engine);
  msdk_session_destroy(old.session);
  msdk_outgoing_video_destroy(old.outgoing);
  msdk_outgoing_audio_destroy(old.sound_out);
  msdk_instance_destroy(old.instance);
}

/* Whose parent has been destroyed: MSDK_E_HANDLE or MSDK_E_CLOSED, and destroy is still fine. */
static void orphaned_handles(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 15);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_RAW, &format, 1);
  call orphans = call_open(MSDK_CLOCK_VIRTUAL, &options, NULL);
  const char *directory = getenv("MSDK_PLUGIN_DIR");
  CHECK_OK(msdk_engine_add_plugin_dir(orphans.engine, directory != NULL ? directory : "", NULL));
  msdk_instance *instance = NULL;
  CHECK_OK(msdk_instance_create(orphans.engine, "org.mediasdk.renderer.bw", NULL, &instance));
  good sounding = {0};
  sounding_add(&orphans, &sounding);
  msdk_engine_destroy(orphans.engine);
  void *handles[HANDLE_KINDS] = {orphans.engine, orphans.alice, orphans.outgoing,   orphans.sender,    orphans.incoming, instance,
                                 NULL,           NULL,          sounding.sound_out, sounding.sound_in, sounding.speaker, NULL};
  for (int i = 0; i < HANDLE_CALL_COUNT; i++) {
    void *it = handles[handle_calls[i].kind];
    if (it == NULL) continue;
    msdk_result result = handle_calls[i].make(it);
    if (!CHECK(result == MSDK_E_HANDLE || result == MSDK_E_CLOSED)) {
      fprintf(stderr, "  %s(orphan) gave %s\n", handle_calls[i].name, msdk_status_string(result));
    }
  }
  msdk_session_destroy(orphans.alice);
  msdk_session_destroy(orphans.bob);
  msdk_outgoing_video_destroy(orphans.outgoing);
  msdk_outgoing_audio_destroy(sounding.sound_out);
  msdk_instance_destroy(sounding.speaker);
  msdk_instance_destroy(instance);
  CHECK_OK(msdk_audio_frame_unref(sounding.sound)); /* frames outlive everything */
}

int main(int argc, char **argv) {
  make_good();
  RUN(null_handles);
  RUN(garbage_handles);
  RUN(neighbours_of_live_handles);
  RUN(handles_of_another_kind);
  RUN(destroyed_handles);
  RUN(orphaned_handles);
  msdk_video_frame_unref(all_good.frame);
  msdk_encoded_frame_unref(all_good.encoded);
  msdk_instance_destroy(all_good.instance);
  sounding_remove(&all_good);
  call_close(&lively);
  return check_finish();
}
