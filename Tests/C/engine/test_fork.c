/* Law: in the child of a fork() every call returns MSDK_E_FORKED and none hangs, whatever the parent's threads were doing; a child of
 * who has no engine can use the library. */
#include "handle_calls.h"
#include "ivf.h"
#include "sounding.h"

#include <link.h>
#include <sys/wait.h>

static call lively;

static int expect_forked(msdk_result result, const char *name) {
  if (result == MSDK_E_FORKED) return 0;
  fprintf(stderr, "  in the child %s gave %s\n", name, msdk_status_string(result));
  return 1;
}

static int calls_without_handles(void) {
  int wrong = 0;
  msdk_engine *engine = NULL;
  msdk_video_frame *frame = NULL;
  msdk_encoded_frame *encoded = NULL;
  msdk_frame_layout layout = MSDK_INIT(msdk_frame_layout);
  msdk_video_limit limit = MSDK_INIT(msdk_video_limit);
  msdk_video_format format = format_of(MSDK_PIXEL_GRAY8, 4, 4, 15);
  static uint8_t pixels[16];
  msdk_external_frame external = MSDK_INIT(msdk_external_frame);
  external.format = &format;
  external.plane_count = 1;
  external.plane[0] = (msdk_plane){.data = pixels, .size = 16, .stride = 4};
  msdk_encoded_frame source = MSDK_INIT(msdk_encoded_frame);
  source.codec = MSDK_CODEC_VP8;
  source.data = pixels;
  source.size = 16;
  wrong += expect_forked(msdk_engine_create(NULL, &engine), "engine_create");
  wrong += expect_forked(msdk_frame_get_layout(MSDK_PIXEL_GRAY8, 4, 4, 1, &layout), "frame_layout_get");
  wrong += expect_forked(msdk_video_frame_create(&format, &frame), "video_frame_create");
  wrong += expect_forked(msdk_video_frame_wrap(&external, &frame), "video_frame_wrap");
  wrong += expect_forked(msdk_encoded_frame_create(&source, &encoded), "encoded_frame_create");
  wrong += expect_forked(msdk_video_limit_at(0, 0, 0, &limit), "video_limit_at");
  wrong += expect_forked(msdk_video_limit_check(0, MSDK_LIMITS_EXTENDED, &format), "video_limit_check");
  wrong += expect_forked(msdk_video_frame_unref(all_good.frame), "video_frame_unref");
  wrong += expect_forked(msdk_encoded_frame_unref(all_good.encoded), "encoded_frame_unref");
  msdk_audio_format tone = audio_format_of(MSDK_SAMPLE_S16, 48000, 1);
  msdk_audio_frame *sound = NULL;
  wrong += expect_forked(msdk_audio_frame_create(&tone, 480, &sound), "audio_frame_create");
  wrong += expect_forked(msdk_audio_frame_unref(all_good.sound), "audio_frame_unref");
  msdk_access_token_options token = MSDK_INIT(msdk_access_token_options);
  token.api_key = "key", token.api_secret = "a secret of thirty-two characters", token.room = "lobby", token.user_id = "anna";
  wrong += expect_forked(msdk_access_token_create(&token, (char[1024]){0}, 1024, NULL), "access_token_create");
  wrong += sound != NULL || audio_references(all_good.sound) != 0;
  wrong += engine != NULL || frame != NULL || encoded != NULL;
  wrong += msdk_engine_now(all_good.engine) != 0;
  wrong += video_references(all_good.frame) != 0;
  return wrong;
}

static int child(void) {
  alarm(30);
  int wrong = calls_without_handles();
  void *handles[HANDLE_KINDS] = {all_good.engine, all_good.session, all_good.outgoing, all_good.sender, all_good.incoming,
                                 all_good.instance, all_good.frame, all_good.encoded, all_good.sound_out, all_good.sound_in,
                                 all_good.speaker, all_good.sound};
  for (int i = 0; i < HANDLE_CALL_COUNT; i++) {
    wrong += expect_forked(handle_calls[i].make(handles[handle_calls[i].kind]), handle_calls[i].name);
    wrong += expect_forked(handle_calls[i].make(NULL), handle_calls[i].name);
  }
  if (strstr(msdk_last_error(), "fork") == NULL) {
    fprintf(stderr, "  in the child the words are \"%s\"\n", msdk_last_error());
    wrong++;
  }
  wrong += strcmp(msdk_version(), MSDK_VERSION_STRING) != 0;
  wrong += msdk_time_to_units(100, MSDK_TICK_RATE) != 1;
  msdk_instance_destroy(all_good.instance);
  msdk_instance_destroy(all_good.speaker);
  msdk_outgoing_video_destroy(all_good.outgoing);
  msdk_outgoing_audio_destroy(all_good.sound_out);
  msdk_session_destroy(all_good.session);
  msdk_engine_destroy(all_good.engine);
  return wrong > 100 ? 100 : wrong;
}

/* How many words of the library's memory of this thread are that number. */
typedef struct search {
  uint32_t number;
  int count, words;
} search;

static int look(struct dl_phdr_info *info, size_t size, void *user) {
  search *it = user;
  (void)size;
  if (strstr(info->dlpi_name, "libmediasdk.so") == NULL || info->dlpi_tls_data == NULL) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_TLS) continue;
    const uint32_t *word = info->dlpi_tls_data;
    for (it->words = 0; it->words < (int)(info->dlpi_phdr[i].p_memsz / sizeof *word); it->words++) it->count += word[it->words] == it->number;
  }
  return 0;
}

