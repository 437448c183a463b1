import CLinux
import Glibc
import MediaCore

/// Common memory of a feeder's, mapped for reading. It is unmapped when the connection and the last frame in it have let go.
final class IngestSharedMemory: @unchecked Sendable {
  private let memory: UnsafeMutableRawPointer
  private let size: Int
  private let id: UInt32
  private let connection: UInt64
  private let mailbox: IngestMailbox

  /// The descriptor stays the caller's. Memory that could be made smaller would end this process when it is read.
  init(_ descriptor: Int32, id: UInt32, size: UInt64, connection: UInt64, mailbox: IngestMailbox) throws(IngestRefusal) {
    let seals = msdk_seals(descriptor)
    let needed = Int32(MSDK_SEAL_SHRINK) | Int32(MSDK_SEAL_GROW)
    guard seals >= 0 else { throw IngestRefusal(.slot, "the descriptor of slot \(id) is not a memfd") }
    guard seals & needed == needed else {
      throw IngestRefusal(.slot, "the memfd of slot \(id) has the seals \(seals); accepted: with F_SEAL_SHRINK and F_SEAL_GROW")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size >= 0, UInt64(status.st_size) >= size else {
      throw IngestRefusal(.slot, "the memfd of slot \(id) has \(status.st_size) bytes; SLOT declares \(size)")
    }
    guard let memory = mmap(nil, Int(size), PROT_READ, MAP_SHARED, descriptor, 0), memory != MAP_FAILED else {
      throw IngestRefusal(.slot, "slot \(id) cannot be mapped: errno \(errno)")
    }
    self.memory = memory
    self.size = Int(size)
    self.id = id
    self.connection = connection
    self.mailbox = mailbox
  }

  deinit {
    munmap(memory, size)
  }

  /// The picture in the slot, without a copy, with a reference for the caller. When the last one goes, the feeder is told.
  func frame(_ header: IngestFrame) throws(MediaError) -> VideoFrame {
    let opaque = Unmanaged.passRetained(self).toOpaque()
    do throws(MediaError) {
      return try VideoFrame.wrap(header.format, strides: header.strides, at: memory, opaque: opaque) { opaque in
        guard let opaque else { return }
        let slot = Unmanaged<IngestSharedMemory>.fromOpaque(opaque).takeRetainedValue()
        slot.mailbox.released(slot.id, of: slot.connection)
      }
    } catch {
      Unmanaged<IngestSharedMemory>.fromOpaque(opaque).release()
      throw error
    }
  }
}
