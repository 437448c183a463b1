/* A class whose devices come and go: choices found at run time, secrets that it speaks of wherever it can, and changes of its own accord. */
#ifndef DEVICE_CLASS_H
#define DEVICE_CLASS_H

#include "call.h"

enum { DEVICES_MAX = 2000 };
static struct {
  char name[DEVICES_MAX][32];
  uint32_t count;
  atomic_int asked;  /* from the beginning of the list */
  msdk_result error; /* what param_choice gives instead */
  int has_labels;
  const char *odd; /* what it gives as the value of the first device, or as its label; NULL: none */
  int odd_label;
} devices;

static inline void devices_are(uint32_t count) {
  devices.count = count;
  for (uint32_t i = 0; i < count; i++) snprintf(devices.name[i], sizeof devices.name[i], "dev%u", i);
}

struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
  char device[64], token[64];
  int32_t level, pin;
  int fails; /* the next set_param */
};

static msdk_self *last_self; /* of the test's only instance */

static inline void self_speak(msdk_self *self, const char *words) {
  char text[256];
  snprintf(text, sizeof text, "https://host/?key=%s&pin=%d: %s", self->token, self->pin, words);
  self->host->log(self->context, MSDK_LOG_ERROR, text);
  self->host->set_error(self->context, MSDK_E_IO, text);
  self->host->post_event(self->context, MSDK_PLUGIN_EVENT_USER, MSDK_E_IO, &(msdk_value){.type = MSDK_T_STRING, .u.str = text});
}

static msdk_result device_create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->host = host;
  self->context = context;
  self->level = 3;
  *out = last_self = self;
  return MSDK_OK;
}

static void device_destroy(msdk_self *self) { free(self); }

static msdk_result device_set(msdk_self *self, const char *name, const msdk_value *value) {
  if (strcmp(name, "device") == 0) snprintf(self->device, sizeof self->device, "%s", value->u.str);
  if (strcmp(name, "level") == 0) self->level = value->u.i32;
  if (strcmp(name, "token") == 0) snprintf(self->token, sizeof self->token, "%s", value->u.str);
  if (strcmp(name, "pin") == 0) self->pin = value->u.i32;
  if (strcmp(name, "token") == 0 || strcmp(name, "pin") == 0) self_speak(self, name);
  if (!self->fails) return MSDK_OK;
  self->fails = 0;
  self_speak(self, "refused");
  return MSDK_E_IO;
}

static msdk_result device_get(msdk_self *self, const char *name, msdk_value *out) {
  *out = (msdk_value){.type = MSDK_T_STRING};
  if (strcmp(name, "device") == 0) out->u.str = self->device;
  if (strcmp(name, "token") == 0) out->u.str = self->token;
  if (strcmp(name, "level") == 0) *out = (msdk_value){.type = MSDK_T_I32, .u.i32 = self->level};
  if (strcmp(name, "pin") == 0) *out = (msdk_value){.type = MSDK_T_I32, .u.i32 = self->pin};
  return MSDK_OK;
}

static msdk_result device_choice(msdk_self *self, const char *name, uint32_t index, msdk_choice *out) {
  static char label[64];
  CHECK(strcmp(name, "device") == 0);
  CHECK(MSDK_HAS(out, msdk_choice, label));
  if (index == 0) atomic_fetch_add(&devices.asked, 1);
  if (devices.error < 0) {
    self->host->set_error(self->context, devices.error, "the bus is away");
    return devices.error;
  }
  if (index >= devices.count) return MSDK_E_NOT_FOUND;
  out->value = devices.name[index];
  snprintf(label, sizeof label, "device number %u", index);
  if (devices.has_labels) out->label = label;
  if (devices.odd != NULL && index == 0) *(devices.odd_label ? &out->label : &out->value) = devices.odd;
  return MSDK_OK;
}

static msdk_result device_succeed(msdk_self *self) { return self != NULL ? MSDK_OK : MSDK_E_FAIL; }

static msdk_result device_format(msdk_self *self, const msdk_video_format *format) {
  return self != NULL && format != NULL ? MSDK_OK : MSDK_E_FORMAT;
}

static msdk_result device_produce(msdk_self *self, int64_t due_ns, msdk_video_frame **out) {
  return self != NULL && due_ns >= 0 && out != NULL ? MSDK_E_AGAIN : MSDK_E_FAIL;
}

static const msdk_video_producer device_producer = {
  .struct_size = sizeof(msdk_video_producer),
  .flags = MSDK_PRODUCER_PULL,
  .init_capture = device_succeed,
  .release_capture = device_succeed,
  .start_capture = device_succeed,
  .stop_capture = device_succeed,
  .set_format = device_format,
  .produce_frame = device_produce,
};

static const char *const colours[] = {"red", "green"};
#define DEVICE_PARAM(NAME, TYPE, FLAGS) .struct_size = sizeof(msdk_param), .flags = (FLAGS), .name = (NAME), .def.type = (TYPE)
static const msdk_param device_params[] = {
  {DEVICE_PARAM("device", MSDK_T_STRING, MSDK_PARAM_LIVE | MSDK_PARAM_DYNAMIC_CHOICES), .def.u.str = ""},
  {DEVICE_PARAM("level", MSDK_T_I32, MSDK_PARAM_LIVE), .def.u.i32 = 3, .min = MSDK_I32(0), .max = MSDK_I32(9)},
  {DEVICE_PARAM("token", MSDK_T_STRING, MSDK_PARAM_LIVE | MSDK_PARAM_SECRET), .def.u.str = "default-secret"},
  {DEVICE_PARAM("pin", MSDK_T_I32, MSDK_PARAM_SECRET), .min = MSDK_I32(0), .max = MSDK_I32(99999999)},
  {DEVICE_PARAM("colour", MSDK_T_STRING, 0), .def.u.str = "red", .choices = colours, .choice_count = MSDK_COUNT(colours)},
  {DEVICE_PARAM("serial", MSDK_T_U32, MSDK_PARAM_READONLY)},
};

static const msdk_class device_class = {
  .struct_size = sizeof(msdk_class),
  .kinds = MSDK_KIND_VIDEO_PRODUCER,
  .id = "org.mediasdk.test.device",
  .params = device_params,
  .param_count = MSDK_COUNT(device_params),
  .create = device_create,
  .destroy = device_destroy,
  .set_param = device_set,
  .get_param = device_get,
  .video_producer = &device_producer,
  .param_choice = device_choice,
};

static const msdk_class *const device_classes[] = {&device_class};
static const msdk_module device_module = {
  .struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .classes = device_classes, .class_count = MSDK_COUNT(device_classes)};

/* In an engine that has not got it yet. */
static inline msdk_instance *device_new(msdk_engine *engine) {
  msdk_instance *instance = NULL;
  CHECK_OK(msdk_engine_register_module(engine, &device_module));
  CHECK_OK(msdk_instance_create(engine, "org.mediasdk.test.device", NULL, &instance));
  return instance;
}

#endif
