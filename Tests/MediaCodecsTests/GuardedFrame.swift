import CMediaSDK
import Glibc
import MediaCore
import Testing

/// A frame in which every plane ends at a page that may not be touched, right after its last pixel, and in which all bytes that are no
/// pixels hold a canary. Reading past a plane, which no sanitizer sees in a foreign library, ends the test program; writing between the
/// rows is found by `canariesAreAlive`.
final class GuardedFrame {
  static let canary: UInt8 = 0xA5

  let format: PixelFormat
  let width: Int
  let height: Int
  let color: ColorSpace
  private(set) var planes: [UnsafeMutablePointer<UInt8>] = []
  private(set) var strides: [Int] = []
  private var mappings: [(UnsafeMutableRawPointer, Int)] = []
  private let foreignFormat = UnsafeMutablePointer<msdk_video_format>.allocate(capacity: 1)
  let frame = UnsafeMutablePointer<msdk_video_frame>.allocate(capacity: 1)

  /// `padding` is the distance in bytes from the end of a row's pixels to the next row.
  init(_ format: PixelFormat, _ width: Int, _ height: Int, padding: Int = 0, color: ColorSpace = ColorSpace()) {
    self.format = format
    self.width = width
    self.height = height
    self.color = color
    foreignFormat.initialize(to: VideoFormat(format, width: UInt32(width), height: UInt32(height), color: color).foreign)
    frame.initialize(to: msdk_video_frame())
    frame.pointee.struct_size = UInt32(MemoryLayout<msdk_video_frame>.size)
    frame.pointee.plane_count = UInt32(format.planeCount)
    frame.pointee.format = UnsafePointer(foreignFormat)
    for index in 0..<format.planeCount {
      let stride = format.rowBytes(plane: index, width: width) + padding
      let size = stride * (format.rows(plane: index, height: height) - 1) + stride - padding
      let data = map(size)
      planes.append(data)
      strides.append(stride)
      let plane = msdk_plane(data: data, size: UInt64(size), stride: Int32(stride), reserved0: 0, reserved1: 0)
      switch index {
      case 0: frame.pointee.plane.0 = plane
      case 1: frame.pointee.plane.1 = plane
      default: frame.pointee.plane.2 = plane
      }
    }
  }

  deinit {
    for (start, size) in mappings { munmap(start, size) }
    foreignFormat.deallocate()
    frame.deallocate()
  }

  private func map(_ size: Int) -> UnsafeMutablePointer<UInt8> {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let room = (size + page - 1) / page * page + page
    guard let start = mmap(nil, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), start != MAP_FAILED else {
      Issue.record("mmap of \(room) bytes failed")
      return .allocate(capacity: size)
    }
    mprotect(start + room, page, PROT_NONE)
    memset(start, Int32(Self.canary), room)
    mappings.append((start, room + page))
    return (start + room - size).assumingMemoryBound(to: UInt8.self)
  }

  func rows(_ plane: Int) -> Int { format.rows(plane: plane, height: height) }
  func rowBytes(_ plane: Int) -> Int { format.rowBytes(plane: plane, width: width) }

  subscript(plane: Int, row: Int, byte: Int) -> UInt8 {
    get { planes[plane][row * strides[plane] + byte] }
    set { planes[plane][row * strides[plane] + byte] = newValue }
  }

  func fill(_ value: (_ plane: Int, _ row: Int, _ byte: Int) -> UInt8) {
    for plane in planes.indices {
      let bytes = rowBytes(plane)
      for row in 0..<rows(plane) {
        let start = planes[plane] + row * strides[plane]
        // Not over a range, which takes ten times as long where it is not optimised.
        var byte = 0
        while byte < bytes {
          start[byte] = value(plane, row, byte)
          byte += 1
        }
      }
    }
  }

  func fillRandom(_ random: inout SeededRandom) {
    fill { _, _, _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  /// All pixels of a plane, row after row.
  func pixels(_ plane: Int) -> [UInt8] {
    (0..<rows(plane)).flatMap { row in UnsafeBufferPointer(start: planes[plane] + row * strides[plane], count: rowBytes(plane)) }
  }

  /// Whether the bytes between the rows and in the page before the plane are untouched.
  var canariesAreAlive: Bool {
    for plane in planes.indices {
      for row in 0..<rows(plane) - 1 {
        for byte in rowBytes(plane)..<strides[plane] where self[plane, row, byte] != Self.canary { return false }
      }
      for before in 1...1024 where planes[plane][-before] != Self.canary { return false }
    }
    return true
  }
}
