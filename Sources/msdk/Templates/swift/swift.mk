SWIFTC ?= swiftc

all: $(PLUGIN)

$(PLUGIN): @NAME@.swift Plugin.swift plugin.map
	$(SWIFTC) -O -swift-version 6 -parse-as-library -module-name @NAME@ -emit-library -static-stdlib -no-toolchain-stdlib-rpath -I CMediaSDKPlugin $(addprefix -Xcc ,$(MSDK_CFLAGS)) $(filter %.swift,$^) -Xlinker --version-script=plugin.map -Xlinker --gc-sections -o $@
