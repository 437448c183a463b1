/* A command that is nothing to call. */
#define CLASS .commands = commands, .command_count = 1
#define HELPERS static const msdk_command commands[] = {{.struct_size = sizeof(msdk_command), .name = "reset"}};
#include "good.h"
