/* Plugin files that are none, or do not keep to the contract: refused with words that name the rule, never a crash. */
#include "call.h"

#include <errno.h>
#include <sys/stat.h>

static char directory[2048]; /* of the compiled plugins */

static const char *path_of(const char *name) {
  static char path[4][4096];
  static int turn;
  char *it = path[turn++ % 4];
  snprintf(it, sizeof path[0], "%s/%s.so", directory, name);
  return it;
}

static msdk_result load(const char *path) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_result result = msdk_engine_load_plugin(engine, path);
  msdk_class_info info = MSDK_INIT(msdk_class_info);
  CHECK_OK(msdk_engine_class_at(engine, 0, &info));
  CHECK_EQ(strcmp(info.id, "org.mediasdk.vp8") == 0, result < 0); /* none is left behind but the SDK's own codecs */
  if (result < 0) CHECK_EQ(msdk_engine_load_plugin(engine, path), result); /* and its words are the last ones again */
  msdk_engine_destroy(engine);
  return result;
}

typedef struct refusal {
  const char *file, *word;
} refusal;

static const refusal refusals[] = {
  {"no_entry", "msdk_plugin_entry_v1"},
  {"declines", "NULL"},
  {"too_new", "min_host_minor"},
  {"short_module", "struct_size"},
  {"sizeless_module", "struct_size"},
  {"null_classes", "classes"},
  {"no_class", "class"},
  {"no_kinds", "kinds"},
  {"unknown_kinds", "kinds"},
  {"short_class", "struct_size"},
  {"no_create", "create"},
  {"no_destroy", "destroy"},
  {"no_producer", "video_producer"},
  {"no_renderer", "video_renderer"},
  {"short_producer", "struct_size"},
  {"no_start", "start"},
  {"no_produce", "produce_frame"},
  {"null_id", "id"},
  {"empty_id", "id"},
  {"bad_id", "id"},
  {"long_id", "127"},
  {"null_params", "params"},
  {"many_params", "params"},
  {"some_million_params", "params"},
  {"null_class", "classes[0]"},
  {"odd_param_size", "struct_size"},
  {"nameless_param", "name"},
  {"bad_param_name", "Two Words"},
  {"bad_param_type", "level"},
  {"bad_default", "level"},
  {"upside_down_bounds", "level"},
  {"short_param", "struct_size"},
  {"twice_the_same_param", "level"},
  {"unsettable_params", "set_param"},
  {"many_commands", "commands"},
};

static void rules_that_are_broken_are_named(void) {
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    const char *path = path_of(refusals[i].file);
    int ok = CHECK_EQ(load(path), MSDK_E_ABI);
    ok &= CHECK_STR_CONTAINS(msdk_last_error(), refusals[i].word);
    if (!ok) fprintf(stderr, "  %s.so\n", refusals[i].file);
  }
}

static void a_sound_one_loads_twice(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_load_plugin(engine, path_of("sound")));
  CHECK_OK(msdk_engine_load_plugin(engine, path_of("sound")));
  msdk_class_info info = MSDK_INIT(msdk_class_info);
  CHECK_OK(msdk_engine_class_at(engine, 0, &info));
  CHECK(strcmp(info.id, "org.mediasdk.test.sound") == 0);
  CHECK(strcmp(info.module_vendor, "") == 0);
  CHECK_OK(msdk_engine_class_at(engine, 2, &info));
  CHECK(strcmp(info.id, "org.mediasdk.opus") == 0);
  CHECK_RESULT(msdk_engine_class_at(engine, 3, &info), MSDK_E_NOT_FOUND);
  CHECK_ERROR(msdk_engine_load_plugin(engine, path_of("taken_id")), MSDK_E_EXISTS, "org.mediasdk.test.sound");
  msdk_instance *instance = NULL;
  CHECK_OK(msdk_instance_create(engine, "org.mediasdk.test.sound", NULL, &instance));
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  CHECK_OK(msdk_instance_format_at(instance, 0, &format));
  CHECK_EQ(format.pixel_format, MSDK_PIXEL_GRAY8);
  CHECK_RESULT(msdk_instance_format_at(instance, 1, &format), MSDK_E_NOT_FOUND);
  msdk_instance_destroy(instance);
  msdk_engine_destroy(engine);
}

static void duplicates_within_a_module(void) {
  msdk_result result = load(path_of("duplicate_ids"));
  CHECK(result == MSDK_E_EXISTS || result == MSDK_E_ABI);
  CHECK_STR_CONTAINS(msdk_last_error(), "org.mediasdk.test.sound");
}

/* init is called before the first create: when the file is loaded, or only then. */
static void a_module_whose_init_fails(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  msdk_instance *instance = NULL;
  for (int i = 0; i < 2; i++) {
    msdk_result result = msdk_engine_load_plugin(engine, path_of("failing_init"));
    if (result >= 0) result = msdk_instance_create(engine, "org.mediasdk.test.sound", NULL, &instance);
    CHECK_EQ(result, MSDK_E_DEVICE_LOST);
    CHECK_STR_CONTAINS(msdk_last_error(), "init");
    CHECK(instance == NULL);
  }
  msdk_engine_destroy(engine);
}

static int copy_file(const char *from, const char *to, long at_most) {
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  int byte = 0;
  for (long i = 0; in != NULL && out != NULL && i < at_most && (byte = fgetc(in)) != EOF; i++) fputc(byte, out);
  if (in != NULL) fclose(in);
  return out != NULL && fclose(out) == 0 && in != NULL;
}

