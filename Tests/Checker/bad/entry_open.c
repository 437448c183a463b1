/* Its entry opens a file. */
#define OWN_ENTRY
#include "good.h"

MSDK_EXPORT const msdk_module *msdk_plugin_entry_v1(uint32_t host_abi_minor);
const msdk_module *msdk_plugin_entry_v1(uint32_t host_abi_minor) {
  (void)host_abi_minor;
  return open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0 ? &module : NULL;
}
