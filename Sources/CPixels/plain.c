/* With vectors of 16 bytes, for any processor. */
#define NAME(function) cpixels_plain_##function
#include "colors.h"
#include "columns.h"
#include "rows.h"
#include "samples.h"