static void files_that_are_no_plugins(void) {
  CHECK_ERROR(load(path_of("not_there")), MSDK_E_NOT_FOUND, "not_there.so");
  FILE *file = fopen("text.so", "w");
  NEED(file != NULL);
  fputs("This is no ELF.\n", file);
  fclose(file);
  CHECK_ERROR(load("text.so"), MSDK_E_ABI, "text.so");
  file = fopen("empty.so", "w");
  NEED(file != NULL);
  fclose(file);
  CHECK_ERROR(load("empty.so"), MSDK_E_ABI, "empty.so");
  NEED(copy_file(path_of("sound"), "half.so", 900));
  CHECK_ERROR(load("half.so"), MSDK_E_ABI, "half.so");
  CHECK(mkdir("directory.so", 0755) == 0 || errno == EEXIST);
  CHECK(load("directory.so") < 0);
  CHECK_STR_CONTAINS(msdk_last_error(), "directory.so");
  CHECK(load("/dev/null") < 0);
  CHECK(load("/dev/zero") < 0);
  CHECK(load(".") < 0);
}

static void a_file_that_anybody_may_write(void) {
  NEED(copy_file(path_of("sound"), "writable.so", 1 << 24));
  CHECK_EQ(chmod("writable.so", 0666), 0);
  CHECK_RESULT(load("writable.so"), MSDK_E_PERMISSION);
  CHECK_STR_CONTAINS(msdk_last_error(), "writ");
  CHECK_EQ(chmod("writable.so", 0644), 0);
  CHECK_OK(load("writable.so"));
  CHECK_EQ(unlink("writable.so"), 0);
}

/* Nor may anybody but root and this user put another file in its place. */
static void directories_that_others_may_write(void) {
  static const struct {
    mode_t mode;
    uid_t user;
    gid_t group;
    const char *word; /* NULL: fine */
  } all[] = {
    {0777, 0, 0, "all users"},  {0775, 0, 65533, "group 65533"}, {0757, 0, 0, "all users"}, {0755, 65533, 0, "user 65533"},
    {01777, 0, 0, NULL},        {01775, 0, 65533, NULL},         {0755, 0, 65533, NULL},    {0700, 0, 0, NULL},
  };
  char kept[64] = "";
  const char *given = getenv("MSDK_PLUGIN_ALLOW_WRITABLE");
  snprintf(kept, sizeof kept, "%s", given != NULL ? given : "");
  unsetenv("MSDK_PLUGIN_ALLOW_WRITABLE");
  /* Beneath /tmp, as the clone may lie anywhere. */
  char above[] = "/tmp/msdk-plugins-XXXXXX", below[64], file[80];
  NEED(mkdtemp(above) != NULL);
  snprintf(below, sizeof below, "%s/below", above);
  snprintf(file, sizeof file, "%s/sound.so", below);
  CHECK(mkdir(below, 0755) == 0 && chmod(below, 0755) == 0 && copy_file(path_of("sound"), file, 1 << 24) && chmod(file, 0644) == 0);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    int is_root = geteuid() == 0;
    if (!is_root && (all[i].user != 0 || all[i].group != 0)) continue;
    CHECK(!is_root || chown(above, all[i].user, all[i].group) == 0);
    CHECK_EQ(chmod(above, all[i].mode), 0);
    if (all[i].word == NULL) {
      CHECK_OK(load(file));
      continue;
    }
    CHECK_RESULT(load(file), MSDK_E_PERMISSION);
    CHECK_STR_CONTAINS(msdk_last_error(), all[i].word);
    CHECK_STR_CONTAINS(msdk_last_error(), above);
    msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
    uint32_t loaded = 1;
    CHECK_OK(msdk_engine_add_plugin_dir(engine, below, &loaded));
    CHECK_EQ(loaded, 0);
    msdk_engine_destroy(engine);
    setenv("MSDK_PLUGIN_ALLOW_WRITABLE", "1", 1);
    CHECK_OK(load(file));
    unsetenv("MSDK_PLUGIN_ALLOW_WRITABLE");
  }
  CHECK(chmod(above, 0755) == 0 && (geteuid() != 0 || chown(above, 0, 0) == 0));
  CHECK_EQ(chmod(file, 0664), 0);
  if (geteuid() == 0 && chown(file, 0, 65533) == 0) {
    CHECK_RESULT(load(file), MSDK_E_PERMISSION);
    CHECK_STR_CONTAINS(msdk_last_error(), "group 65533");
  }
  CHECK(unlink(file) == 0 && rmdir(below) == 0 && rmdir(above) == 0);
  if (kept[0] != 0) setenv("MSDK_PLUGIN_ALLOW_WRITABLE", kept, 1);
}

static void a_directory_of_bad_ones(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  uint32_t loaded = 0, again = 0;
  CHECK_OK(msdk_engine_add_plugin_dir(engine, directory, &loaded));
  CHECK_EQ(loaded, 1); /* sound.so; taken_id.so comes after it */
  CHECK_OK(msdk_engine_add_plugin_dir(engine, directory, &again));
  CHECK_EQ(again, 1);
  msdk_engine_destroy(engine);
}

int main(int argc, char **argv) {
  const char *built = getenv("MSDK_TEST_PLUGINS");
  snprintf(directory, sizeof directory, "%s", built != NULL ? built : ".");
  RUN(rules_that_are_broken_are_named);
  RUN(a_sound_one_loads_twice);
  RUN(duplicates_within_a_module);
  RUN(a_module_whose_init_fails);
  RUN(files_that_are_no_plugins);
  RUN(a_file_that_anybody_may_write);
  RUN(directories_that_others_may_write);
  RUN(a_directory_of_bad_ones);
  return check_finish();
}