static search words_of(pid_t number) {
  search it = {.number = (uint32_t)number};
  dl_iterate_phdr(look, &it);
  return it;
}

static int use(void) {
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  call own = call_open(MSDK_CLOCK_SYSTEM, &options, NULL);
  msdk_video_frame *frame = NULL;
  for (int i = 0; i < 100 && msdk_incoming_video_read(own.incoming, 100, &frame) < 0; i++) {
    CHECK_OK(msdk_frame_sender_acquire(own.sender, 1000, &frame));
    picture_draw(frame, 0);
    CHECK_OK(msdk_frame_sender_send(own.sender, frame, 0, NULL, NULL));
    msdk_video_frame_unref(frame);
    frame = NULL;
  }
  CHECK(frame != NULL);
  msdk_video_frame_unref(frame);
  msdk_engine_destroy(own.engine);
  return check_failed > 0;
}

/* As a daemon: the library was loaded, and no engine created. */
static void a_child_can_be_the_first_to_use_it(void) {
  pid_t parent = getpid();
  int is_ours = !(UNDER_ASAN || UNDER_TSAN);           /* their builds have a runtime as it is */
  if (is_ours) CHECK(words_of(parent).count > 0); /* which keeps it */
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    /* Of the parent it would name the wrong owner of a lock. */
    if (is_ours) CHECK(words_of(parent).words > 0 && words_of(parent).count == 0);
    _exit(use());
  }
  int status = 0;
  CHECK_EQ(waitpid(pid, &status, 0), pid);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void children_are_refused(void) {
  for (int round = 0; round < 10; round++) {
    msdk_video_frame *frame = NULL; /* work for the threads at the moment of the fork */
    for (int i = 0; i < 3; i++) {
      if (msdk_frame_sender_acquire(lively.sender, 100, &frame) < 0) continue;
      picture_draw(frame, (uint32_t)i);
      msdk_frame_sender_send(lively.sender, frame, 0, NULL, NULL);
      msdk_video_frame_unref(frame);
      msdk_outgoing_audio_send(all_good.sound_out, one_buffer, sizeof one_buffer, 0, 0, NULL, NULL);
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) _exit(child());
    int status = 0;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK(WIFEXITED(status));
    CHECK_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
  }
}

static void the_parent_goes_on(void) {
  msdk_video_frame *frame = NULL;
  while (msdk_incoming_video_read(lively.incoming, 0, &frame) >= 0) msdk_video_frame_unref(frame);
  int64_t begin = msdk_engine_now(lively.engine), newest = 0;
  for (int i = 0; i < 50 && newest < begin; i++) {
    CHECK_OK(msdk_frame_sender_acquire(lively.sender, 1000, &frame));
    picture_draw(frame, (uint32_t)i);
    CHECK_OK(msdk_frame_sender_send(lively.sender, frame, 0, NULL, NULL));
    msdk_video_frame_unref(frame);
    sleep_ms(33);
    while (msdk_incoming_video_read(lively.incoming, 0, &frame) >= 0) {
      newest = frame->timestamp_ns;
      msdk_video_frame_unref(frame);
    }
  }
  CHECK(newest >= begin);
  msdk_audio_frame *sound = NULL;
  while (msdk_incoming_audio_read(all_good.sound_in, 0, &sound) >= 0) msdk_audio_frame_unref(sound);
  CHECK_OK(msdk_outgoing_audio_send(all_good.sound_out, one_buffer, sizeof one_buffer, 0, 1000, NULL, NULL));
  CHECK_OK(msdk_incoming_audio_read(all_good.sound_in, 5000, &sound));
  CHECK_OK(msdk_audio_frame_unref(sound));
}

int main(int argc, char **argv) {
  RUN(a_child_can_be_the_first_to_use_it);
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 320, 240, 30);
  msdk_outgoing_video_options options = outgoing_options(MSDK_CODEC_VP8, &format, 1);
  lively = call_open(MSDK_CLOCK_SYSTEM, &options, NULL);
  const char *directory = getenv("MSDK_PLUGIN_DIR");
  CHECK_OK(msdk_engine_add_plugin_dir(lively.engine, directory != NULL ? directory : "", NULL));
  all_good = (good){.engine = lively.engine, .session = lively.alice, .outgoing = lively.outgoing, .sender = lively.sender,
                    .incoming = lively.incoming};
  CHECK_OK(msdk_instance_create(lively.engine, "org.mediasdk.renderer.bw", NULL, &all_good.instance));
  CHECK_OK(msdk_incoming_video_attach_renderer(lively.incoming, all_good.instance, NULL));
  all_good.frame = picture_new(MSDK_PIXEL_NV12, 320, 240, 0);
  static ivf_clip clip;
  if (CHECK(ivf_open(&clip))) all_good.encoded = encoded_of(clip.frame[0].data, clip.frame[0].size, 0);
  sounding_add(&lively, &all_good);
  CHECK_OK(msdk_session_get_mixed_audio(lively.alice, &(msdk_incoming_audio *){NULL}));
  RUN(children_are_refused);
  RUN(the_parent_goes_on);
  msdk_video_frame_unref(all_good.frame);
  msdk_encoded_frame_unref(all_good.encoded);
  msdk_instance_destroy(all_good.instance);
  sounding_remove(&all_good);
  call_close(&lively);
  ivf_close(&clip);
  return check_finish();
}
