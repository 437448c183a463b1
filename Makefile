# MediaSDK. `make demo` and `make test` install what is missing and need nothing before them but the Swift toolchain.

PREFIX ?= /usr/local
DESTDIR ?=
SOVERSION := $(shell . packaging/versions && echo $$soversion)

OUT := .build/out
DEMO := .build/demo
TESTS := .build/tests
PYTHON := .build/venv/bin/python
INPUT ?= Tests/Media/bunny-720p25.ivf
SOUND ?= Tests/Media/bunny-48k-stereo.wav

# One set of flags for library and tool, so that the rooms are compiled once. Generic code is specialised across rooms; exclusive access to memory is
# proved by the debug builds, which the tests and the sanitizers use, and not checked again for every frame.
# What nobody calls is dropped: each function has a section of its own, and no name is kept for others' Swift code, which links none of this.
# With MSDK_RUNTIME Package.swift links copies of the Swift runtime's archives of which the same is true: packaging/runtime.
FRONTEND := -Xswiftc -Xfrontend -Xswiftc
SWIFT_BUILD := MSDK_RUNTIME=$(CURDIR)/.build/runtime swift build -c release --static-swift-stdlib -Xswiftc -cross-module-optimization \
  -Xswiftc -enforce-exclusivity=unchecked $(FRONTEND) -function-sections $(FRONTEND) -internalize-at-link
SWIFT_STATIC := $(shell swiftc -print-target-info -static-stdlib | sed -n 's/.*"runtimeResourcePath": *"\(.*\)".*/\1/p')/linux
RUNTIME := $(patsubst %,.build/runtime/libswift%.a,Core Glibc Synchronization) .build/runtime/scalar_names.o .build/runtime/thread_number.o

# C is optimised in debug builds too: what a test computes in it runs over every pixel.
SWIFT_DEBUG := --scratch-path .build/swift-tests -Xcc -O2

# What is built in another folder is the same, byte for byte: Swift's hashes of modules and the linker's of the whole contain paths, and so would
# what C's compiler writes for debuggers.
STRIP := strip --remove-section=.swift_modhash --remove-section=.note.gnu.build-id
CFLAGS ?= -O2 -g
SAME := -ffile-prefix-map=$(CURDIR)=mediasdk
WARNINGS := -std=c11 -Wall -Wextra -pedantic -Werror
# Shared libraries find all that they call; but for those of the sanitizers, which find it in the program.
ALL_DEFINED ?= -Wl,-z,defs
LIBRARY := $(OUT)/libmediasdk.so
FEEDER := $(OUT)/libmediasdk-feeder.so
# Of the tests.
ISOLATING := $(OUT)/libmsdk-isolating.so
FUZZER := $(OUT)/rtp-fuzz
HEADERS := $(wildcard Include/mediasdk/*.h Include/headers.c Sources/CLinux/*) Include/mediasdk.map Include/module.modulemap
# What the tool writes as projects is a part of it, and no source.
TEMPLATES := $(shell find Sources/msdk/Templates -type f)
SWIFT_SOURCES := $(filter-out $(TEMPLATES),$(shell find Sources -name '*.swift' -o -name shim.h)) $(wildcard $(foreach loops,CPixels CResampler,Sources/$(loops)/* Sources/$(loops)/include/*)) Package.swift

# A plugin is a folder of C files, and a file `packages` that names the libraries it links: for pkg-config, or as options (-l...).
lower = $(shell echo $(1) | tr A-Z a-z)
PLUGINS := $(patsubst Sources/Plugins/%/,%,$(wildcard Sources/Plugins/*/))
packages = $(shell cat Sources/Plugins/$(1)/packages 2> /dev/null)
plugin_file = $(OUT)/plugins/$(call lower,$(1)).so
PLUGIN_FILES := $(foreach plugin,$(PLUGINS),$(call plugin_file,$(plugin)))

# How the tests find what was built. A clone may lie where a group may write, as a umask of 002 leaves it.
RUN_ENV = MEDIASDK_LIBRARY=$(CURDIR)/$(LIBRARY) MSDK_LIB_DIR=$(CURDIR)/$(OUT) MSDK_PLUGIN_DIR=$(CURDIR)/$(OUT)/plugins \
  MSDK_TOOL=$(CURDIR)/$(OUT)/msdk PYTHONPATH=$(CURDIR)/Bindings/Python \
  XDG_CACHE_HOME=$(CURDIR)/.build/cache MSDK_PLUGIN_ALLOW_WRITABLE=1

