/* What Swift cannot reach in libffi by itself: the types are variables, and the default convention is a macro on some machines. */
#ifndef CFFI_SHIM_H
#define CFFI_SHIM_H

#include <ffi.h>

static inline ffi_type *cffi_void(void) { return &ffi_type_void; }
static inline ffi_type *cffi_uint8(void) { return &ffi_type_uint8; }
static inline ffi_type *cffi_sint32(void) { return &ffi_type_sint32; }
static inline ffi_type *cffi_sint64(void) { return &ffi_type_sint64; }
static inline ffi_type *cffi_uint32(void) { return &ffi_type_uint32; }
static inline ffi_type *cffi_uint64(void) { return &ffi_type_uint64; }
static inline ffi_type *cffi_double(void) { return &ffi_type_double; }
static inline ffi_type *cffi_pointer(void) { return &ffi_type_pointer; }

static inline int cffi_prepare(ffi_cif *cif, unsigned count, ffi_type *result, ffi_type **arguments) {
  return ffi_prep_cif(cif, FFI_DEFAULT_ABI, count, result, arguments) == FFI_OK;
}

#endif
