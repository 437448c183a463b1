/* The end of a plugin: its module, and the entry by which hosts find it. plugin.h says what the members mean. */
#ifndef PLUGIN_MODULE_H
#define PLUGIN_MODULE_H

#include <mediasdk/plugin.h>

/* The module of these classes: PLUGIN_MODULE(&producer, &renderer). */
#define PLUGIN_MODULE(...)                                    \
  static const msdk_class *const classes[] = {__VA_ARGS__};   \
  static const msdk_module module = {                         \
    .struct_size = sizeof(msdk_module),                       \
    .abi_minor = MSDK_ABI_MINOR,                              \
    .vendor = "MediaSDK",                                     \
    .license = "Apache-2.0",                                  \
    .version = "1.0",                                         \
    .classes = classes, .class_count = MSDK_COUNT(classes),   \
  };                                                          \
  MSDK_DEFINE_ENTRY(&module)

/* A step between an instance's states, for a class that has nothing to open or to close there. */
static inline msdk_result nothing_to_do(msdk_self *self) {
  (void)self;
  return MSDK_OK;
}

#endif
