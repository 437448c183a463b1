/* The check of parameters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "rig.h"
#include "settings.h"

enum { LISTED_MAX = 1024, LISTED_TRIED = 32 };

/* A text that the plugin must copy: it is overwritten when the call is over. */
static msdk_result set_text(rig *rig, const char *name, const char *text) {
  static char lent[HUGE_TEXT + 1];
  snprintf(lent, sizeof lent, "%s", text);
  msdk_value value = {.type = MSDK_T_STRING, .u.str = lent};
  msdk_result code = rig_set(rig, name, &value);
  memset(lent, 'x', strlen(lent));
  return code;
}

static void refused(rig *rig, const char *name, const char *what, msdk_result code) {
  int has_words = rig->context->error == code && rig->context->error_text[0] != 0;
  if (code < 0 && !has_words) {
    fail("set_error", "set_param(\"%s\") with %s returned %s, and set_error was not called with that code and a text", name, what,
         result_name(code));
  }
}

static void must_take(rig *rig, const char *name, const char *what, msdk_result code) {
  if (code < 0)
    fail("set_param", "set_param(\"%s\") with %s, which is declared as accepted, returned %s", name, what, rig_words(rig, code));
}

static void compare(rig *rig, const msdk_param *param, const msdk_value *set) {
  msdk_value got = {.type = MSDK_T_VOID};
  if (rig->class->get_param == NULL || has_failed()) return;
  step("get_param(\"%s\")", param->name);
  msdk_result code = rig->class->get_param(rig->self, param->name, &got);
  if (code < 0)
    fail("get_param", "get_param(\"%s\") returned %s", param->name, rig_words(rig, code));
  else if (got.type != param->def.type)
    fail("get_param", "get_param(\"%s\") returned a value of type %u; declared: %u", param->name, got.type, param->def.type);
  else if (set != NULL && set->type == MSDK_T_STRING && (got.u.str == NULL || strcmp(got.u.str, set->u.str) != 0)) {
    fail("get_param", "get_param(\"%s\") returned \"%.60s\" after \"%.60s\" was set: set_param must copy the text", param->name,
         got.u.str == NULL ? "(NULL)" : got.u.str, set->u.str);
  } else if (set != NULL && set->type == MSDK_T_BYTES &&
             (got.u.bytes.size != set->u.bytes.size ||
              (got.u.bytes.size > 0 && (got.u.bytes.data == NULL || memcmp(got.u.bytes.data, set->u.bytes.data, got.u.bytes.size) != 0)))) {
    fail("get_param", "get_param(\"%s\") returned other bytes, %llu of them, than the %llu that were set: set_param must copy them", param->name,
         (unsigned long long)got.u.bytes.size, (unsigned long long)set->u.bytes.size);
  }
}

static void try_numbers(rig *rig, const msdk_param *param) {
  msdk_type type = param->def.type;
  const msdk_value values[] = {param->min.type == type ? param->min : number_of(type, -1e300),
                               param->max.type == type ? param->max : number_of(type, 1e300), param->def};
  const int is_accepted[] = {param->min.type == type, param->max.type == type, (param->flags & MSDK_PARAM_REQUIRED) == 0};
  for (int i = 0; i < 3 && !has_failed(); i++) {
    char what[64];
    snprintf(what, sizeof what, "%g", double_of(&values[i]));
    msdk_result code = rig_set(rig, param->name, &values[i]);
    if (is_accepted[i])
      must_take(rig, param->name, what, code);
    else
      refused(rig, param->name, what, code);
    if (code >= 0) compare(rig, param, NULL);
  }
}

/* What the plugin lists is accepted; of other texts the host gives it none. An error but MSDK_E_NOT_FOUND says that nothing can be listed now. */
static void try_listed(rig *rig, const msdk_param *param) {
  for (uint32_t i = 0; i < LISTED_TRIED && rig->class->param_choice != NULL && !has_failed(); i++) {
    msdk_choice choice = MSDK_INIT(msdk_choice);
    char value[LISTED_MAX + 1];
    step("param_choice(\"%s\", %u)", param->name, i);
    if (rig->class->param_choice(rig->self, param->name, i, &choice) < 0) return;
    if (choice.value == NULL || !is_text(choice.value, LISTED_MAX) || (choice.label != NULL && !is_text(choice.label, LISTED_MAX))) {
      fail("param_choice", "param_choice(\"%s\", %u) gave a value or a label that is not UTF-8 of at most %d bytes", param->name, i, LISTED_MAX);
      return;
    }
    snprintf(value, sizeof value, "%s", choice.value);
    msdk_value set = {.type = MSDK_T_STRING, .u.str = value};
    must_take(rig, param->name, value, set_text(rig, param->name, value));
    compare(rig, param, &set);
  }
}

