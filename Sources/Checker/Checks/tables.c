/* What a module declares, without calling any of it. */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>

#include "settings.h"

enum { ENTRIES_MAX = 256 };
#define REQUIRE(is_fit, rule, ...)          \
  do {                                      \
    if (!(is_fit)) fail(rule, __VA_ARGS__); \
    if (has_failed()) return;               \
  } while (0)

int is_text(const char *text, size_t limit) {
  size_t left = 0;
  for (size_t i = 0; i <= limit; i++) {
    uint8_t byte = (uint8_t)text[i];
    if (left > 0) {
      if ((byte & 0xC0) != 0x80) return 0;
      left--;
    } else if (byte == 0) {
      return 1;
    } else if (byte >= 0x80) {
      left = byte >= 0xC2 && byte < 0xE0 ? 1 : byte >= 0xE0 && byte < 0xF0 ? 2 : byte >= 0xF0 && byte < 0xF5 ? 3 : 0;
      if (left == 0) return 0;
    }
  }
  return 0;
}

static int is_name(const char *name) {
  if (name == NULL || name[0] < 'a' || name[0] > 'z') return 0;
  size_t length = strnlen(name, 64);
  for (size_t i = 0; i < length; i++) {
    if (strchr("abcdefghijklmnopqrstuvwxyz0123456789_", name[i]) == NULL) return 0;
  }
  return length < 64;
}

static int is_id(const char *id) {
  size_t length = id == NULL ? 0 : strnlen(id, 128);
  for (size_t i = 0; i < length; i++) {
    if (strchr("abcdefghijklmnopqrstuvwxyz0123456789._-", id[i]) == NULL) return 0;
  }
  return length > 0 && length < 128;
}

static void check_text(const char *text, const char *what) {
  if (text != NULL && !is_text(text, 1024)) fail(what, "%s is not UTF-8 of at most 1024 bytes", what);
}

static void check_choices(const char *const *choices, uint32_t count, const char *name) {
  REQUIRE((choices != NULL) == (count > 0) && count <= 1024, "choices", "%s has %s and choice_count is %u; accepted: up to 1024", name,
          choices == NULL ? "an empty list of choices" : "choices", count);
  for (uint32_t i = 0; i < count && !has_failed(); i++) {
    REQUIRE(choices[i] != NULL, "choices", "choice %u of %s is NULL", i, name);
    check_text(choices[i], "choices");
  }
}

static int is_number(msdk_type type) {
  return type >= MSDK_T_I32 && type <= MSDK_T_F64;
}

/* A bound is of the type of what it bounds, or none. */
static void check_bounds(const msdk_value *min, const msdk_value *max, msdk_type type, const char *name) {
  REQUIRE((min->type == MSDK_T_VOID && max->type == MSDK_T_VOID) || is_number(type), "min", "%s has bounds and is not a number", name);
  REQUIRE((min->type == MSDK_T_VOID || min->type == type) && (max->type == MSDK_T_VOID || max->type == type), "min",
          "the bounds of %s have the types %u and %u; accepted: %u, its own, or MSDK_T_VOID for no bound", name, min->type, max->type, type);
  REQUIRE(!isnan(double_of(min)) && !isnan(double_of(max)), "min", "a bound of %s is not a number", name);
  REQUIRE(min->type == MSDK_T_VOID || max->type == MSDK_T_VOID || double_of(min) <= double_of(max), "min", "%s has min %g above max %g",
          name, double_of(min), double_of(max));
}

