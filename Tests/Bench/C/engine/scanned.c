/* A plugin with one class, which is named after its file: copies of it are plugins of their own. */
#include <mediasdk/plugin.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  (void)host, (void)context, (void)out;
  return MSDK_E_UNSUPPORTED;
}

static void destroy(msdk_self *self) { (void)self; }
static msdk_result nothing(msdk_self *self) { return self != NULL ? MSDK_OK : MSDK_E_FAIL; }
static msdk_result render(msdk_self *self, const msdk_video_frame *frame) { return self != NULL && frame != NULL ? MSDK_OK : MSDK_E_FAIL; }

static const msdk_video_renderer renderer = {
  .struct_size = sizeof(msdk_video_renderer), .init_render = nothing, .release_render = nothing, .render_video_frame = render};
static char id[64];
static const msdk_class class = {.struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_VIDEO_RENDERER, .id = id, .name = "scanned",
                                 .create = create, .destroy = destroy, .video_renderer = &renderer};
static const msdk_class *const classes[] = {&class};
static const msdk_module module = {.struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .classes = classes, .class_count = MSDK_COUNT(classes)};

MSDK_EXPORT const msdk_module *msdk_plugin_entry_v1(uint32_t host_abi_minor);
const msdk_module *msdk_plugin_entry_v1(uint32_t host_abi_minor) {
  Dl_info info;
  (void)host_abi_minor;
  if (dladdr(&module, &info) == 0 || info.dli_fname == NULL) return NULL;
  const char *slash = strrchr(info.dli_fname, '/'), *name = slash != NULL ? slash + 1 : info.dli_fname;
  snprintf(id, sizeof id, "org.bench.%.*s", (int)strcspn(name, "."), name);
  return &module;
}
