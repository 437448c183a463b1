/* What includes the headers, so that the Swift code that imports them is built again when one of them changes: of a folder with headers alone the
 * build notices no change. Not installed. */
#include "mediasdk/feeder.h"
#include "mediasdk/mediasdk.h"
#include "mediasdk/plugin.h"
