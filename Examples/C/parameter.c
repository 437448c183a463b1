/* Parameters of a plugin: what a class lets one set, what each accepts just now, and which changes the instance reports.
 *
 *     gcc parameter.c $(pkg-config --cflags --libs mediasdk) && ./a.out [directory of plugins]
 *
 * Without a directory the plugins are looked for in the standard places. */
#include <mediasdk/mediasdk.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const class_id = "org.mediasdk.producer.testpattern";

static void must(msdk_result result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s: %s\n", what, msdk_status_string(result), msdk_last_error());
  exit(1);
}

/* What a text parameter accepts: index 0 asks the plugin if that is found at run time, cameras say. */
static void list_choices(msdk_instance *instance, const char *name) {
  for (uint32_t index = 0;; index++) {
    msdk_choice choice = MSDK_INIT(msdk_choice);
    char room[1024];
    msdk_result result = msdk_instance_param_choice_at(instance, name, index, &choice, room, sizeof room, NULL);
    if (result == MSDK_E_NOT_FOUND) return;
    must(result, "msdk_instance_param_choice_at");
    printf("  \"%s\": %s\n", choice.value, choice.label);
  }
}

static void list_parameters(msdk_engine *engine, msdk_instance *instance) {
  for (uint32_t index = 0;; index++) {
    msdk_param param = MSDK_INIT(msdk_param);
    msdk_result result = msdk_engine_class_param_at(engine, class_id, index, &param);
    if (result == MSDK_E_NOT_FOUND) return;
    must(result, "msdk_engine_class_param_at");
    printf("%s%s\n", param.name, param.flags & MSDK_PARAM_LIVE ? ", also while it runs" : "");
    if (param.choices != NULL || param.flags & MSDK_PARAM_DYNAMIC_CHOICES) list_choices(instance, param.name);
    if (param.min.type == MSDK_T_F64 && param.max.type == MSDK_T_F64) printf("  %g..%g\n", param.min.u.f64, param.max.u.f64);
  }
}

int main(int argc, char **argv) {
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  if (argc > 1) must(msdk_engine_add_plugin_dir(engine, argv[1], NULL), "msdk_engine_add_plugin_dir");
  else must(msdk_engine_load_default_plugins(engine, NULL), "msdk_engine_load_default_plugins");
  msdk_instance *pattern = NULL;
  must(msdk_instance_create(engine, class_id, NULL, &pattern), "msdk_instance_create");
  list_parameters(engine, pattern);

  /* By value, or from text, as a user or a file has it. */
  msdk_value speed = {.type = MSDK_T_F64, .u.f64 = 2};
  must(msdk_instance_set_param(pattern, "speed", &speed), "speed");
  must(msdk_instance_set_param_text(pattern, "pattern", "counter"), "pattern");
  if (msdk_instance_set_param_text(pattern, "pattern", "plaid") < 0) printf("refused: %s\n", msdk_last_error());

  /* Each change is reported, whoever made it. A callback can be used instead, see msdk_instance_set_event_callback. */
  msdk_instance_event event = MSDK_INIT(msdk_instance_event);
  while (msdk_instance_next_event(pattern, 0, &event) >= 0) {
    if (event.event != MSDK_PLUGIN_EVENT_PARAM_CHANGED) continue;
    char room[256];
    msdk_value value = {0};
    must(msdk_instance_get_param(pattern, event.text, &value, room, sizeof room, NULL), "msdk_instance_get_param");
    if (value.type == MSDK_T_STRING) printf("changed: %s is \"%s\"\n", event.text, value.u.str);
    else printf("changed: %s is %g\n", event.text, value.u.f64);
  }

  /* What it makes, without a call. */
  msdk_video_frame *frame = NULL;
  must(msdk_instance_start_pull(pattern, NULL, NULL), "msdk_instance_start_pull");
  must(msdk_instance_read(pattern, 5000, &frame), "msdk_instance_read");
  printf("made: frame %" PRIu64 " of %ux%u\n", frame->sequence, frame->format->width, frame->format->height);
  must(msdk_video_frame_unref(frame), "msdk_video_frame_unref");
  must(msdk_instance_stop_pull(pattern), "msdk_instance_stop_pull");
  msdk_engine_destroy(engine);
  return 0;
}
