/* Its entry makes a new module at every call. */
#define OWN_ENTRY
#include "good.h"

MSDK_EXPORT const msdk_module *msdk_plugin_entry_v1(uint32_t host_abi_minor);
const msdk_module *msdk_plugin_entry_v1(uint32_t host_abi_minor) {
  (void)host_abi_minor;
  static msdk_module made[64];
  static int count;
  made[count % 64] = module;
  return &made[count++ % 64];
}
