CFLAGS ?= -O2 -g -Wall -Wextra

all: $(PLUGIN)

$(PLUGIN): @NAME@.c plugin.map
	$(CC) -std=c11 -fPIC -fvisibility=hidden $(MSDK_CFLAGS) $(CFLAGS) -shared $< $(LDFLAGS) -Wl,--version-script=plugin.map -Wl,-z,defs -pthread -o $@
