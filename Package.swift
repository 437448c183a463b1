// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

let package = Package(
  name: "mediasdk",
  products: [
    // The C library. Static Swift runtime, so that a host program needs none; the map lists every name that is exported.
    .library(name: "mediasdk", type: .dynamic, targets: ["MediaSDKABI"]),
    .library(name: "MediaSDK", targets: ["MediaSDK"]),
    .executable(name: "msdk", targets: ["msdk"]),
    .executable(name: "msdk-plugin-host", targets: ["msdk-plugin-host"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
  ],
  targets: [
    .systemLibrary(name: "CMediaSDK", path: "Include"),
    .systemLibrary(name: "CLinux", path: "Sources/CLinux"),
    .systemLibrary(name: "CVPX", path: "Sources/CVPX", pkgConfig: "vpx", providers: [.apt(["libvpx-dev"])]),
    .systemLibrary(name: "CYUV", path: "Sources/CYUV", providers: [.apt(["libyuv-dev"])]),
    .systemLibrary(name: "COpus", path: "Sources/COpus", pkgConfig: "opus", providers: [.apt(["libopus-dev"])]),
    .systemLibrary(
      name: "CResampler", path: "Sources/CResampler", pkgConfig: "samplerate", providers: [.apt(["libsamplerate0-dev"])]),
    .systemLibrary(name: "CFFI", path: "Sources/CFFI", pkgConfig: "libffi", providers: [.apt(["libffi-dev"])]),
    .target(name: "MediaCore", dependencies: ["CMediaSDK"], swiftSettings: strict),
    .target(name: "MediaCodecs", dependencies: ["MediaCore", "CVPX", "CYUV", "COpus", "CResampler"], swiftSettings: strict),
    .target(name: "MediaTransport", dependencies: ["MediaCore", "CLinux"], swiftSettings: strict),
    .target(name: "MediaPlugins", dependencies: ["MediaCore", "MediaCodecs", "CLinux", "CFFI"], swiftSettings: strict),
    .target(name: "MediaIsolation", dependencies: ["MediaCore", "MediaPlugins", "CLinux"], swiftSettings: strict),
    .target(name: "MediaIngest", dependencies: ["MediaCore", "MediaTransport", "CLinux"], swiftSettings: strict),
    .target(name: "MediaSDK", dependencies: ["MediaCore", "MediaCodecs", "MediaTransport", "MediaIngest", "MediaPlugins", "MediaIsolation", "CLinux"], swiftSettings: strict),
    .target(
      name: "MediaSDKABI", dependencies: ["MediaSDK"], swiftSettings: strict,
      linkerSettings: [
        .unsafeFlags([
          "-static-stdlib", "-use-ld=lld", "-no-toolchain-stdlib-rpath", "-Xlinker", "-soname=libmediasdk.so.0",
          "-Xlinker", "--version-script=Include/mediasdk.map", "-Xlinker", "--no-undefined-version", "-Xlinker", "--gc-sections",
        ])
      ]),
    // The host of `msdk plugin check`: it speaks the plugin ABI directly, and knows nothing of the library.
    .target(
      name: "Checker", cSettings: [.headerSearchPath("../../Include"), .unsafeFlags(["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror"])]),
    .executableTarget(
      name: "msdk",
      dependencies: [
        "Checker",
        "MediaSDK", "MediaPlugins", "MediaTransport", "MediaCodecs", "MediaCore",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .executableTarget(name: "msdk-plugin-host", dependencies: ["MediaIsolation", "MediaPlugins", "MediaCore"], swiftSettings: strict),
    .testTarget(name: "MediaCoreTests", dependencies: ["MediaCore"], swiftSettings: strict),
    .testTarget(name: "MediaCodecsTests", dependencies: ["MediaCodecs"], swiftSettings: strict),
    .testTarget(name: "MediaTransportTests", dependencies: ["MediaTransport"], swiftSettings: strict),
    .testTarget(name: "MediaPluginsTests", dependencies: ["MediaPlugins"], swiftSettings: strict),
    .testTarget(name: "MediaIsolationTests", dependencies: ["MediaIsolation"], swiftSettings: strict),
    .testTarget(name: "MediaIngestTests", dependencies: ["MediaIngest"], swiftSettings: strict),
    .testTarget(name: "MediaSDKTests", dependencies: ["MediaSDK"], swiftSettings: strict),
  ]
)
