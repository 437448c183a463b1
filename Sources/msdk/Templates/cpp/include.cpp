// P5: no exception leaves a function that the host calls: catch what yours throw, and return MSDK_E_FAIL with an error text. Members
// that the tables below omit are NULL: that is why the Makefile has -Wno-missing-field-initializers.
#include <mediasdk/plugin.h>
