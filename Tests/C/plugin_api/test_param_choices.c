/* Parameters whose choices are found at run time. */
#include "device_class.h"

static msdk_engine *engine;
static msdk_instance *instance;

static msdk_result set(const char *name, const char *text) { return msdk_instance_set_param_text(instance, name, text); }

static msdk_result choice(const char *name, uint32_t index, char *value, char *label) {
  char buffer[256];
  uint64_t needed = 0;
  msdk_choice out = MSDK_INIT(msdk_choice);
  msdk_result result = msdk_instance_param_choice_at(instance, name, index, &out, buffer, sizeof buffer, &needed);
  if (result < 0) return result;
  CHECK(out.value == buffer && out.label == buffer + strlen(out.value) + 1);
  CHECK_EQ(needed, strlen(out.value) + strlen(out.label) + 2);
  snprintf(value, 64, "%s", out.value);
  snprintf(label, 64, "%s", out.label);
  return result;
}

static void the_list_is_that_of_the_moment(void) {
  char value[64], label[64];
  devices_are(2);
  devices.has_labels = 1;
  CHECK_OK(choice("device", 0, value, label));
  CHECK(strcmp(value, "dev0") == 0 && strcmp(label, "device number 0") == 0);
  int asked = atomic_load(&devices.asked);
  devices_are(1); /* not seen before the list is begun anew */
  CHECK_OK(choice("device", 1, value, label));
  CHECK(strcmp(value, "dev1") == 0);
  CHECK_ERROR(choice("device", 2, value, label), MSDK_E_NOT_FOUND, "device");
  CHECK_EQ(atomic_load(&devices.asked), asked);
  CHECK_OK(choice("device", 0, value, label));
  CHECK_EQ(atomic_load(&devices.asked), asked + 1);
  CHECK_ERROR(choice("device", 1, value, label), MSDK_E_NOT_FOUND, "1");
  devices.has_labels = 0;
  CHECK_OK(choice("device", 0, value, label));
  CHECK(strcmp(label, "dev0") == 0);
  devices_are(0);
  CHECK_ERROR(choice("device", 0, value, label), MSDK_E_NOT_FOUND, "0");
  CHECK_ERROR(choice("device", UINT32_MAX, value, label), MSDK_E_NOT_FOUND, "4294967295");
}

static void choices_of_the_class_come_the_same_way(void) {
  char value[64], label[64];
  CHECK_OK(choice("colour", 1, value, label));
  CHECK(strcmp(value, "green") == 0 && strcmp(label, "green") == 0);
  CHECK_ERROR(choice("colour", 2, value, label), MSDK_E_NOT_FOUND, "colour");
  CHECK_ERROR(choice("level", 0, value, label), MSDK_E_UNSUPPORTED, "level");
  CHECK_ERROR(choice("token", 0, value, label), MSDK_E_UNSUPPORTED, "token");
  CHECK_ERROR(choice("nothing", 0, value, label), MSDK_E_NOT_FOUND, "nothing");
}

static void bad_arguments(void) {
  devices_are(1);
  char buffer[64];
  uint64_t needed = 0;
  msdk_choice out = MSDK_INIT(msdk_choice);
  CHECK_ERROR(msdk_instance_param_choice_at(instance, "device", 0, &out, NULL, 0, &needed), MSDK_E_BUFFER_SMALL, "10");
  CHECK_EQ(needed, 10);
  CHECK_RESULT(msdk_instance_param_choice_at(instance, "device", 0, &out, buffer, 9, NULL), MSDK_E_BUFFER_SMALL);
  CHECK_RESULT(msdk_instance_param_choice_at(instance, "device", 0, &out, NULL, 64, NULL), MSDK_E_BUFFER_SMALL);
  CHECK_OK(msdk_instance_param_choice_at(instance, "device", 0, &out, buffer, 10, NULL));
  CHECK_ERROR(msdk_instance_param_choice_at(instance, NULL, 0, &out, buffer, 64, NULL), MSDK_E_INVALID, "name");
  CHECK_ERROR(msdk_instance_param_choice_at(instance, "\xFF", 0, &out, buffer, 64, NULL), MSDK_E_INVALID, "UTF-8");
  CHECK_ERROR(msdk_instance_param_choice_at(instance, "device", 0, NULL, buffer, 64, NULL), MSDK_E_INVALID, "out");
  out.struct_size = 0;
  CHECK_ERROR(msdk_instance_param_choice_at(instance, "device", 0, &out, buffer, 64, NULL), MSDK_E_INVALID, "struct_size");
  out.struct_size = sizeof out;
  CHECK_RESULT(msdk_instance_param_choice_at(NULL, "device", 0, &out, buffer, 64, NULL), MSDK_E_HANDLE);
}

