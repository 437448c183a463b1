import CMediaSDK
import MediaCore

/// Frames that may end with a trailer of metadata. What is found is inside, and what is read of it can be written again and read as the same.
enum FrameTrailers: FuzzTarget {
  static let name = "frame_trailer"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    guard let frame = try EncodedFrame.make(copying: bytes, attributes: msdk_encoded_frame(), from: BufferPool(limit: 1), deadline: 0)
    else { return }
    defer { frame.release() }
    frame.takeTrailer()
    expect(frame.bytes.count + frame.metadata.count == bytes.count && !frame.bytes.isEmpty, "something was lost")
    expect(frame.bytes.elementsEqual(bytes.prefix(frame.bytes.count)) && frame.metadata.elementsEqual(bytes.suffix(frame.metadata.count)))
    let metadata = FrameTrailer.read(frame.metadata)
    expect(Int(metadata.user_data_size) <= Int(MSDK_FRAME_USER_DATA_MAX))
    withUnsafeTemporaryAllocation(byteCount: FrameTrailer.most, alignment: 1) { memory in
      let written = UnsafeRawBufferPointer(rebasing: memory.prefix(FrameTrailer.write(metadata, to: memory)))
      let again = FrameTrailer.read(written)
      expect(again.frame_id == metadata.frame_id && again.user_timestamp_us == metadata.user_timestamp_us)
      // What comes twice may not fit beside all the rest.
      guard Int(metadata.user_data_size) <= FrameTrailer.room(beside: metadata) else { return }
      expect(again.user_data_size == metadata.user_data_size, "the user data is another")
      let isSame = withUnsafeBytes(of: (metadata.user_data, again.user_data)) { data in
        data.prefix(data.count / 2).elementsEqual(data.suffix(data.count / 2))
      }
      expect(isSame, "the user data is another")
    }
  }
}
