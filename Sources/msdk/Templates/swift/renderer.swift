// @NAME@.swift - a renderer: it writes the last frame that it rendered into a PGM file, which every image viewer opens.
//
// The contract is mediasdk/plugin.h. The P numbers below are the rules at its top; `make check` tests them.
// Plugin.swift has the tables, which name the functions of this class.
import CMediaSDKPlugin
import Glibc

final class Renderer {
  let host: UnsafePointer<msdk_host>  // what the host does for us
  let context: OpaquePointer  // the first argument of its functions
  var path = "@NAME@.pgm"
  var image: [UInt8] = []  // a copy of the last one, without padding
  var (width, height) = (0, 0)

  // P1: opens nothing, starts nothing.
  init(_ host: UnsafePointer<msdk_host>, _ context: OpaquePointer) {
    self.host = host
    self.context = context
  }

  func fail(_ result: Int, _ text: String) -> msdk_result {
    text.withCString { host.pointee.set_error(context, msdk_result(result), $0) }
    return msdk_result(result)
  }

  // Type and bounds were checked by the host; the text is its own, and is copied.
  func setParameter(_ name: String, _ value: msdk_value) -> msdk_result {
    guard name == "path", let text = value.u.str else { return fail(Int(MSDK_E_NOT_FOUND), "accepted: path") }
    path = text.pointee == 0 ? "@NAME@.pgm" : String(cString: text)
    return msdk_result(MSDK_OK)
  }

  // What was written is complete when this returns.
  func release() -> msdk_result {
    defer { image = [] }
    return image.isEmpty || write() ? msdk_result(MSDK_OK) : fail(Int(MSDK_E_IO), "the image could not be written to path")
  }

  private func write() -> Bool {
    guard let file = fopen(path, "we") else { return false }
    let head = "P5\n\(width) \(height)\n255\n"
    let isWritten = fputs(head, file) >= 0 && fwrite(image, 1, image.count, file) == image.count
    return fclose(file) == 0 && isWritten
  }

  // P3: the frame is read-only, and its rows are `stride` bytes apart. P4: it is borrowed, so what we keep is a copy.
  func render(_ plane: msdk_plane, _ format: msdk_video_format) -> msdk_result {
    (width, height) = (Int(format.width), Int(format.height))
    image.removeAll(keepingCapacity: true)
    for y in 0..<height { image.append(contentsOf: UnsafeBufferPointer(start: plane.data + y * Int(plane.stride), count: width)) }
    return msdk_result(MSDK_OK)
  }
}
