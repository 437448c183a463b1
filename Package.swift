// swift-tools-version: 6.2
import PackageDescription

// What only a build by make has (MSDK_RUNTIME: the folder of packaging/runtime's output): a package that depends on one with unsafe flags
// cannot be built.
let runtime = Context.environment["MSDK_RUNTIME"]
let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
// Optimised in debug builds too, if make builds the tests (MSDK_FAST_TESTS): where tests simulate hours of calls. Each module in one piece, which is
// sooner compiled and runs faster; with more than one thread, as each file is to have an object of its own.
let simulated: [SwiftSetting] = strict + (Context.environment["MSDK_FAST_TESTS"] == nil ? [] : [.unsafeFlags(["-O", "-whole-module-optimization", "-num-threads", "2"])])
// Before the toolchain's own archives, so that the linker takes these.
let trimmed: [LinkerSetting] =
  runtime.map { folder in
    [
      .unsafeFlags(["Core", "Glibc", "Synchronization"].map { "\(folder)/libswift\($0).a" }),
      .unsafeFlags(["\(folder)/scalar_names.o", "-Xlinker", "--wrap=_swift_stdlib_getScalarName", "\(folder)/thread_number.o"]),
    ]
  } ?? []
// A program exports nothing, so that the linker drops what it does not use.
let alone = trimmed + [.unsafeFlags(["-use-ld=lld", "-Xlinker", "--gc-sections", "-Xlinker", "--no-export-dynamic"])]

