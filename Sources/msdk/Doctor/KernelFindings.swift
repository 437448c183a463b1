import CLinux
import Glibc
import MediaCore

/// What the kernel has of what the library uses where it can, and how much it grants this process.
enum KernelFindings {
  static var all: [Finding] { [kernel, segmentation, coalescing, sealedMemory, receiveBuffer, descriptors] }

  private static let leastDescriptors: UInt = 256
  /// As MediaNetwork asks for.
  private static let wantedBuffer: Int32 = 4 << 20

  private static func withDatagramSocket(_ body: (Int32) -> Finding) -> Finding {
    let socket = msdk_datagram_socket(AF_INET)
    guard socket >= 0 else {
      return .broken("sockets", "no UDP socket: \(String(cString: strerror(errno)))", "allow this process sockets of IPv4")
    }
    defer { close(socket) }
    return body(socket)
  }

  private static var kernel: Finding {
    var names = utsname()
    guard uname(&names) == 0 else { return .unknown("kernel", "uname failed", "none") }
    func text<Characters>(_ characters: Characters) -> String {
      withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    return .ok("kernel", "\(text(names.sysname)) \(text(names.release)), \(text(names.machine))")
  }

  private static var segmentation: Finding {
    withDatagramSocket { socket in
      msdk_datagrams_can_segment(socket) != 0
        ? .ok("udp_segmentation", "UDP_SEGMENT (GSO): many packets are sent in one call")
        : .absent("udp_segmentation", "the kernel has no UDP_SEGMENT (GSO): sending takes more processor time", "Linux 4.18 or later")
    }
  }

  private static var coalescing: Finding {
    withDatagramSocket { socket in
      var yes: Int32 = 1
      return setsockopt(socket, Int32(SOL_UDP), Int32(UDP_GRO), &yes, socklen_t(MemoryLayout<Int32>.size)) == 0
        ? .ok("udp_coalescing", "UDP_GRO: many packets are received in one call")
        : .absent("udp_coalescing", "the kernel has no UDP_GRO: receiving takes more processor time", "Linux 5.0 or later")
    }
  }

  private static var sealedMemory: Finding {
    let memory = msdk_memfd("msdk-doctor", 4096)
    guard memory >= 0 else {
      return .broken(
        "sealed_memory",
        "memfd_create with seals failed: \(String(cString: strerror(errno))); isolated plugins and feeders cannot share frames",
        "allow memfd_create and F_ADD_SEALS (seccomp profile of the container)")
    }
    close(memory)
    return .ok("sealed_memory", "memfd_create with seals: frames are shared with other processes")
  }

  private static var receiveBuffer: Finding {
    withDatagramSocket { socket in
      var size = wantedBuffer
      setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
      var granted: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(socket, SOL_SOCKET, SO_RCVBUF, &granted, &length)
      // The kernel doubles it, for what it needs itself.
      let text = "\(granted / 2048) KiB of the \(wantedBuffer / 1024) KiB that are asked for"
      return granted / 2 >= wantedBuffer
        ? .ok("receive_buffer", text)
        : .absent(
          "receive_buffer", "\(text): packets are lost if large frames arrive on a busy machine",
          "sysctl -w net.core.rmem_max=\(wantedBuffer)")
    }
  }

  private static var descriptors: Finding {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return .unknown("descriptors", "getrlimit failed", "none")
    }
    let text = "\(limit.rlim_cur) files and sockets may be open (up to \(limit.rlim_max) if the program asks)"
    return limit.rlim_cur >= leastDescriptors
      ? .ok("descriptors", text)
      : .broken("descriptors", "\(text); a call with plugins needs \(leastDescriptors)", "ulimit -n 1024")
  }
}