static void check_param(const msdk_class *class, const msdk_param *param) {
  REQUIRE(param->struct_size >= sizeof *param, "msdk_param", "struct_size of a parameter of %s is %u", class->id, param->struct_size);
  REQUIRE(is_name(param->name), "msdk_param.name", "a parameter of %s is named \"%.64s\"; accepted: [a-z][a-z0-9_]*, at most 63 bytes",
          class->id, param->name == NULL ? "(NULL)" : param->name);
  check_text(param->summary, "summary");
  uint32_t type = param->def.type;
  REQUIRE(type >= MSDK_T_BOOL && type <= MSDK_T_BYTES, "msdk_param.def",
          "the default of %s has type %u; accepted: MSDK_T_BOOL to MSDK_T_BYTES", param->name, type);
  check_bounds(&param->min, &param->max, type, param->name);
  if (has_failed()) return;
  REQUIRE(type != MSDK_T_F64 || !isnan(param->def.u.f64), "msdk_param.def", "the default of %s is not a number", param->name);
  double value = double_of(&param->def);
  int is_outside = (param->min.type != MSDK_T_VOID && value < double_of(&param->min)) ||
                   (param->max.type != MSDK_T_VOID && value > double_of(&param->max));
  REQUIRE(!is_outside || (param->flags & MSDK_PARAM_REQUIRED) != 0, "msdk_param.def", "the default of %s, %g, is outside its bounds",
          param->name, value);
  REQUIRE(param->choices == NULL || type == MSDK_T_STRING, "msdk_param.choices", "%s has choices and is not a string", param->name);
  check_choices(param->choices, param->choice_count, param->name);
  if (has_failed() || param->choices == NULL || (param->flags & MSDK_PARAM_REQUIRED) != 0) return;
  const char *text = param->def.u.str == NULL ? "" : param->def.u.str;
  int is_one = 0;
  for (uint32_t i = 0; i < param->choice_count; i++) is_one = is_one || strcmp(param->choices[i], text) == 0;
  REQUIRE(is_one, "msdk_param.def", "the default of %s is \"%s\", which is not one of its choices", param->name, text);
}

static void check_params(const msdk_class *class) {
  REQUIRE(class->param_count <= ENTRIES_MAX, "msdk_class.param_count", "%s has %u parameters", class->id, class->param_count);
  REQUIRE(class->param_count == 0 || class->params != NULL, "msdk_class.params", "%s: params is NULL, param_count is not 0", class->id);
  int can_be_set = 0;
  for (uint32_t i = 0; i < class->param_count && !has_failed(); i++) {
    const msdk_param *param = param_at(class, i);
    REQUIRE(param->struct_size == class->params[0].struct_size && param->struct_size % 8 == 0, "msdk_param",
            "struct_size of a parameter of %s is %u; accepted: that of the first, a multiple of 8", class->id, param->struct_size);
    check_param(class, param);
    can_be_set = can_be_set || (param->flags & MSDK_PARAM_READONLY) == 0;
    for (uint32_t j = 0; j < i && !has_failed(); j++) {
      const msdk_param *other = param_at(class, j);
      REQUIRE(strcmp(other->name, param->name) != 0, "msdk_param.name", "%s has two parameters %s", class->id, param->name);
    }
  }
  REQUIRE(!can_be_set || class->set_param != NULL, "set_param", "%s has parameters and no set_param", class->id);
}

static void check_command(const msdk_class *class, const msdk_command *command) {
  REQUIRE(command->struct_size >= sizeof *command, "msdk_command", "struct_size of a command of %s is %u", class->id,
          command->struct_size);
  REQUIRE(is_name(command->name), "msdk_command.name", "a command of %s is named \"%.64s\"; accepted: [a-z][a-z0-9_]*, at most 63 bytes",
          class->id, command->name == NULL ? "(NULL)" : command->name);
  check_text(command->summary, "summary");
  REQUIRE((command->invoke != NULL) != (command->native != NULL), "msdk_command", "%s has both or neither of invoke and native; accepted: one of them",
          command->name);
  uint32_t last = command->native != NULL ? MSDK_T_STATUS : MSDK_T_BYTES;
  REQUIRE(command->result <= last, "msdk_command.result", "the result of %s has type %u; accepted: 0 to %u", command->name, command->result,
          last);
  REQUIRE(command->arg_count <= MSDK_ARGS_MAX, "msdk_command.arg_count", "%s has %u arguments; accepted: at most %d", command->name,
          command->arg_count, MSDK_ARGS_MAX);
  for (uint32_t i = 0; i < command->arg_count; i++) {
    const msdk_arg *arg = &command->args[i];
    REQUIRE(is_name(arg->name), "msdk_arg.name", "argument %u of %s is named \"%.64s\"; accepted: [a-z][a-z0-9_]*", i, command->name,
            arg->name == NULL ? "(NULL)" : arg->name);
    REQUIRE(arg->type >= MSDK_T_BOOL && arg->type <= MSDK_T_BYTES, "msdk_arg.type", "argument %s of %s has type %u", arg->name,
            command->name, arg->type);
  }
  if (command->limits == NULL) return;
  int had_default = 0;
  for (uint32_t i = 0; i < command->arg_count; i++) {
    const msdk_arg_limits *limits = (const void *)((const uint8_t *)command->limits + (size_t)i * command->limits[0].struct_size);
    REQUIRE(limits->struct_size >= sizeof *limits, "msdk_arg_limits", "struct_size of the limits of %s is %u", command->name,
            limits->struct_size);
    check_bounds(&limits->min, &limits->max, command->args[i].type, command->args[i].name);
    if (has_failed()) return;
    REQUIRE(limits->choices == NULL || command->args[i].type == MSDK_T_STRING, "msdk_arg_limits.choices",
            "argument %s of %s has choices and is not a string", command->args[i].name, command->name);
    check_choices(limits->choices, limits->choice_count, command->name);
    if (has_failed()) return;
    REQUIRE(limits->def == NULL || limits->def->type == command->args[i].type, "msdk_arg_limits.def",
            "the default of argument %s of %s has another type", command->args[i].name, command->name);
    REQUIRE(!had_default || limits->def != NULL, "msdk_arg_limits.def", "argument %s of %s has no default, and one before it has",
            command->args[i].name, command->name);
    had_default = limits->def != NULL;
  }
}

