/* Commands of a plugin: lists those of a class, and calls one by its name.
 *
 *     gcc command.c $(pkg-config --cflags --libs mediasdk) && ./a.out [directory of plugins]
 *
 * Without a directory the plugins are looked for in the standard places. */
#include <mediasdk/mediasdk.h>

#include <stdio.h>
#include <stdlib.h>

static const char *const class_id = "org.mediasdk.producer.testpattern";

static void must(msdk_result result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s: %s\n", what, msdk_status_string(result), msdk_last_error());
  exit(1);
}

static const char *type_name(msdk_type type) {
  static const char *const names[] = {"nothing", "bool", "i32", "i64", "u32", "u64", "f64", "string", "bytes"};
  return type < sizeof names / sizeof names[0] ? names[type] : "?";
}

static void list_commands(msdk_engine *engine) {
  for (uint32_t index = 0;; index++) {
    msdk_command command = MSDK_INIT(msdk_command);
    msdk_result result = msdk_engine_class_command_at(engine, class_id, index, &command);
    if (result == MSDK_E_NOT_FOUND) return;
    must(result, "msdk_engine_class_command_at");
    printf("%s(", command.name);
    for (uint32_t i = 0; i < command.arg_count; i++) {
      const msdk_arg_limits *limits = &command.limits[i];
      printf("%s%s %s", i > 0 ? ", " : "", command.args[i].name, type_name(command.args[i].type));
      for (uint32_t choice = 0; choice < limits->choice_count; choice++) printf("|%s", limits->choices[choice]);
      if (limits->min.type == MSDK_T_F64 && limits->max.type == MSDK_T_F64) printf(" %g..%g", limits->min.u.f64, limits->max.u.f64);
      if (limits->def != NULL) printf(", optional");
    }
    printf(") gives %s: %s\n", type_name(command.result), command.summary);
  }
}

int main(int argc, char **argv) {
  msdk_engine *engine = NULL;
  must(msdk_engine_create(NULL, &engine), "msdk_engine_create");
  if (argc > 1) must(msdk_engine_add_plugin_dir(engine, argv[1], NULL), "msdk_engine_add_plugin_dir");
  else must(msdk_engine_load_default_plugins(engine, NULL), "msdk_engine_load_default_plugins");
  list_commands(engine);

  msdk_instance *pattern = NULL;
  must(msdk_instance_create(engine, class_id, NULL, &pattern), "msdk_instance_create");
  /* Two arguments; the second is optional, because it has a default. */
  msdk_value args[2] = {{.type = MSDK_T_STRING, .u.str = "counter"}, {.type = MSDK_T_F64, .u.f64 = 2}};
  must(msdk_instance_call(pattern, "set_pattern", args, 2, NULL), "set_pattern");

  /* A result. Text and bytes in it would be the SDK's, until this thread's next call. */
  msdk_value made = {0};
  must(msdk_instance_call(pattern, "frame_count", NULL, 0, &made), "frame_count");
  printf("frames made: %llu\n", (unsigned long long)made.u.u64);

  /* What is wrong does not reach the plugin. */
  args[1].u.f64 = 99;
  if (msdk_instance_call(pattern, "set_pattern", args, 2, NULL) < 0) printf("refused: %s\n", msdk_last_error());
  msdk_engine_destroy(engine);
  return 0;
}