# A test that hangs has failed.
LIMIT := timeout --kill-after=10 1500

.PHONY: all library feeder plugins plugin-host tool demo test interop quality attack bench sanitize install uninstall clean format python-bindings
.PHONY: docs man build-docs build-man test-man test-docs
.PHONY: fuzz test-headers swift-tests test-swift test-fuzz test-fuzz-targets test-plugins test-plugins-isolated test-c test-isolated test-python test-quality test-tool test-install test-snippets test-checker
all: library feeder plugins plugin-host tool

# ------------------------------------------------------------------------------------------------------------------- building

library: $(LIBRARY)
plugins: $(PLUGIN_FILES)
feeder: $(FEEDER)
tool: $(OUT)/msdk
plugin-host: $(OUT)/msdk-plugin-host

.build/runtime/clear_retain: packaging/runtime/clear_retain.c
	@mkdir -p .build/runtime
	@$(CC) $(WARNINGS) $(CFLAGS) -o $@ $<

.build/runtime/libswift%.a: $(SWIFT_STATIC)/libswift%.a .build/runtime/clear_retain
	@.build/runtime/clear_retain $< $@

.build/runtime/%.o: packaging/runtime/%.c
	@mkdir -p .build/runtime
	@$(CC) $(WARNINGS) $(CFLAGS) $(SAME) -fPIC -c -o $@ $<

$(LIBRARY): $(HEADERS) $(SWIFT_SOURCES) $(RUNTIME)
	@echo "== building libmediasdk.so (a minute or two the first time)"
	$(SWIFT_BUILD) --product mediasdk
	@mkdir -p $(OUT)
	@$(STRIP) --strip-unneeded -o $@ .build/release/libmediasdk.so
	@ln -sf libmediasdk.so $(OUT)/libmediasdk.so.$(SOVERSION)

$(OUT)/msdk: $(LIBRARY) $(TEMPLATES) $(wildcard Sources/Checker/*.[ch] Sources/Checker/*/*.c)
	@echo "== building the msdk tool"
	$(SWIFT_BUILD) --product msdk
	@$(STRIP) -o $@ .build/release/msdk

# Plugins are looked at, and run when they are isolated, in processes of this program. Found beside the library.
$(OUT)/msdk-plugin-host: $(LIBRARY)
	@echo "== building msdk-plugin-host"
	$(SWIFT_BUILD) --product msdk-plugin-host
	@$(STRIP) -o $@ .build/release/msdk-plugin-host

