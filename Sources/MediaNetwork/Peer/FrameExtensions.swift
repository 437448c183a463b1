import CMediaSDK
import MediaCore
import MediaRTP

/// What an encoded frame says beside its bits, as the header extensions of its packets say it.
extension HeaderExtensions.ColorSpace {
  init(_ frame: msdk_encoded_frame) {
    /// 0 is what nobody set.
    func number(_ member: UInt32) -> UInt8 { UInt8(exactly: member).flatMap { $0 == 0 ? nil : $0 } ?? UInt8(MSDK_COLOR_UNSPECIFIED) }
    self.init(
      primaries: number(frame.color_primaries), transfer: number(frame.color_transfer), matrix: number(frame.color_matrix),
      isFullRange: frame.color_full_range == 1)
  }

  /// As a frame says it.
  func tell(_ frame: inout msdk_encoded_frame) {
    (frame.color_primaries, frame.color_transfer) = (UInt32(primaries), UInt32(transfer))
    (frame.color_matrix, frame.color_full_range) = (knownMatrix, isFullRange ? 1 : 0)
  }

  /// Of a matrix that nothing here converts from, a receiver is told as of none: frames must be readable in every pixel format.
  private var knownMatrix: UInt32 {
    switch Int(matrix) {
    case Int(MSDK_MATRIX_BT709), Int(MSDK_MATRIX_BT470BG), Int(MSDK_MATRIX_SMPTE170M), Int(MSDK_MATRIX_BT2020_NCL): UInt32(matrix)
    default: UInt32(MSDK_COLOR_UNSPECIFIED)
    }
  }
}
