import CVPX
import MediaCore

/// A shared screen's frames where they have to leave within a time (`setLongestFrame`). One that would not is encoded again, as a key frame
/// that is as coarse as it must be, and becomes sharp row by row with the frames after it; of a picture that stands these are its
/// repetitions. What does not fit at the coarsest quantizer either has blurred colours until all of it can be read: text is read by its
/// luma, and the colours of small letters take a fifth of what it does, and nearly all of what is blurred.
extension VP8Encoder {
  /// What a frame that follows a coarse one may have of the longest: whatever comes next does not wait for it long.
  private static let part = 4
  private static let finest: UInt32 = 40
  private static let coarser: [UInt32] = [48, 56]
  private static let coarsest: UInt32 = 63
  /// Ahead of its time a part may go by that much, in microseconds, which the next one makes good.
  private static let early: Int64 = 200_000
  /// Of the room that is left, as not all rows are as full as the others.
  private static let filled = 0.9
  /// The sides of squares of one value, in what cannot be read: of luma as large as a letter, of chroma as many of them.
  private static let (lumaSide, chromaSide) = (8, 16)

  func encodeScreen(_ picture: Picture, _ span: VP8EncoderClock.Span, _ forceKeyFrame: Bool) throws(MediaError) -> EncodedPacket? {
    guard var screen else { return nil }
    defer { self.screen = screen }
    let packet = try encode(picture, span, forceKeyFrame, &screen)
    if let packet { leavesAt = max(leavesAt, span.start) + Int64(packet.data.count) * 8000 / Int64(max(1, config.rc_target_bitrate)) }
    return packet
  }

  private func encode(
    _ picture: Picture, _ span: VP8EncoderClock.Span, _ forceKeyFrame: Bool, _ screen: inout RowRefinement
  ) throws(MediaError) -> EncodedPacket? {
    let longest = longestFrame ?? .max
    if screen.isCoarse, !forceKeyFrame {
      let hashes = picture.rowHashes
      if var part = screen.next(hashes, room: longest / VP8Encoder.part) {
        // At a quantizer that is not the rate control's own it does not keep to the rate either.
        guard longestFrame == nil || span.start + VP8Encoder.early >= leavesAt else { return nil }
        let wanted = part.level == .sharp ? VP8Encoder.finest : VP8Encoder.coarsest
        try setQuantizer(wanted)
        try setActive(part.rows, columns: (picture.width + 15) / 16)
        let packet = try encodeOnce(part.level == .sharp ? picture : blurred(picture, from: screen.rows), span, false)
        try setActive(nil, columns: 0)
        // It becomes finer by a few steps a frame only.
        if lastQuantizer.map({ $0 > wanted }) ?? true { part.level = .coarse }
        if let packet { screen.sent(part, hashes, bytes: packet.data.count) }
        return packet
      }
    }
    try setQuantizer(nil)
    guard let packet = try encodeOnce(picture, span, forceKeyFrame) else { return nil }
    if packet.data.count <= longest {
      if screen.isCoarse { screen.sentWhole() }
      return packet
    }
    let hashes = picture.rowHashes
    // Finer than it was shown before, and never to be begun anew.
    if !packet.isKeyFrame, screen.shows(hashes) { return packet }
    screen.measured(.sharp, bytes: packet.data.count)
    return try encodeCoarsely(picture, span, longest, hashes, &screen)
  }

  /// A key frame, as nothing may build on one that does not leave. Five tries at most, the last of which is sent whatever its size: there
  /// is none coarser.
  private func encodeCoarsely(
    _ picture: Picture, _ span: VP8EncoderClock.Span, _ longest: Int, _ hashes: [UInt64], _ screen: inout RowRefinement
  ) throws(MediaError) -> EncodedPacket? {
    func size(_ picture: Picture, _ quantizer: UInt32) throws(MediaError) -> Int {
      try setQuantizer(quantizer)
      return try encodeOnce(picture, span, true)?.data.count ?? .max
    }
    var (quantizer, readable) = (VP8Encoder.coarsest, screen.rows)
    let isColoured = try size(picture, quantizer) <= longest
    if isColoured {
      for finer in VP8Encoder.coarser where quantizer == VP8Encoder.coarsest {
        if try size(picture, finer) <= longest { quantizer = finer }
      }
    } else {
      let whole = try size(blurred(picture, from: screen.rows), quantizer)
      screen.measured(.coarse, bytes: whole)
      if whole > longest {
        let flat = try size(blurred(picture, from: 0), quantizer)
        let room = Double(longest - min(longest, flat)) / Double(max(1, whole - min(whole - 1, flat)))
        readable = Int(VP8Encoder.filled * min(1, room) * Double(screen.rows))
      }
    }
    // The rate control is not to answer for what was not sent.
    try setQuantizer(quantizer)
    try restart()
    var packet = try encodeOnce(isColoured ? picture : blurred(picture, from: readable), span, true)
    if let first = packet, first.data.count > longest, readable > 0 {
      readable /= 2
      packet = try encodeOnce(blurred(picture, from: readable), span, true)
    }
    if packet != nil { screen.sentCoarsely(hashes, readable: readable) }
    return packet
  }

