/* It draws into the picture that it was given to show. */
#define IS_RENDERER
#define ON_RENDER frame->plane[0].data[0] = 0
#include "good.h"
