/* What includes the headers, so that what imports them is built again when one of them changes: of a folder with headers alone the build notices
 * no change. */
#define _DEFAULT_SOURCE
#include "children.h"
#include "datagrams.h"
#include "isolation.h"
#include "namespaces.h"
#include "shim.h"
#include "signals.h"
#include "sockets.h"
#include "wakers.h"
#include "words.h"
