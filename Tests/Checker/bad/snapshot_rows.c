/* It leaves out the last row. */
#define SNAPSHOT_ROWS (into->format->height - 1)
#include "inputs.h"
