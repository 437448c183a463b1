/* How the parts of the rig call the plugin. */
#ifndef RIG_H
#define RIG_H

#include "checks.h"

typedef struct rig_call {
  rig *rig;
  const char *name;
  const void *in;
  void *out;
  int64_t due;
  uint32_t index;
  msdk_result code;
} rig_call;

void rig_perform(rig_call *call, void (*run)(rig_call *));
msdk_result rig_apply_settings(rig *rig);
int rig_is_also_renderer(const rig *rig);
void rig_take_back_of(rig *rig, int slot);

#endif
