/* plugin.h: a class's user data, by which a program's own classes reach its objects without globals. Two classes share all functions. */
#include "call.h"

typedef struct place {
  const char *name;
  int made, shown, gone;
} place;
struct msdk_self {
  place *place;
};

static msdk_result place_create(const msdk_class *type, const msdk_host *host, msdk_host_context *context, msdk_self **out) {
  (void)host, (void)context;
  msdk_self *self = calloc(1, sizeof *self);
  if (self == NULL) return MSDK_E_NOMEM;
  self->place = type->user;
  CHECK(strcmp(type->name, self->place->name) == 0);
  self->place->made++;
  *out = self;
  return MSDK_OK;
}
static void place_destroy(msdk_self *self) {
  self->place->gone++;
  free(self);
}
static msdk_result place_nothing(msdk_self *self) { return self != NULL ? MSDK_OK : MSDK_E_INVALID; }
static msdk_result place_render(msdk_self *self, const msdk_video_frame *frame) {
  (void)frame;
  self->place->shown++;
  return MSDK_OK;
}

static place places[2] = {{.name = "left"}, {.name = "right"}};
static const msdk_video_renderer renderer = {.struct_size = sizeof(msdk_video_renderer), .init_render = place_nothing,
  .release_render = place_nothing, .render_video_frame = place_render};
static const msdk_class classes[2] = {
  {.struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_VIDEO_RENDERER, .id = "org.mediasdk.test.left", .name = "left", .user = &places[0],
    .create = place_create, .destroy = place_destroy, .video_renderer = &renderer},
  {.struct_size = sizeof(msdk_class), .kinds = MSDK_KIND_VIDEO_RENDERER, .id = "org.mediasdk.test.right", .name = "right", .user = &places[1],
    .create = place_create, .destroy = place_destroy, .video_renderer = &renderer}};
static const msdk_class *const listed[] = {&classes[0], &classes[1]};
static const msdk_module module = {.struct_size = sizeof(msdk_module), .abi_minor = MSDK_ABI_MINOR, .classes = listed, .class_count = MSDK_COUNT(listed)};

static void create_finds_it_in_its_class(void) {
  msdk_engine *engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_register_module(engine, &module));
  msdk_instance *left = NULL, *right = NULL;
  CHECK_OK(msdk_instance_create(engine, "org.mediasdk.test.left", NULL, &left));
  CHECK_OK(msdk_instance_create(engine, "org.mediasdk.test.right", NULL, &right));
  msdk_video_format format = format_of(MSDK_PIXEL_NV12, 64, 48, 30);
  msdk_video_frame *frame = NULL;
  CHECK_OK(msdk_video_frame_create(&format, &frame));
  for (int i = 0; i < 3; i++) CHECK_OK(msdk_instance_render(right, frame));
  msdk_video_frame_unref(frame);
  msdk_instance_destroy(left);
  msdk_instance_destroy(right);
  msdk_engine_destroy(engine);
  CHECK(places[0].made == 1 && places[0].shown == 0 && places[0].gone == 1);
  CHECK(places[1].made == 1 && places[1].shown == 3 && places[1].gone == 1);
}

/* An instance of a module whose init is running on this thread. */
static msdk_engine *making_engine;
static msdk_result made_inside = MSDK_OK;
static msdk_result making_init(const char *path) {
  msdk_instance *instance = NULL;
  CHECK(path == NULL);
  made_inside = msdk_instance_create(making_engine, "org.mediasdk.test.left", NULL, &instance);
  CHECK_STR_CONTAINS(msdk_last_error(), "init");
  CHECK(instance == NULL);
  return MSDK_OK;
}

static void init_makes_no_instance(void) {
  msdk_module making = module;
  making.init = making_init;
  making_engine = engine_new(MSDK_CLOCK_VIRTUAL);
  CHECK_OK(msdk_engine_register_module(making_engine, &making));
  msdk_instance *instance = NULL;
  CHECK_OK(msdk_instance_create(making_engine, "org.mediasdk.test.left", NULL, &instance));
  CHECK_EQ(made_inside, MSDK_E_THREAD);
  msdk_instance_destroy(instance);
  msdk_engine_destroy(making_engine);
}

int main(int argc, char **argv) {
  RUN(create_finds_it_in_its_class);
  RUN(init_makes_no_instance);
  return check_finish();
}