static void check_command_list(const msdk_class *class) {
  REQUIRE(class->command_count <= ENTRIES_MAX, "msdk_class.command_count", "%s has %u commands", class->id, class->command_count);
  if (class->command_count == 0) return;
  REQUIRE(class->commands != NULL, "msdk_class.commands", "%s: commands is NULL, command_count is not 0", class->id);
  for (uint32_t i = 0; i < class->command_count && !has_failed(); i++) {
    const msdk_command *command = command_at(class, i);
    REQUIRE(command->struct_size == class->commands[0].struct_size && command->struct_size % 8 == 0, "msdk_command",
            "struct_size of a command of %s is %u; accepted: that of the first, a multiple of 8", class->id, command->struct_size);
    check_command(class, command);
    for (uint32_t j = 0; j < i && !has_failed(); j++) {
      REQUIRE(strcmp(command_at(class, j)->name, command->name) != 0, "msdk_command.name", "%s has two commands %s", class->id, command->name);
    }
  }
}

/* A table that the kinds ask for is there, with its functions. */
#define TABLE(kind, table, ...)                                                                                             \
  do {                                                                                                                             \
    if ((class->kinds & (kind)) == 0) break;                                                                                       \
    REQUIRE(class->table != NULL, "msdk_class." #table, \
            "%s declares the kind of " #table ", but the table is NULL", class->id);                                                  \
    REQUIRE(class->table->struct_size >= sizeof *class->table, "msdk_" #table, "%s: struct_size of " #table " is %u, too short", class->id,     \
            class->table->struct_size);                                                                                            \
    REQUIRE(__VA_ARGS__, "msdk_" #table, "%s: " #table " lacks a function that the host requires", class->id);                    \
  } while (0)
#define FLAGS_PULL(table) ((class->table->flags & MSDK_PRODUCER_PULL) == 0 || class->table->produce_frame != NULL)
#define CAPTURE(t) \
  (class->t->init_capture && class->t->release_capture && class->t->start_capture && class->t->stop_capture && class->t->set_format)

#define IS_ENCODED ((class->video_producer->flags & MSDK_PRODUCER_ENCODED) != 0)

static void check_encoded_producer(const msdk_class *class) {
  const msdk_video_producer *table = class->video_producer;
  REQUIRE(IS_ENCODED == (table->codec != 0), "MSDK_PRODUCER_ENCODED", "the video producer of %s has %s codec and %s MSDK_PRODUCER_ENCODED",
          class->id, table->codec != 0 ? "a" : "no", IS_ENCODED ? "has" : "has not");
  REQUIRE(!IS_ENCODED || (table->flags & MSDK_PRODUCER_PULL) == 0 || table->produce_encoded_frame != NULL, "produce_encoded_frame",
          "the video producer of %s is a pull producer without produce_encoded_frame", class->id);
}

static void check_kinds(const msdk_class *class) {
  REQUIRE(class->kinds != 0 && class->kinds < 1024, "msdk_class.kinds", "kinds of %s is %u; accepted: a mask of MSDK_KIND_*", class->id,
          class->kinds);
  TABLE(MSDK_KIND_VIDEO_PRODUCER, video_producer, CAPTURE(video_producer) && (IS_ENCODED || FLAGS_PULL(video_producer)));
  if ((class->kinds & MSDK_KIND_VIDEO_PRODUCER) != 0 && !has_failed()) check_encoded_producer(class);
  if (has_failed()) return;
  TABLE(MSDK_KIND_AUDIO_PRODUCER, audio_producer, CAPTURE(audio_producer) && FLAGS_PULL(audio_producer));
  TABLE(MSDK_KIND_VIDEO_RENDERER, video_renderer,
        class->video_renderer->init_render && class->video_renderer->release_render && class->video_renderer->render_video_frame &&
            (class->video_renderer->accepts_codec != NULL) == (class->video_renderer->render_encoded_frame != NULL) &&
            (class->video_renderer->snapshot != NULL) == (class->video_renderer->snapshot_format != NULL));
  TABLE(MSDK_KIND_AUDIO_RENDERER, audio_renderer,
        class->audio_renderer->init_render && class->audio_renderer->release_render);
  TABLE(MSDK_KIND_VIDEO_FILTER, video_filter,
        class->video_filter->init_filter && class->video_filter->release_filter && class->video_filter->filter_video_frame);
  TABLE(MSDK_KIND_AUDIO_FILTER, audio_filter,
        class->audio_filter->init_filter && class->audio_filter->release_filter && class->audio_filter->filter_audio_frame);
  TABLE(MSDK_KIND_VIDEO_ENCODER, video_encoder,
        class->video_encoder->codec != 0 && class->video_encoder->open_encoder && class->video_encoder->close_encoder &&
            class->video_encoder->encode && class->video_encoder->pixel_formats != NULL);
  TABLE(MSDK_KIND_VIDEO_DECODER, video_decoder,
        class->video_decoder->codec != 0 && class->video_decoder->open_decoder && class->video_decoder->close_decoder &&
            class->video_decoder->decode && class->video_decoder->parse_header);
  TABLE(MSDK_KIND_AUDIO_ENCODER, audio_encoder,
        class->audio_encoder->codec != 0 && class->audio_encoder->open_encoder && class->audio_encoder->close_encoder &&
            class->audio_encoder->encode);
  TABLE(MSDK_KIND_AUDIO_DECODER, audio_decoder,
        class->audio_decoder->codec != 0 && class->audio_decoder->open_decoder && class->audio_decoder->close_decoder &&
            class->audio_decoder->decode && class->audio_decoder->conceal && class->audio_decoder->parse_header);
}

static void check_class(const msdk_class *class, int index) {
  REQUIRE(class->struct_size >= sizeof *class, "msdk_class", "struct_size of class %d is %u", index,
          class->struct_size);
  REQUIRE(is_id(class->id), "msdk_class.id", "the id of class %d is \"%.128s\"; accepted: [a-z0-9._-], 1 to 127 bytes", index,
          class->id == NULL ? "(NULL)" : class->id);
  step("the tables of %s", class->id);
  check_text(class->name, "name");
  check_text(class->summary, "summary");
  REQUIRE(class->create != NULL && class->destroy != NULL, "msdk_class", "%s lacks create or destroy", class->id);
  check_kinds(class);
  if (!has_failed()) check_params(class);
  if (!has_failed()) check_command_list(class);
}

void check_tables(void) {
  const msdk_module *module = module_get();
  if (module == NULL) return;
  step("the module's table");
  REQUIRE(module->struct_size >= sizeof *module, "msdk_module", "struct_size of the module is %u; accepted: sizeof(msdk_module), %zu",
          module->struct_size, sizeof *module);
  REQUIRE(module->min_host_minor <= module->abi_minor, "msdk_module.min_host_minor", "min_host_minor %u is above abi_minor %u",
          module->min_host_minor, module->abi_minor);
  const char *const texts[] = {module->vendor, module->version, module->license, module->url};
  for (int i = 0; i < 4; i++) check_text(texts[i], "msdk_module");
  REQUIRE(module->classes != NULL && module->class_count > 0, "msdk_module.classes", "it has no class");
  REQUIRE(module->class_count <= CLASSES_MAX, "msdk_module.classes", "it has %u classes; accepted: up to %d", module->class_count, CLASSES_MAX);
  for (uint32_t i = 0; i < module->class_count && !has_failed(); i++) {
    REQUIRE(module->classes[i] != NULL, "msdk_module.classes", "class %u is NULL", i);
    check_class(module->classes[i], (int)i);
    for (uint32_t j = 0; j < i && !has_failed(); j++) {
      REQUIRE(strcmp(module->classes[i]->id, module->classes[j]->id) != 0, "msdk_class.id", "two classes are named %s",
              module->classes[i]->id);
    }
  }
}