# The feeder's side of a screen share: C, and nothing but libc. One object, so that its archive shows a program no more names than feeder.h has.
$(FEEDER): $(wildcard Sources/Feeder/*) Sources/CLinux/signals.h $(wildcard Include/mediasdk/*.h)
	@echo "== building libmediasdk-feeder"
	@mkdir -p $(OUT)/feeder
	@rm -f $(OUT)/feeder/*.o $(OUT)/libmediasdk-feeder.a
	@for source in Sources/Feeder/*.c; do \
	  $(CC) $(WARNINGS) $(CFLAGS) $(SAME) -fPIC -fvisibility=hidden -IInclude -c $$source -o $(OUT)/feeder/$$(basename $$source .c).o || exit 1; done
	@$(CC) -r -nostdlib -o $(OUT)/feeder/whole.o $(OUT)/feeder/*.o
	@objcopy --localize-hidden $(OUT)/feeder/whole.o
	@$(AR) rcs $(OUT)/libmediasdk-feeder.a $(OUT)/feeder/whole.o
	@$(CC) $(CFLAGS) -shared -o $@ $(OUT)/feeder/whole.o -Wl,-soname=libmediasdk-feeder.so.$(SOVERSION) \
	  -Wl,--version-script=Sources/Feeder/feeder.map -Wl,-z,defs -pthread
	@ln -sf libmediasdk-feeder.so $(OUT)/libmediasdk-feeder.so.$(SOVERSION)

define plugin_rule
$(call plugin_file,$(1)): $(wildcard Sources/Plugins/$(1)/*) Sources/CLinux/signals.h $(wildcard Sources/Plugins/*.h) Sources/Plugins/plugin.map $(wildcard Include/mediasdk/*.h)
	@echo "== building plugin $(1)"
	@mkdir -p $(OUT)/plugins
	@$(CC) $(WARNINGS) $(CFLAGS) $(SAME) -fPIC -fvisibility=hidden -shared -IInclude -o $$@ $(wildcard Sources/Plugins/$(1)/*.c) \
	  -Wl,--version-script=Sources/Plugins/plugin.map $(ALL_DEFINED) $(LDFLAGS) \
	  $(if $(filter-out -l%,$(call packages,$(1))),$$$$(pkg-config --cflags --libs $(filter-out -l%,$(call packages,$(1))))) \
	  $(filter -l%,$(call packages,$(1)))
endef
$(foreach plugin,$(PLUGINS),$(eval $(call plugin_rule,$(plugin))))

# ----------------------------------------------------------------------------------------------------------------------- demo

demo:
	@.ci/setup demo
	@$(MAKE) --no-print-directory run-demo

.PHONY: run-demo
run-demo: all
	@mkdir -p $(DEMO)/c $(DEMO)/python
	@echo "== the C example, Examples/C/demo.c"
	@$(CC) $(WARNINGS) $(CFLAGS) -IInclude Examples/C/demo.c -o $(DEMO)/demo -L$(OUT) -lmediasdk -lm -Wl,-rpath,$(CURDIR)/$(OUT)
	@$(DEMO)/demo --input "$(INPUT)" --sound "$(SOUND)" --plugins $(OUT)/plugins --output $(DEMO)/c
	@echo "== its twin, Examples/Python/demo.py"
	@$(RUN_ENV) $(PYTHON) Examples/Python/demo.py --input "$(INPUT)" --sound "$(SOUND)" --plugins $(OUT)/plugins --output $(DEMO)/python
	@echo "== the tool, msdk demo"
	@$(OUT)/msdk demo --input "$(INPUT)" --output $(DEMO)/tool
	@echo "== where everything is"
	@echo "images, videos:   $(DEMO)/c  $(DEMO)/python  $(DEMO)/tool"
	@echo "tool:             $(OUT)/msdk (msdk help; PATH=\$$PATH:$(CURDIR)/$(OUT))"
	@echo "library:          $(LIBRARY), headers in Include/, plugins in $(OUT)/plugins"
	@echo "Python:           MEDIASDK_LIBRARY=$(CURDIR)/$(LIBRARY) PYTHONPATH=$(CURDIR)/Bindings/Python"
	@echo "to install them:  make install PREFIX=/usr/local"

# ---------------------------------------------------------------------------------------------------------------------- tests

test:
	@.ci/setup test
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory -j7 tests-in-swift tests-in-c tests-in-python tests-without-numpy tests-of-plugins tests-of-quality tests-of-the-rest
	@$(MAKE) --no-print-directory test-real-time
	@echo "== all tests passed"

# What is seen by reading: nothing is built for it, so it comes first. `.ci/hooks/pre-commit` runs it, too.
.PHONY: lint
lint:
	@echo "== formatting, names, rooms, words, documents"
	@swift format lint --strict --parallel --configuration .swift-format --recursive Sources Tests Examples
	@for check in structs names package rooms page docs words; do python3 Tests/ABI/check_$$check.py || exit 1; done

# While one works on something: the Swift tests that wait for nothing, in a tree that was built before.
.PHONY: check
check: lint
	@$(MAKE) --no-print-directory swift-tests
	@echo "== the fast Swift tests"
	@.ci/swift-tests fast

# Side by side, each as soon as what it needs is built: most tests wait more than they compute.
.PHONY: tests-in-swift tests-in-c tests-in-python tests-without-numpy tests-of-plugins tests-of-quality tests-of-the-rest
PART := @$(MAKE) --no-print-directory
tests-in-swift: swift-tests
	$(PART) run-swift-tests
	$(PART) test-fuzz-targets
tests-in-c: all
	$(PART) test-c
	$(PART) test-isolated
tests-in-python: all
	$(PART) test-with-numpy
tests-without-numpy: all
	$(PART) test-without-numpy
tests-of-plugins: all $(ISOLATING)
	$(PART) test-plugins
	$(PART) test-plugins-isolated
tests-of-quality: all
	$(PART) test-quality
tests-of-the-rest: all $(FUZZER)
	$(PART) test-headers
	$(PART) test-fuzz
	$(PART) test-tool
	$(PART) test-checker
	$(PART) test-install
	$(PART) test-snippets

test-headers:
	@echo "== headers, exports, dependencies, layout"
	@Tests/ABI/check_headers.sh
	@Tests/ABI/check_layout.sh
	@Tests/ABI/check_exports.sh $(LIBRARY)
	@Tests/ABI/check_dependencies.sh $(LIBRARY)
	@Tests/ABI/check_feeder.sh $(FEEDER)
	@Tests/ABI/check_abi.sh

# The release build has one processor busy much of the time; this one takes the other.
swift-tests:
	@echo "== building the Swift tests (seven minutes the first time)"
	@MSDK_FAST_TESTS=1 swift build --build-tests $(SWIFT_DEBUG)

test-swift: swift-tests
	$(PART) run-swift-tests test-real-time

# Those of Tests/real-time come later, when nothing else runs.
.PHONY: run-swift-tests test-real-time
run-swift-tests:
	@echo "== Swift tests"
	@.ci/swift-tests fast
	@echo "== the Swift example, Examples/Swift/send.swift"
	@$(LIMIT) .build/swift-tests/debug/example-send

test-real-time:
	@echo "== Swift tests in real time, one after the other"
	@.ci/swift-tests real-time
	@echo "== C tests in real time, and once more with isolated plugins"
	@CC="$(CC)" MSDK_TEST_AGAIN=1 $(RUN_ENV) Tests/C/run.sh $(TESTS)/c real_time
	@CC="$(CC)" MSDK_TEST_AGAIN=1 MSDK_PLUGIN_ISOLATE='*' $(RUN_ENV) Tests/C/run.sh $(TESTS)/c real_time
	@echo "== Python tests in real time"
	@$(RUN_ENV) PYTHONPATH=$(CURDIR)/Bindings/Python:$(CURDIR)/Tests/Python $(LIMIT) $(PYTHON) -u .ci/python-tests Tests/Python/real_time

test-plugins: $(PLUGIN_FILES)
	@echo "== plugins alone, under a host that checks them"
	@CC="$(CC)" MSDK_PLUGIN_DIR=$(OUT)/plugins Tests/Plugins/run.sh $(TESTS)/plugins

# What test-plugins has built once more, with the plugins in processes of their own, behind the library's proxies.
$(ISOLATING): $(LIBRARY) $(wildcard Tests/Isolating/*)
	@echo "== building libmsdk-isolating, for tests"
	$(SWIFT_BUILD) --product msdk-isolating
	@cp .build/release/libmsdk-isolating.so $@

test-plugins-isolated: $(ISOLATING) $(OUT)/msdk-plugin-host
	@[ -e $(TESTS)/plugins/tests/test_tone ] || $(MAKE) --no-print-directory test-plugins
	@echo "== plugins alone once more, each in a process of its own"
	@MSDK_TEST_BUILT=1 MSDK_TEST_ISOLATED=$(CURDIR)/$(ISOLATING) MSDK_PLUGIN_HOST=$(CURDIR)/$(OUT)/msdk-plugin-host \
	  Tests/Plugins/run.sh $(TESTS)/plugins

# Those of Tests/C/real_time come later, when nothing else runs.
C_TESTS := $(filter-out plugins scanned isolated real_time,$(notdir $(patsubst %/,%,$(wildcard Tests/C/*/))))
test-c:
	@echo "== C tests against libmediasdk.so"
	@CC="$(CC)" MSDK_TEST_JOBS=2 $(RUN_ENV) Tests/C/run.sh $(TESTS)/c $(C_TESTS)

