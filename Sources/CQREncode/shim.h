/* libqrencode, as it is: Swift imports all that is used of it. */
#ifndef CQRENCODE_SHIM_H
#define CQRENCODE_SHIM_H

#include <qrencode.h>

#endif
