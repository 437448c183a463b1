/* A plugin that does something in its entry. Before including it a file defines BEFORE_ENTRY, statements. The class id tells the file. */
#define SOUND_ID "org.mediasdk.test." NAME
#include "../plugins/sound.h"

MSDK_EXPORT const msdk_module *msdk_plugin_entry_v1(uint32_t host_abi_minor);
const msdk_module *msdk_plugin_entry_v1(uint32_t host_abi_minor) {
  (void)host_abi_minor;
  BEFORE_ENTRY
  return &sound_module;
}