  /// One for all that is encoded, whatever the rate control would have, or nil for its own choice.
  private func setQuantizer(_ quantizer: UInt32?) throws(MediaError) {
    let range = quantizer.map { ($0, $0) } ?? plainQuantizers
    guard (config.rc_min_quantizer, config.rc_max_quantizer) != range else { return }
    (config.rc_min_quantizer, config.rc_max_quantizer) = range
    config.rc_dropframe_thresh = quantizer == nil ? settings.dropThreshold : 0
    let status = vpx_codec_enc_config_set(context, &config)
    guard status == VPX_CODEC_OK else { throw vpxError("setting the VP8 encoder's quantizers to \(range)", status, context) }
  }

  /// Rows of which something is coded; nil: all.
  private func setActive(_ rows: [Bool]?, columns: Int) throws(MediaError) {
    var map = (rows ?? []).flatMap { [UInt8](repeating: $0 ? 1 : 0, count: columns) }
    let size = (UInt32((Int(config.g_h) + 15) / 16), UInt32((Int(config.g_w) + 15) / 16))
    let status = rows == nil ? cvpx_set_active(context, nil, size.0, size.1) : cvpx_set_active(context, &map, size.0, size.1)
    guard status == VPX_CODEC_OK else { throw vpxError("choosing the rows that the VP8 encoder codes", status, context) }
  }

  /// A copy with blurred colours, in which nothing can be read from that row of macroblocks on.
  private func blurred(_ picture: Picture, from row: Int) throws(MediaError) -> Picture {
    let copy = blurred ?? I420Copy(width: picture.width, height: picture.height, color: picture.color)
    blurred = copy
    try PixelConversion.convert(picture, into: copy.picture, scratch: copy.scratch)
    let made = copy.picture
    blur(made.plane0, Int(made.stride0), made.width, 16 * row..<max(16 * row, made.height), VP8Encoder.lumaSide)
    blur(made.plane1, Int(made.stride1), made.chromaWidth, 0..<made.chromaHeight, VP8Encoder.chromaSide)
    blur(made.plane2, Int(made.stride2), made.chromaWidth, 0..<made.chromaHeight, VP8Encoder.chromaSide)
    return made
  }
}

/// Gives each square its mean.
private func blur(_ plane: UnsafeMutablePointer<UInt8>, _ stride: Int, _ width: Int, _ lines: Range<Int>, _ side: Int) {
  for top in Swift.stride(from: lines.lowerBound, to: lines.upperBound, by: side) {
    for left in Swift.stride(from: 0, to: width, by: side) {
      let (bottom, right) = (min(top + side, lines.upperBound), min(left + side, width))
      var sum = 0
      for y in top..<bottom { for x in left..<right { sum += Int(plane[y * stride + x]) } }
      let mean = UInt8(sum / ((bottom - top) * (right - left)))
      for y in top..<bottom { for x in left..<right { plane[y * stride + x] = mean } }
    }
  }
}

extension Picture {
  /// Of NV12 and I420, a number for each row of macroblocks, by which it is known when it changes.
  fileprivate var rowHashes: [UInt64] {
    let chroma = format == .nv12 ? 2 * chromaWidth : chromaWidth
    return (0..<(height + 15) / 16).map { row in
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      mix(&hash, plane0, Int(stride0), width, row * 16..<min(row * 16 + 16, height))
      let lines = row * 8..<min(row * 8 + 8, chromaHeight)
      mix(&hash, plane1, Int(stride1), chroma, lines)
      if format == .i420 { mix(&hash, plane2, Int(stride2), chroma, lines) }
      return hash
    }
  }

  /// Eight bytes at a time (FNV-1a's multiplication, and a shift so that the high bits come down).
  private func mix(_ hash: inout UInt64, _ plane: UnsafeMutablePointer<UInt8>, _ stride: Int, _ width: Int, _ lines: Range<Int>) {
    for line in lines {
      let row = UnsafeRawPointer(plane + line * stride)
      var x = 0
      while x + 8 <= width {
        hash = (hash ^ row.loadUnaligned(fromByteOffset: x, as: UInt64.self)) &* 0x100_0000_01B3
        hash ^= hash >> 29
        x += 8
      }
      while x < width {
        hash = (hash ^ UInt64(row.load(fromByteOffset: x, as: UInt8.self))) &* 0x100_0000_01B3
        x += 1
      }
    }
  }
}
