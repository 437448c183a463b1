/* Its entry takes its time. */
#define OWN_ENTRY
#include "good.h"

MSDK_EXPORT const msdk_module *msdk_plugin_entry_v1(uint32_t host_abi_minor);
const msdk_module *msdk_plugin_entry_v1(uint32_t host_abi_minor) {
  (void)host_abi_minor;
  pause_ms(300);
  return &module;
}