let package = Package(
  name: "mediasdk",
  products: [
    // The C library. Static Swift runtime, so that a host program needs none; the map lists every name that is exported.
    .library(name: "mediasdk", type: .dynamic, targets: ["MediaSDKABI"]),
    .library(name: "MediaSDK", targets: ["MediaSDK"]),
    .executable(name: "msdk", targets: ["msdk"]),
    .executable(name: "msdk-plugin-host", targets: ["msdk-plugin-host"]),
    // For the tests of plugins, which run under a host in C with the library's proxies between; never installed.
    .library(name: "msdk-isolating", type: .dynamic, targets: ["Isolating"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
  ],
  targets: [
    // Targets for their headers alone: of a system library the build notices no change (headers.c).
    .target(name: "CMediaSDK", path: "Include", exclude: ["CHANGES.md", "mediasdk.map"], sources: ["headers.c"], publicHeadersPath: "."),
    .target(name: "CLinux", path: "Sources/CLinux", sources: ["headers.c"], publicHeadersPath: "."),
    .systemLibrary(name: "CVPX", path: "Sources/CVPX", pkgConfig: "vpx", providers: [.apt(["libvpx-dev"])]),
    .systemLibrary(name: "CYUV", path: "Sources/CYUV", providers: [.apt(["libyuv-dev"])]),
    .systemLibrary(name: "COpus", path: "Sources/COpus", pkgConfig: "opus", providers: [.apt(["libopus-dev"])]),
    .systemLibrary(name: "CFFI", path: "Sources/CFFI", pkgConfig: "libffi", providers: [.apt(["libffi-dev"])]),
    .systemLibrary(name: "CQREncode", path: "Sources/CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(name: "CZlib", path: "Sources/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "COpenSSL", path: "Sources/COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    // No unsafe flags here and in what MediaSDK is made of: a package that depends on a version of this one could not be built.
    .target(
      name: "CPixels",
      cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra"), .enableWarning("pedantic")]),
    .target(
      name: "CResampler",
      cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra"), .enableWarning("pedantic")]),
    // SCTP. The archive, so that the embedding program needs no library more; its clock, timers and random bytes are replaced here.
    .target(
      name: "CUSRSCTP",
      cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra"), .enableWarning("pedantic")],
      linkerSettings: [.linkedLibrary(":libusrsctp.a")]),
    .target(name: "MediaCore", dependencies: ["CMediaSDK", "CLinux"], swiftSettings: simulated),
    .target(name: "MediaCodecs", dependencies: ["CMediaSDK", "MediaCore", "CPixels", "CVPX", "CYUV", "COpus", "CResampler"], swiftSettings: strict),
    .target(name: "MediaRuntime", dependencies: ["MediaCore", "CLinux"], swiftSettings: simulated),
    .target(name: "MediaRTP", dependencies: ["MediaCore"], swiftSettings: simulated),
    .target(name: "MediaSDP", dependencies: ["MediaCore", "MediaRTP"], swiftSettings: simulated),
    .target(name: "MediaSRTP", dependencies: ["MediaCore", "MediaRTP", "COpenSSL"], swiftSettings: simulated),
    .target(name: "MediaEncryption", dependencies: ["CMediaSDK", "MediaCore", "MediaSRTP", "COpenSSL"], swiftSettings: simulated),
    .target(name: "MediaNetwork", dependencies: ["CMediaSDK", "MediaCore", "MediaRuntime", "MediaRTP", "MediaSRTP", "CLinux"], swiftSettings: simulated),
    .target(name: "MediaTLS", dependencies: ["MediaCore", "COpenSSL"], swiftSettings: simulated),
    .target(name: "MediaSCTP", dependencies: ["MediaCore", "CUSRSCTP"], swiftSettings: simulated),
    .target(name: "MediaICE", dependencies: ["MediaCore", "MediaSDP", "COpenSSL"], swiftSettings: simulated),
    .target(name: "MediaSignalling", dependencies: ["CMediaSDK", "MediaCore", "MediaSDP", "COpenSSL", "CZlib"], swiftSettings: strict),
    .target(
      name: "MediaWebRTC",
      dependencies: [
        "CMediaSDK", "MediaCore", "MediaRTP", "MediaSDP", "MediaSRTP", "MediaTLS", "MediaSCTP", "MediaICE", "MediaNetwork",
      ],
      swiftSettings: simulated),
    .target(
      name: "MediaTransport",
      dependencies: ["CMediaSDK", "MediaCore", "MediaRuntime", "MediaTLS", "MediaRTP", "MediaSDP", "MediaSRTP", "MediaNetwork", "CLinux"],
      swiftSettings: strict),
    .target(
      name: "MediaWebRTCTransport",
      dependencies: [
        "CMediaSDK", "MediaCore", "MediaRuntime", "MediaRTP", "MediaSDP", "MediaTLS", "MediaSCTP", "MediaICE", "MediaSignalling", "MediaNetwork",
        "MediaWebRTC", "MediaTransport",
      ],
      swiftSettings: strict),
    .target(
      name: "MediaServer",
      dependencies: [
        "CMediaSDK", "MediaCore", "MediaRuntime", "MediaRTP", "MediaSDP", "MediaTLS", "MediaSignalling", "MediaNetwork", "MediaTransport",
        "MediaWebRTCTransport",
      ],
      // In the library as a string (Tests/ABI/check_page.py).
      exclude: ["Page/page.html"], swiftSettings: simulated),
    // Of no product: unit tests have it.
    .target(name: "MediaEmulation", dependencies: ["MediaCore", "MediaRuntime", "MediaNetwork", "MediaTransport"], swiftSettings: simulated),
    .target(name: "MediaPlugins", dependencies: ["CMediaSDK", "MediaCore", "MediaCodecs", "CLinux", "CFFI"], swiftSettings: strict),
    // Plugins in processes of their own: what both sides say, the library's side, and the side of `msdk-plugin-host`, which the library has not.
    .target(
      name: "IsolationProtocol", dependencies: ["CMediaSDK", "MediaCore", "MediaRuntime", "MediaPlugins", "CLinux"], path: "Sources/MediaIsolation/Protocol",
      swiftSettings: strict),
    .target(
      name: "MediaIsolation", dependencies: ["CMediaSDK", "MediaCore", "MediaRuntime", "MediaPlugins", "IsolationProtocol", "CLinux"],
      path: "Sources/MediaIsolation/Host", swiftSettings: strict),
    .target(
      name: "IsolationChild", dependencies: ["CMediaSDK", "MediaCore", "MediaRuntime", "MediaPlugins", "IsolationProtocol", "CLinux"],
      path: "Sources/MediaIsolation/Child", swiftSettings: strict),
    .target(name: "MediaIngest", dependencies: ["CMediaSDK", "MediaCore", "MediaRuntime", "MediaNetwork", "CLinux", "COpenSSL"], swiftSettings: strict),
    .target(
      name: "MediaSDK",
      dependencies: [
        "CMediaSDK", "MediaCore", "MediaRuntime", "MediaCodecs", "MediaTLS", "MediaRTP", "MediaSDP", "MediaNetwork", "MediaTransport",
        "MediaSignalling", "MediaWebRTC", "MediaWebRTCTransport", "MediaServer", "MediaIngest", "MediaPlugins", "MediaIsolation", "MediaEncryption",
        "CLinux",
      ],
      swiftSettings: strict),
    .target(
      name: "MediaSDKABI",
      dependencies: [
        "CMediaSDK", "MediaCore", "MediaCodecs", "MediaPlugins", "MediaIsolation", "MediaSignalling", "MediaTransport", "MediaWebRTC", "MediaSDK",
      ],
      swiftSettings: strict,
      linkerSettings: trimmed + [
        .unsafeFlags([
          "-static-stdlib", "-use-ld=lld", "-no-toolchain-stdlib-rpath", "-Xlinker", "-soname=libmediasdk.so.1",
          "-Xlinker", "--version-script=Include/mediasdk.map", "-Xlinker", "--no-undefined-version", "-Xlinker", "--gc-sections",
          "-Xlinker", "--icf=safe",
        ])
      ]),
    // The host of `msdk plugin check`: it speaks the plugin ABI directly, and knows nothing of the library.
    .target(
      name: "Checker", dependencies: ["CFFI"], cSettings: [.headerSearchPath("."), .headerSearchPath("../../Include"), .unsafeFlags(["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror"])]),
    .executableTarget(
      name: "msdk",
      dependencies: [
        "Checker",
        "CMediaSDK", "MediaSDK", "MediaServer", "MediaIsolation", "IsolationProtocol", "MediaPlugins", "MediaTransport", "MediaSignalling",
        "MediaSDP", "MediaCodecs", "MediaRuntime", "MediaCore", "CLinux", "CQREncode",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      // What `msdk plugin new` writes: bytes in the tool, so that nothing has to be installed beside it.
      resources: [.embedInCode("Templates")],
      swiftSettings: strict, linkerSettings: alone),
    .executableTarget(
      name: "msdk-plugin-host", dependencies: ["IsolationChild", "MediaPlugins"], swiftSettings: strict, linkerSettings: alone),
    .target(
      name: "Isolating", dependencies: ["MediaIsolation", "MediaPlugins", "MediaCore"], path: "Tests/Isolating",
      exclude: ["isolating.map"], swiftSettings: strict,
      linkerSettings: [
        .unsafeFlags([
          "-static-stdlib", "-use-ld=lld", "-no-toolchain-stdlib-rpath", "-Xlinker", "--version-script=Tests/Isolating/isolating.map",
          "-Xlinker", "--no-undefined-version", "-Xlinker", "--gc-sections",
        ])
      ]),
    // Datagrams by the million against the protocol machines; never installed.
    .executableTarget(name: "rtp-fuzz", dependencies: ["MediaRTP", "MediaSRTP", "MediaCore"], path: "Tests/Fuzzing/Datagrams", swiftSettings: strict),
    // What is fuzzed, and a program that runs it on the committed inputs and some like them; of debug builds, which let tests see a room's inside.
    .target(
      name: "FuzzTargets",
      dependencies: [
        "MediaCore", "MediaRuntime", "MediaCodecs", "MediaRTP", "MediaSDP", "MediaSRTP", "MediaEncryption", "MediaTLS", "MediaSCTP", "MediaICE",
        "MediaSignalling", "MediaNetwork", "MediaTransport", "MediaWebRTC", "MediaWebRTCTransport", "MediaServer", "MediaIngest", "MediaPlugins",
        "MediaIsolation", "IsolationProtocol",
      ],
      path: "Tests/Fuzzing/Targets", swiftSettings: strict),
    .executableTarget(name: "msdk-fuzz-replay", dependencies: ["FuzzTargets", "MediaCore"], path: "Tests/Fuzzing/Replay", swiftSettings: strict),
    // Messages of LiveKit there and back, for their comparison with those of others; never installed.
    .executableTarget(name: "livekit-echo", dependencies: ["MediaSignalling", "MediaCore"], path: "Tests/LiveKit/Echo", swiftSettings: strict),
    // What the worst datagrams cost; never installed.
    .executableTarget(name: "rtp-datagrams", dependencies: ["MediaRTP", "MediaCore"], path: "Tests/Bench/Datagrams", swiftSettings: strict),
    // What resampling costs, without the path around it; never installed.
    .executableTarget(name: "resampling-cost", dependencies: ["MediaCodecs"], path: "Tests/Bench/Resampling", swiftSettings: strict),
    .executableTarget(name: "example-send", dependencies: ["MediaSDK"], path: "Examples/Swift", swiftSettings: strict),
    .testTarget(name: "MediaCoreTests", dependencies: ["MediaCore"], swiftSettings: strict),
    .testTarget(name: "MediaRuntimeTests", dependencies: ["MediaRuntime", "MediaNetwork", "CLinux"], swiftSettings: strict),
    .testTarget(name: "MediaCodecsTests", dependencies: ["MediaCodecs"], swiftSettings: strict),
    .testTarget(name: "MediaRTPTests", dependencies: ["MediaRTP"], swiftSettings: strict),
    .testTarget(name: "MediaSDPTests", dependencies: ["MediaSDP"], swiftSettings: strict),
    .testTarget(name: "MediaSRTPTests", dependencies: ["MediaSRTP"], swiftSettings: strict),
    .testTarget(name: "MediaEncryptionTests", dependencies: ["MediaEncryption"], swiftSettings: strict),
    .testTarget(name: "MediaSCTPTests", dependencies: ["MediaSCTP"], swiftSettings: strict),
    .testTarget(name: "MediaICETests", dependencies: ["MediaICE"], swiftSettings: strict),
    .testTarget(name: "MediaSignallingTests", dependencies: ["MediaSignalling"], swiftSettings: strict),
    .testTarget(name: "MediaNetworkTests", dependencies: ["MediaNetwork"], swiftSettings: strict),
    .testTarget(name: "MediaWebRTCTests", dependencies: ["MediaWebRTC"], swiftSettings: strict),
    .testTarget(name: "MediaTLSTests", dependencies: ["MediaTLS"], swiftSettings: strict),
    .testTarget(name: "MediaTransportTests", dependencies: ["MediaTransport", "MediaEmulation"], swiftSettings: strict),
    .testTarget(name: "MediaWebRTCTransportTests", dependencies: ["MediaWebRTCTransport", "MediaSignalling", "MediaEmulation"], swiftSettings: strict),
    .testTarget(
      name: "MediaServerTests", dependencies: ["MediaServer", "MediaWebRTCTransport", "MediaSignalling", "MediaEmulation"], swiftSettings: strict),
    .testTarget(name: "MediaEmulationTests", dependencies: ["MediaEmulation"], swiftSettings: strict),
    .testTarget(name: "MediaPluginsTests", dependencies: ["MediaPlugins"], swiftSettings: strict),
    .testTarget(name: "MediaIsolationTests", dependencies: ["MediaIsolation", "IsolationProtocol", "IsolationChild", "MediaPlugins", "MediaRuntime"], swiftSettings: strict),
    .testTarget(name: "MediaIngestTests", dependencies: ["MediaIngest", "MediaEmulation"], swiftSettings: strict),
    .testTarget(name: "MediaSDKTests", dependencies: ["MediaSDK"], swiftSettings: strict),
  ],
  cLanguageStandard: .c11
)

// Coverage-guided fuzzing (Tests/Fuzzing/build.sh) needs libFuzzer's runtime, which no other build has.
if Context.environment["MSDK_FUZZ"] != nil {
  package.targets.append(.executableTarget(name: "msdk-fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzzing/Guided", swiftSettings: strict))
}
