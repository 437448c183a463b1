/// The Makefiles of new projects. A tab begins every command.
extension Template {
  static let map = """
    # A plugin exports its entry and nothing else: another symbol could collide with one of the same name in the program that loads it.
    {
      global: msdk_plugin_entry_v1;
      local: *;
    };

    """

  static let ignored = "*.so\n*.o\n*.png\n*.pgm\n*.wav\n"

  /// `build` makes @NAME@.so of `sources`; `run` is the command of `make run`.
  static func makefile(sources: String, settings: String, build: String, run: String) -> String {
    """
    # make          builds @NAME@.so
    # make check    checks it against the rules of mediasdk/plugin.h
    # make run      tries it out in a call inside one process
    # make install  puts it where programs look for plugins
    #
    # All that it needs of MediaSDK is found with pkg-config; PKG_CONFIG_PATH says where, when it is installed in an unusual place.
    PLUGIN := @NAME@.so
    $(if $(shell pkg-config --exists mediasdk && echo yes),,$(error set PKG_CONFIG_PATH to the folder of mediasdk.pc))
    MSDK_CFLAGS := $(shell pkg-config --cflags mediasdk)
    MSDK ?= $(firstword $(wildcard $(shell pkg-config --variable=exec_prefix mediasdk)/bin/msdk) msdk)
    PLUGIN_DIR ?= $(shell pkg-config --variable=plugindir mediasdk)
    \(settings)

    all: $(PLUGIN)

    $(PLUGIN): \(sources)
    \t\(build)

    check: $(PLUGIN)
    \t$(MSDK) plugin check ./$(PLUGIN)

    run: $(PLUGIN)
    \t\(run)

    install: $(PLUGIN)
    \tinstall -d $(DESTDIR)$(PLUGIN_DIR)
    \tinstall -m 755 $(PLUGIN) $(DESTDIR)$(PLUGIN_DIR)

    clean:
    \t$(RM) $(PLUGIN)

    .PHONY: all check run install clean

    """
  }

  static let settingsC = "CFLAGS ?= -O2 -g -Wall -Wextra"
  static let buildC =
    "$(CC) -std=c11 -fPIC -fvisibility=hidden $(MSDK_CFLAGS) $(CFLAGS) -shared $< $(LDFLAGS) "
    + "-Wl,--version-script=plugin.map -Wl,-z,defs -pthread -o $@"

  static let settingsCPP = "CXXFLAGS ?= -O2 -g -Wall -Wextra -Wno-missing-field-initializers"
  static let buildCPP =
    "$(CXX) -std=c++20 -fPIC -fvisibility=hidden $(MSDK_CFLAGS) $(CXXFLAGS) -shared $< $(LDFLAGS) "
    + "-Wl,--version-script=plugin.map -Wl,-z,defs -pthread -o $@"
  /// What C++ asks for beyond what C does.
  static let includeCPP = """
    // P5: no exception leaves a function that the host calls: catch what yours throw, and return MSDK_E_FAIL with an error text. Members
    // that the tables below omit are NULL: that is why the Makefile has -Wno-missing-field-initializers.
    #include <mediasdk/plugin.h>

    """

  static let settingsSwift = "SWIFTC ?= swiftc"
  static let buildSwift =
    "$(SWIFTC) -O -swift-version 6 -parse-as-library -module-name @NAME@ -emit-library -static-stdlib "
    + "-no-toolchain-stdlib-rpath -I CMediaSDKPlugin "
    + "$(addprefix -Xcc ,$(MSDK_CFLAGS)) $(filter %.swift,$^) -Xlinker --version-script=plugin.map -Xlinker --gc-sections -o $@"

  static let settingsRust = "RUSTC ?= rustc"
  /// Of a cdylib rustc itself hides all that is not no_mangle.
  static let buildRust = "$(RUSTC) --edition 2021 --crate-type cdylib -O -C strip=symbols $< -o $@"
}
