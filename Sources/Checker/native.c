/* Native commands, called as the host calls them: through libffi. */
#include <ffi.h>
#include <string.h>

#include "settings.h"

/* As the macros of plugin.h, MSDK_C_*, have them. */
static ffi_type *type_of(msdk_type type) {
  switch (type) {
    case MSDK_T_BOOL:
      return &ffi_type_uint8;
    case MSDK_T_I32:
    case MSDK_T_STATUS:
      return &ffi_type_sint32;
    case MSDK_T_I64:
      return &ffi_type_sint64;
    case MSDK_T_U32:
      return &ffi_type_uint32;
    case MSDK_T_U64:
      return &ffi_type_uint64;
    case MSDK_T_F64:
      return &ffi_type_double;
    case MSDK_T_STRING:
    case MSDK_T_BYTES:
      return &ffi_type_pointer;
    default:
      return &ffi_type_void;
  }
}

static void read_answer(msdk_type type, const void *room, msdk_value *answer) {
  ffi_arg whole; /* what is narrower than a register comes as a whole one */
  const msdk_bytes *bytes;
  memcpy(&whole, room, sizeof whole);
  answer->type = type;
  switch (type) {
    case MSDK_T_BOOL:
      answer->u.b = (uint8_t)whole;
      break;
    case MSDK_T_I32:
      answer->u.i32 = (int32_t)whole;
      break;
    case MSDK_T_U32:
      answer->u.u32 = (uint32_t)whole;
      break;
    case MSDK_T_I64:
    case MSDK_T_U64:
      memcpy(&answer->u.u64, room, sizeof answer->u.u64);
      break;
    case MSDK_T_F64:
      memcpy(&answer->u.f64, room, sizeof answer->u.f64);
      break;
    case MSDK_T_STRING:
      memcpy(&answer->u.str, room, sizeof answer->u.str);
      break;
    case MSDK_T_BYTES:
      memcpy(&bytes, room, sizeof bytes);
      answer->u.bytes = bytes != NULL ? *bytes : (msdk_bytes){.data = NULL, .size = 1}; /* which is no bytes */
      break;
    default:
      break;
  }
}

msdk_result native_call(msdk_self *self, const msdk_command *command, const msdk_value *args, msdk_value *answer) {
  ffi_cif interface;
  ffi_type *types[MSDK_ARGS_MAX + 1] = {&ffi_type_pointer};
  void *values[MSDK_ARGS_MAX + 1] = {&self};
  const msdk_bytes *bytes[MSDK_ARGS_MAX];
  union {
    ffi_arg whole;
    uint64_t number;
    double real;
    void *pointer;
  } room = {0};
  for (uint32_t i = 0; i < command->arg_count; i++) {
    bytes[i] = &args[i].u.bytes;
    types[i + 1] = type_of(command->args[i].type);
    values[i + 1] = command->args[i].type == MSDK_T_BYTES ? (void *)&bytes[i] : (void *)(uintptr_t)&args[i].u;
  }
  if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, command->arg_count + 1, type_of(command->result), types) != FFI_OK) {
    fail("msdk_command", "libffi cannot call the command %s", command->name);
    return MSDK_OK;
  }
  ffi_call(&interface, command->native, &room, values);
  if (command->result == MSDK_T_STATUS) return (msdk_result)room.whole;
  read_answer(command->result, &room, answer);
  return MSDK_OK;
}