static void only_what_is_there_now_can_be_set(void) {
  devices_are(2);
  CHECK_OK(set("device", "dev1"));
  CHECK(strcmp(last_self->device, "dev1") == 0);
  CHECK_ERROR(set("device", "dev2"), MSDK_E_RANGE, "\"dev0\", \"dev1\"");
  CHECK_ERROR(set("device", ""), MSDK_E_RANGE, "device"); /* a default is accepted when it is in the list */
  CHECK(strcmp(last_self->device, "dev1") == 0);
  devices_are(3);
  CHECK_OK(set("device", "dev2"));
  devices_are(0);
  CHECK_ERROR(set("device", "dev2"), MSDK_E_RANGE, "none now");
  devices_are(100);
  CHECK_ERROR(set("device", "none"), MSDK_E_RANGE, "84 more");
  CHECK_RESULT(msdk_instance_set_param(instance, "device", &(msdk_value){.type = MSDK_T_I32}), MSDK_E_TYPE);
}

static void a_plugin_that_cannot_tell(void) {
  char value[64], label[64];
  devices_are(1);
  devices.error = MSDK_E_DEVICE_LOST;
  CHECK_ERROR(set("device", "dev0"), MSDK_E_DEVICE_LOST, "the bus is away");
  CHECK_ERROR(choice("device", 0, value, label), MSDK_E_DEVICE_LOST, "the bus is away");
  devices.error = 0;
  CHECK_OK(set("device", "dev0"));
}

static void a_plugin_that_lists_nonsense(void) {
  char value[64], label[64];
  static char long_text[4096];
  memset(long_text, 'x', sizeof long_text - 1);
  static const char *const odd[] = {"bad \xC3 text", long_text};
  devices_are(2);
  for (int i = 0; i < 4; i++) {
    devices.odd = odd[i / 2];
    devices.odd_label = i % 2;
    CHECK_ERROR(choice("device", 0, value, label), MSDK_E_INVALID, i % 2 ? "label" : "value");
    CHECK_ERROR(set("device", "dev1"), MSDK_E_INVALID, "choice 0");
  }
  devices.odd = NULL;
  devices_are(DEVICES_MAX); /* the host takes 1,024 of a list without an end */
  CHECK_OK(choice("device", 1023, value, label)); /* of the list before */
}

static void the_list_has_a_bound(void) {
  char value[64], label[64];
  devices_are(DEVICES_MAX);
  CHECK_OK(choice("device", 0, value, label));
  CHECK_OK(choice("device", 1023, value, label));
  CHECK_RESULT(choice("device", 1024, value, label), MSDK_E_NOT_FOUND);
  CHECK_OK(set("device", "dev1023"));
  CHECK_RESULT(set("device", "dev1024"), MSDK_E_RANGE);
}

static msdk_result with_params(const msdk_param *param, int has_choice) {
  static msdk_class changed;
  static msdk_module module;
  static const msdk_class *list[] = {&changed};
  msdk_engine *own = engine_new(MSDK_CLOCK_VIRTUAL);
  changed = device_class;
  changed.params = param;
  changed.param_count = 1;
  if (!has_choice) changed.param_choice = NULL;
  module = device_module;
  module.classes = list, module.class_count = MSDK_COUNT(list);
  msdk_result result = msdk_engine_register_module(own, &module);
  msdk_engine_destroy(own);
  return result;
}

static void classes_that_contradict_themselves(void) {
  static const msdk_param number = {DEVICE_PARAM("n", MSDK_T_I32, MSDK_PARAM_DYNAMIC_CHOICES)};
  static const msdk_param both = {DEVICE_PARAM("n", MSDK_T_STRING, MSDK_PARAM_DYNAMIC_CHOICES), .def.u.str = "red", .choices = colours, .choice_count = MSDK_COUNT(colours)};
  static const msdk_param fixed = {DEVICE_PARAM("n", MSDK_T_STRING, MSDK_PARAM_REQUIRED | MSDK_PARAM_READONLY)};
  CHECK_ERROR(with_params(&number, 1), MSDK_E_ABI, "DYNAMIC_CHOICES");
  CHECK_ERROR(with_params(&both, 1), MSDK_E_ABI, "DYNAMIC_CHOICES");
  CHECK_ERROR(with_params(&device_params[0], 0), MSDK_E_ABI, "param_choice");
  CHECK_ERROR(with_params(&fixed, 1), MSDK_E_ABI, "READONLY");
  CHECK_OK(with_params(&device_params[0], 1));
}

int main(int argc, char **argv) {
  engine = engine_new(MSDK_CLOCK_VIRTUAL);
  instance = device_new(engine);
  RUN(the_list_is_that_of_the_moment);
  RUN(choices_of_the_class_come_the_same_way);
  RUN(bad_arguments);
  RUN(only_what_is_there_now_can_be_set);
  RUN(a_plugin_that_cannot_tell);
  RUN(the_list_has_a_bound);
  RUN(a_plugin_that_lists_nonsense);
  RUN(classes_that_contradict_themselves);
  msdk_instance_destroy(instance);
  msdk_engine_destroy(engine);
  return check_finish();
}
