/* A filter that keeps its reference to a frame of which there could be no copy. */
#include <mediasdk/plugin.h>

#include <stdlib.h>

struct msdk_self {
  const msdk_host *host;
  msdk_host_context *context;
};

static msdk_result create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)type;
  if ((*out = malloc(sizeof **out)) == NULL) return MSDK_E_NOMEM;
  **out = (msdk_self){host, context};
  return MSDK_OK;
}

static void destroy(msdk_self *self) { free(self); }

static msdk_result nothing(msdk_self *self) {
  (void)self;
  return MSDK_OK;
}

static msdk_result pass(msdk_self *self, msdk_video_frame *in, msdk_video_frame **out) {
  return self->host->video_frame_make_writable(self->context, in, out);
}

static const msdk_video_filter filter = {
  .struct_size = sizeof(msdk_video_filter), .init_filter = nothing, .release_filter = nothing, .filter_video_frame = pass};
static const msdk_class the_class = {
  .struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_VIDEO_FILTER, .id = "org.example.filter.kept",
  .create = create, .destroy = destroy, .video_filter = &filter};
static const msdk_class *const classes[] = {&the_class};
static const msdk_module module = {.struct_size = sizeof(msdk_module), .class_count = 1, .classes = classes};
MSDK_DEFINE_ENTRY(&module)