# `make fuzz` runs every target of Tests/Fuzzing under libFuzzer, one after the other, SECONDS=n each (60); TARGET=name one of them.
# `make fuzz FUZZ=N` throws so many spoilt datagrams at a session instead.
fuzz: $(if $(FUZZ),$(FUZZER))
	@$(if $(FUZZ),$(FUZZER) $(FUZZ),Tests/Fuzzing/build.sh && Tests/Fuzzing/run.sh $(or $(SECONDS),60) $(TARGET))

$(FUZZER): $(LIBRARY) $(wildcard Tests/Fuzzing/Datagrams/*)
	@echo "== building rtp-fuzz, for tests"
	$(SWIFT_BUILD) --product rtp-fuzz
	@cp .build/release/rtp-fuzz $@

test-fuzz:
	@echo "== spoilt datagrams"
	@$(MAKE) --no-print-directory fuzz FUZZ=2000000

# The targets of `make fuzz` on the committed inputs, and on as many that are like them every time.
test-fuzz-targets:
	@echo "== what is fuzzed, for a short while"
	@mkdir -p .build/fuzz
	@$(LIMIT) .build/swift-tests/debug/msdk-fuzz-replay Tests/Fuzzing/Corpus 3000 .build/fuzz/last-input
	@Tests/Fuzzing/build.sh c
	@$(LIMIT) Tests/Fuzzing/run.sh short

# The C tests with plugin files once more, isolated where they can be. Not among them: test_cycles, whose thousand rounds would start ten thousand
# processes, and test_fork; the classes that tests register themselves are never isolated, which is why filters and commands of the tests' own are
# loaded from a file then.
ISOLATED_TESTS := test_plugin_files test_plugin_inputs test_reentrancy test_text_input test_screen_share test_grid_call test_audio_plugins
ISOLATED_TESTS += test_engine test_handles test_filters test_audio_filters test_commands test_command_threads test_codec_av1 test_struct_size
test-isolated:
	@echo "== C tests with isolated plugins"
	@CC="$(CC)" MSDK_PLUGIN_ISOLATE='*' $(RUN_ENV) Tests/C/run.sh $(TESTS)/c $(ISOLATED_TESTS)

.PHONY: test-with-numpy test-without-numpy
test-python: test-with-numpy test-without-numpy
test-with-numpy:
	@echo "== Python tests, with numpy"
	@$(RUN_ENV) $(LIMIT) $(PYTHON) -m unittest discover -s Tests/Python
test-without-numpy:
	@echo "== Python tests, without numpy"
	@$(RUN_ENV) $(LIMIT) $(PYTHON) -c 'import sys, unittest; sys.modules["numpy"] = None; \
	  unittest.main(module=None, argv=["unittest", "discover", "-s", "Tests/Python"])'

test-tool:
	@echo "== the msdk tool"
	@$(RUN_ENV) $(LIMIT) $(PYTHON) -m unittest discover -s Tests/Tool

test-checker:
	@echo "== the checker of plugins, on bad ones and on ours"
	@$(RUN_ENV) CC="$(CC)" $(LIMIT) $(PYTHON) -m unittest discover -s Tests/Checker

test-install:
	@echo "== an installation, used from outside the tree"
	@CC="$(CC)" Tests/ABI/check_install.sh $(TESTS)/install

test-snippets:
	@echo "== the examples that stand in the documentation"
	@$(RUN_ENV) $(PYTHON) Tests/ABI/check_snippets.py
	@echo "== the commands that stand in the documentation and in msdk help"
	@$(RUN_ENV) CC="$(CC)" $(PYTHON) Tests/ABI/check_commands.py

# The C tests again, with the library, the plugins and the tests all built for a sanitizer of the Swift toolchain's clang; side by side, as above.
.PHONY: sanitize-address sanitize-thread
sanitize:
	@.ci/setup test
	@$(MAKE) --no-print-directory plugin-host plugins
	@$(MAKE) --no-print-directory -j2 sanitize-address sanitize-thread

sanitize-address sanitize-thread: sanitize-%:
	@.ci/sanitize $*

# Against what others wrote: GStreamer, FFmpeg and Janus, each sending to the tool and receiving from it; sessions over WebRTC with aiortc and Chromium;
# LiveKit's SDK in a room that is served; a call of three on two machines. What is built for it comes last: .ci/run builds in the same folder meanwhile.
interop:
	@.ci/setup interop
	@$(MAKE) --no-print-directory tool plugins plugin-host
	@echo "== with GStreamer, FFmpeg and Janus, VP8 and Opus over RTP, plain and protected; with aiortc, libwebrtc, LiveKit's SDK and Chromium over WebRTC, through coturn; calls over links that are lossy, fall and recover, are interrupted, or change"
	@$(RUN_ENV) $(LIMIT) .build/interop-venv/bin/python -u .ci/python-tests Tests/Interop
	@MSDK_INTEROP_ENGINE=libwebrtc $(RUN_ENV) $(LIMIT) .build/interop-venv/bin/python -u .ci/python-tests Tests/Interop rtc.test_webrtc rtc.test_relay rtc.test_impaired
	@MSDK_FAST_TESTS=1 swift build --product livekit-echo $(SWIFT_DEBUG)
	@echo "== messages and access tokens of LiveKit, with its own libraries"
	@.build/interop-venv/bin/python Tests/LiveKit/check_messages.py .build/swift-tests/debug/livekit-echo
	@.build/interop-venv/bin/python Tests/LiveKit/check_service.py .build/swift-tests/debug/livekit-echo
	@.build/interop-venv/bin/python Tests/LiveKit/check_tokens.py .build/swift-tests/debug/livekit-echo

# What is seen and heard against references that numpy, FFmpeg, libvpx and libopus compute. QUICK=1: the quick half; PARTS="mix opus": only these.
quality:
	@.ci/setup quality
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory test-quality QUICK=$(QUICK)

test-quality: QUICK := 1
test-quality:
	@echo "== what is seen and heard, against references"
	@$(RUN_ENV) $(LIMIT) $(PYTHON) Tests/Quality/run.py $(if $(QUICK),--quick) $(PARTS)

# The network attacks that a host has to stand, each beside an honest call; some seven minutes. SECONDS=n for each attack, ATTACK=name for one of them.
attack:
	@.ci/setup test
	@$(MAKE) --no-print-directory library
	@echo "== attacks beside an honest call"
	@$(RUN_ENV) $(PYTHON) Tests/Attack/attack.py --seconds $(or $(SECONDS),10) $(ATTACK)

bench:
	@.ci/setup bench
	@$(MAKE) --no-print-directory all
	@$(RUN_ENV) BUILD_DIR=$(CURDIR)/.build/bench VENV=$(CURDIR)/.build/bench-venv Tests/Bench/run.sh

# What the worst datagram of each kind costs a session of RTP.
.PHONY: bench-datagrams
bench-datagrams: $(LIBRARY)
	@$(SWIFT_BUILD) --product rtp-datagrams
	@.build/release/rtp-datagrams

# What resampling costs, without the path around it.
.PHONY: bench-resampler
bench-resampler: $(LIBRARY)
	@$(SWIFT_BUILD) --product resampling-cost
	@.build/release/resampling-cost

# --------------------------------------------------------------------------------------------------------------- documentation

# The documentation site, which opens from a disk, and the manual pages. docs/README.md says how to add a page.
docs:
	@.ci/setup docs
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory build-docs build-man test-man

build-docs:
	@echo "== the documentation site, dist/docs/index.html"
	@$(RUN_ENV) docs/tools/build.sh dist/docs

man: all
	@$(MAKE) --no-print-directory build-man

build-man:
	@echo "== the manual pages, dist/man"
	@$(RUN_ENV) python3 -B docs/tools/man_pages.py dist/man

test-man:
	@docs/tools/check_man.sh dist/man

# The pages that `make docs` has built, in Chromium: nothing is wider than the window, and the search finds.
test-docs:
	@.ci/setup docs-browser
	@python3 -B docs/tools/check_browser.py dist/docs

# -------------------------------------------------------------------------------------------------------------------- install

# LIBDIR may be a directory of the architecture, as Debian's /usr/lib/x86_64-linux-gnu. packaging/manifest.sh says what goes where.
LIBDIR ?= $(PREFIX)/lib
install: all
	@OUT='$(OUT)' packaging/share.sh
	@OUT='$(OUT)' packaging/install.sh $@ 'PREFIX=$(PREFIX)' 'LIBDIR=$(LIBDIR)' 'DESTDIR=$(DESTDIR)'

uninstall:
	@OUT='$(OUT)' packaging/install.sh $@ 'PREFIX=$(PREFIX)' 'LIBDIR=$(LIBDIR)' 'DESTDIR=$(DESTDIR)'

# Packages of what was built, into dist/: a tarball with install.sh, a wheel, Debian's. test-dist installs each in clean roots of distributions, as root.
.PHONY: dist test-dist
dist:
	@.ci/setup dist
	@$(MAKE) --no-print-directory all
	@OUT='$(OUT)' packaging/share.sh
	@packaging/tarball.sh
	@packaging/wheel/build.sh
	@packaging/debian/build.sh

test-dist:
	@echo "== the tarball"
	@packaging/try.sh
	@echo "== the wheel"
	@packaging/wheel/try.sh
	@echo "== the Debian packages"
	@packaging/debian/try.sh

# The modules of the Python binding that come from the headers: run it when a header has changed. test-python compares.
python-bindings:
	@PYTHONPATH=Bindings/Python python3 -B -m generator

format:
	swift format --in-place --recursive Sources Tests Examples

clean:
	rm -rf .build dist
