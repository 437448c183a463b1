import CMediaSDK

/// The metadata of a video frame as it follows the encoded data on a network: LiveKit's packet trailer. Elements of a tag, a length and a value,
/// each byte inverted so that no start code of H.264 comes about; the length of all, inverted, too; "LKTS". What is read is of a stranger.
public enum FrameTrailer {
  /// Bytes of a trailer: its length is one byte.
  public static let most = 255

  private enum Tag {
    static let timestamp: UInt8 = 1
    static let frameID: UInt8 = 2
    static let userData: UInt8 = 3
  }

  private static let magic: [UInt8] = [0x4C, 0x4B, 0x54, 0x53]
  /// The length and the magic.
  private static let envelope = 5
  /// Tag and length.
  private static let head = 2

  /// Bytes of user data that there is room for beside the rest.
  public static func room(beside metadata: msdk_frame_metadata) -> Int { most - fixed(metadata) - head }

  /// All but the user data.
  private static func fixed(_ metadata: msdk_frame_metadata) -> Int {
    envelope + (metadata.user_timestamp_us != 0 ? head + 8 : 0) + (metadata.frame_id != 0 ? head + 4 : 0)
  }

  /// Writes it into memory of `most` bytes, and returns its size: 0 where there is no metadata. User data that there is no room for is left out.
  public static func write(_ metadata: msdk_frame_metadata, to memory: UnsafeMutableRawBufferPointer) -> Int {
    var count = 0
    func put(_ byte: UInt8) {
      memory[count] = byte
      count += 1
    }
    func element(_ tag: UInt8, _ bytes: UnsafeRawBufferPointer) {
      put(~tag)
      put(~UInt8(bytes.count))
      for byte in bytes { put(~byte) }
    }
    if metadata.user_timestamp_us != 0 { withUnsafeBytes(of: metadata.user_timestamp_us.bigEndian) { element(Tag.timestamp, $0) } }
    if metadata.frame_id != 0 { withUnsafeBytes(of: metadata.frame_id.bigEndian) { element(Tag.frameID, $0) } }
    let size = Int(metadata.user_data_size)
    if size > 0, size <= room(beside: metadata) {
      withUnsafeBytes(of: metadata.user_data) { element(Tag.userData, UnsafeRawBufferPointer(rebasing: $0.prefix(size))) }
    }
    guard count > 0 else { return 0 }
    put(~UInt8(count + envelope))
    for byte in magic { put(byte) }
    return count
  }

  /// The size of the trailer at the end of a frame, of which something is left without it; 0: there is none, or none with an element that is known.
  public static func size(atEndOf frame: UnsafeRawBufferPointer) -> Int {
    guard frame.count > envelope, frame.suffix(magic.count).elementsEqual(magic) else { return 0 }
    let size = Int(~frame[frame.count - envelope])
    guard size > envelope, size < frame.count else { return 0 }
    var isKnown = false
    forEachElement(of: UnsafeRawBufferPointer(rebasing: frame.suffix(size))) { tag, value in
      switch (tag, value.count) {
      case (Tag.timestamp, 8), (Tag.frameID, 4), (Tag.userData, _): isKnown = true
      default: break
      }
    }
    return isKnown ? size : 0
  }

  /// What such a trailer says. Of elements that come twice the last one counts; those that are not known are skipped.
  public static func read(_ trailer: UnsafeRawBufferPointer) -> msdk_frame_metadata {
    var metadata = msdk_frame_metadata()
    forEachElement(of: trailer) { tag, value in
      switch (tag, value.count) {
      case (Tag.timestamp, 8): metadata.user_timestamp_us = value.reduce(0) { $0 << 8 | UInt64(~$1) }
      case (Tag.frameID, 4): metadata.frame_id = value.reduce(0) { $0 << 8 | UInt32(~$1) }
      case (Tag.userData, ...Int(MSDK_FRAME_USER_DATA_MAX)):
        metadata.user_data_size = UInt32(value.count)
        withUnsafeMutableBytes(of: &metadata.user_data) { data in
          // Nothing is left of a longer one before it.
          for index in data.indices { data[index] = index < value.count ? ~value[index] : 0 }
        }
      default: break
      }
    }
    return metadata
  }

  /// Up to one that is cut off.
  private static func forEachElement(of trailer: UnsafeRawBufferPointer, _ body: (UInt8, UnsafeRawBufferPointer) -> Void) {
    let end = trailer.count - envelope
    var place = 0
    while place + head <= end {
      let (tag, count) = (~trailer[place], Int(~trailer[place + 1]))
      place += head
      guard count <= end - place else { return }
      body(tag, UnsafeRawBufferPointer(rebasing: trailer[place..<place + count]))
      place += count
    }
  }
}
