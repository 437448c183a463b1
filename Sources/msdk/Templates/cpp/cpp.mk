CXXFLAGS ?= -O2 -g -Wall -Wextra -Wno-missing-field-initializers

all: $(PLUGIN)

$(PLUGIN): @NAME@.cpp plugin.map
	$(CXX) -std=c++20 -fPIC -fvisibility=hidden $(MSDK_CFLAGS) $(CXXFLAGS) -shared $< $(LDFLAGS) -Wl,--version-script=plugin.map -Wl,-z,defs -pthread -o $@