static void try_texts(rig *rig, const msdk_param *param) {
  for (uint32_t i = 0; i < param->choice_count && !has_failed(); i++) {
    msdk_value value = {.type = MSDK_T_STRING, .u.str = param->choices[i]};
    must_take(rig, param->name, param->choices[i], set_text(rig, param->name, param->choices[i]));
    compare(rig, param, &value);
  }
  if (param->choices != NULL || has_failed()) return;
  char *text = malloc(HUGE_TEXT + 1);
  if (text == NULL) return;
  memset(text, 'a', HUGE_TEXT);
  text[HUGE_TEXT] = 0;
  const char *const texts[] = {"", text, "t\xC3\xABxt, with = and \xE2\x82\xAC"};
  const char *const what[] = {"an empty text", "a text of 64 KiB", "a text of several bytes a character"};
  for (int i = 0; i < 3 && !has_failed(); i++) {
    msdk_value value = {.type = MSDK_T_STRING, .u.str = texts[i]};
    msdk_result code = set_text(rig, param->name, texts[i]);
    refused(rig, param->name, what[i], code);
    if (code >= 0) compare(rig, param, &value);
  }
  free(text);
}

/* Bytes that the plugin must copy, too. */
static void try_bytes(rig *rig, const msdk_param *param) {
  static uint8_t whole[HUGE_TEXT], lent[HUGE_TEXT];
  for (uint32_t i = 0; i < HUGE_TEXT; i++) whole[i] = (uint8_t)(i * 7);
  const uint64_t sizes[] = {0, 1, HUGE_TEXT};
  const char *const what[] = {"no bytes", "a byte, 0", "64 KiB"};
  for (int i = 0; i < 3 && !has_failed(); i++) {
    memcpy(lent, whole, sizes[i]);
    msdk_value value = {.type = MSDK_T_BYTES, .u.bytes = {.data = sizes[i] == 0 ? NULL : lent, .size = sizes[i]}};
    msdk_result code = rig_set(rig, param->name, &value);
    memset(lent, 'x', sizes[i]);
    refused(rig, param->name, what[i], code);
    value.u.bytes.data = whole;
    if (code >= 0) compare(rig, param, &value);
  }
}

static void try_param(rig *rig, const msdk_param *param) {
  if ((param->flags & MSDK_PARAM_READONLY) != 0) {
    compare(rig, param, NULL);
    return;
  }
  msdk_value value = param->def;
  switch (param->def.type) {
    case MSDK_T_BOOL:
      for (uint8_t i = 0; i < 2; i++) {
        value.u.b = i;
        must_take(rig, param->name, i ? "true" : "false", rig_set(rig, param->name, &value));
      }
      compare(rig, param, NULL);
      break;
    case MSDK_T_STRING:
      if ((param->flags & MSDK_PARAM_DYNAMIC_CHOICES) != 0)
        try_listed(rig, param);
      else
        try_texts(rig, param);
      break;
    case MSDK_T_BYTES:
      try_bytes(rig, param);
      break;
    default:
      try_numbers(rig, param);
  }
  value = param->def;
  if (value.type == MSDK_T_STRING && value.u.str == NULL) value.u.str = "";
  if ((param->flags & MSDK_PARAM_REQUIRED) == 0 && !has_failed())
    must_take(rig, param->name, "its default", rig_set(rig, param->name, &value));
}

void check_parameters(void) {
  const msdk_class *class = class_get();
  rig rig;
  if (class == NULL || rig_open(&rig, class, 0, 0) < 0) return;
  if (class->param_count == 0) skip("it has none");
  for (uint64_t i = 0; i < class->param_count && !has_failed(); i++) try_param(&rig, param_at(class, i));
  if (class->param_count > 0 && class->set_param != NULL && !has_failed()) {
    const char *const names[] = {"no_such_thing", "", "a name with spaces"};
    for (int i = 0; i < 3 && !has_failed(); i++) {
      msdk_result code = set_text(&rig, names[i], "x");
      if (code >= 0) fail("set_param", "set_param(\"%s\"), an unknown parameter, was accepted", names[i]);
      refused(&rig, names[i], "an unknown name", code);
    }
  }
  rig_close(&rig);
  FOR_KINDS(kind, class) { /* live ones, while media runs */
    if (rig_open(&rig, class, kind, 0) < 0) return;
    if (rig_demand(&rig, "set_param")) {
      for (uint64_t i = 0; i < class->param_count && !has_failed(); i++) {
        const msdk_param *param = param_at(class, i);
        if ((param->flags & MSDK_PARAM_LIVE) == 0 || is_set(param->name)) continue;
        rig_media(&rig, 1, NULL);
        try_param(&rig, param);
        rig_media(&rig, 1, NULL);
      }
    }
    rig_close(&rig);
  }
}
