/* What a command costs a C program, uniform (invoke) and an ordinary function (native, through libffi), against calling the function itself
 * and against a bare ffi_call of it. Nanoseconds a call, in rounds of all in turn. Also what a text there and back costs. */
#include "call.h"
#include "measure.h"

#include <ffi.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 100000 };

struct msdk_self {
  double sum;
};

static double add(msdk_self *self, int32_t a, double b) { return self->sum += a + b; }
static const char *echo(msdk_self *self, const char *text) { return self != NULL ? text : NULL; }
static msdk_result invoke_add(msdk_self *self, const msdk_value *args, uint32_t count, msdk_value *result) {
  (void)count;
  result->type = MSDK_T_F64;
  result->u.f64 = add(self, args[0].u.i32, args[1].u.f64);
  return MSDK_OK;
}

static const msdk_command commands[] = {
  MSDK_COMMAND2("native", add, F64, I32, "a", F64, "b", NULL),
  MSDK_COMMAND2_WITH(MSDK_COMMAND_THREAD_SAFE, NULL, "beside", add, F64, I32, "a", F64, "b", NULL),
  {.struct_size = sizeof(msdk_command), .name = "invoke", .result = MSDK_T_F64, .arg_count = 2,
   .args = {{"a", MSDK_T_I32, 0}, {"b", MSDK_T_F64, 0}}, .invoke = invoke_add},
  MSDK_COMMAND1("echo", echo, STRING, STRING, "text", NULL),
};

static msdk_self the_self;
static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  (void)host, (void)context;
  *out = &the_self;
  return MSDK_OK;
}
static void destroy(msdk_self *self) { (void)self; }
static msdk_result control(msdk_self *self) { return self != NULL ? MSDK_OK : MSDK_E_FAIL; }
static msdk_result render(msdk_self *self, const msdk_video_frame *frame) { return self != NULL && frame != NULL ? MSDK_OK : MSDK_E_FAIL; }
static const msdk_video_renderer renderer = {
  .struct_size = sizeof(msdk_video_renderer), .init_render = control, .release_render = control, .render_video_frame = render};
static const msdk_class class = {
  .struct_size = sizeof(msdk_class), .id = "org.mediasdk.bench.commands", .name = "commands", .kinds = MSDK_KIND_VIDEO_RENDERER,
  .commands = commands, .command_count = MSDK_COUNT(commands), .create = create,
  .destroy = destroy, .video_renderer = &renderer};
static const msdk_class *const classes[] = {&class};
static const msdk_module module = {.struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .classes = classes, .class_count = MSDK_COUNT(classes)};

static double per_call(int64_t since) { return (double)(now_ns() - since) / CALLS; }

static double direct_calls(void) {
  double (*volatile function)(msdk_self *, int32_t, double) = add; /* nothing is inlined across a plugin's border */
  int64_t since = now_ns();
  for (int i = 0; i < CALLS; i++) function(&the_self, 1, 0.5);
  return per_call(since);
}

static double ffi_calls(void) {
  ffi_cif interface;
  ffi_type *types[3] = {&ffi_type_pointer, &ffi_type_sint32, &ffi_type_double};
  if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, 3, &ffi_type_double, types) != FFI_OK) die("ffi_prep_cif fails");
  msdk_self *self = &the_self;
  int32_t a = 1;
  double b = 0.5, result = 0;
  void *values[3] = {&self, &a, &b};
  int64_t since = now_ns();
  for (int i = 0; i < CALLS; i++) ffi_call(&interface, FFI_FN(add), &result, values);
  return per_call(since);
}

static double command_calls(msdk_instance *instance, const char *name) {
  const msdk_value args[2] = {{.type = MSDK_T_I32, .u.i32 = 1}, {.type = MSDK_T_F64, .u.f64 = 0.5}};
  msdk_value result = {0};
  double before = the_self.sum;
  int64_t since = now_ns();
  for (int i = 0; i < CALLS; i++) msdk_instance_call(instance, name, args, 2, &result);
  double ns = per_call(since);
  if (the_self.sum - before != 1.5 * CALLS) die("%s was not called each time: %s", name, msdk_last_error());
  return ns;
}

static double text_calls(msdk_instance *instance) {
  const msdk_value text = {.type = MSDK_T_STRING, .u.str = "a text of forty bytes, as they often are"};
  msdk_value result = {0};
  int64_t since = now_ns();
  for (int i = 0; i < CALLS; i++) must(msdk_instance_call(instance, "echo", &text, 1, &result), "echo");
  double ns = per_call(since);
  if (strcmp(result.u.str, text.u.str) != 0) die("another text came back");
  return ns;
}

int main(int argc, char **argv) {
  if (argc != 2) die("usage: command_msdk ROUNDS");
  msdk_engine *engine = NULL;
  msdk_instance *instance = NULL;
  must(msdk_engine_create(NULL, &engine), "engine");
  must(msdk_engine_register_module(engine, &module), "module");
  must(msdk_instance_create(engine, class.id, NULL, &instance), "instance");
  for (uint64_t round = count_from(argv[1]); round > 0; round--) {
    the_self.sum = 0;
    report("direct_ns", direct_calls());
    report("ffi_ns", ffi_calls());
    report("invoke_ns", command_calls(instance, "invoke"));
    report("native_ns", command_calls(instance, "native"));
    report("beside_ns", command_calls(instance, "beside"));
    report("text_ns", text_calls(instance));
  }
  msdk_engine_destroy(engine);
  return 0;
}
