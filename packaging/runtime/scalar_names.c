/* In place of the runtime's look-up of a character's Unicode name (Unicode.Scalar.Properties.name), whose tables have 0.55 MB, and which
 * the library never asks for: 0 says that there is no name. The linker's --wrap puts it there. */
#include <stdint.h>

intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity);

intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity)
{
    (void)scalar;
    (void)buffer;
    (void)capacity;
    return 0;
}
