/* The example that others begin with must be right in all that it shows. */
#include "check.h"
#include "host.h"

static uint32_t move(host_instance *instance, int32_t by) {
  uint32_t (*native)(msdk_self *, int32_t) = (uint32_t (*)(msdk_self *, int32_t))host_native(instance->class, "move");
  if (native != NULL) return native(instance->self, by);
  return host_call(instance, "move", 1, &(msdk_value){.type = MSDK_T_I32, .u.i32 = by}).u.u32;
}

int main(int argc, char **argv) {
  static const uint32_t sizes[][2] = {{1, 1}, {3, 5}, {17, 9}, {640, 360}, {1279, 719}};
  const msdk_class *class = host_load(argc, argv, "gradient.so", "org.example.gradient");
  const msdk_video_producer *producer = class->video_producer;
  host_instance instance;
  host_create(&instance, class);
  for (int pass = 0; pass < 100; pass++) {
    msdk_video_format format = {0};
    CHECK_EQ(producer->init_capture(instance.self), MSDK_OK);
    CHECK_EQ(producer->enum_formats(instance.self, 0, &format), MSDK_OK);
    CHECK_EQ(producer->enum_formats(instance.self, 1, &format), MSDK_E_NOT_FOUND);
    format.width = sizes[pass % 5][0];
    format.height = sizes[pass % 5][1];
    CHECK_EQ(producer->set_format(instance.self, &format), MSDK_OK);
    CHECK_EQ(producer->start_capture(instance.self), MSDK_OK);
    msdk_video_frame *first = NULL, *second = NULL;
    CHECK_EQ(producer->produce_frame(instance.self, 10, &first), MSDK_OK);
    CHECK_EQ(producer->produce_frame(instance.self, 20, &second), MSDK_OK);
    CHECK_EQ(first->timestamp_ns, 10);
    CHECK_EQ(first->format->width, format.width);
    uint32_t wrong = 0;
    uint8_t start = first->plane[0].data[0];
    for (uint32_t y = 0; y < format.height; y++) {
      for (uint32_t x = 0; x < format.width; x++) {
        ptrdiff_t at = (ptrdiff_t)y * first->plane[0].stride + x;
        wrong += first->plane[0].data[at] != (uint8_t)(start + x + y);
        wrong += second->plane[0].data[at] != (uint8_t)(start + x + y + 2);
      }
    }
    CHECK_EQ(wrong, 0);
    host_unref(first);
    host_unref(second);
    CHECK_EQ(producer->stop_capture(instance.self), MSDK_OK);
    CHECK_EQ(producer->release_capture(instance.self), MSDK_OK);
  }
  CHECK_EQ(class->command_count, 1);
  CHECK_TEXT(class->commands[0].name, "move");
  uint32_t before = move(&instance, 0);
  CHECK_EQ(move(&instance, -255), (before + 1) & 255);
  msdk_video_format other = host_format(MSDK_PIXEL_NV12, 4, 4);
  CHECK_EQ(producer->set_format(instance.self, &other), MSDK_E_FORMAT);
  CHECK_TEXT(instance.context.error_text, "GRAY8");
  instance.context.pool_limit = 0;
  msdk_video_frame *none = NULL;
  CHECK_EQ(producer->produce_frame(instance.self, 0, &none), MSDK_E_AGAIN);
  host_destroy(&instance);
  return check_done();
}
