import CQREncode
import MediaCore

/// A text as a QR code (ISO/IEC 18004) for terminals: two modules to a character, in black on white whatever the terminal's own colours are, as
/// cameras look for dark on light.
struct QRCode {
  /// Modules around the code that stay white.
  static let quietZone = 4
  /// The palette's black and white that themes do not change.
  private static let colours = "\u{1B}[38;5;16;48;5;231m"
  private static let plain = "\u{1B}[0m"

  /// Modules in a row; as many rows.
  let width: Int
  private let isDark: [Bool]

  /// Throws `.limit` for a text that no code can have, `.invalid` for an empty one.
  init(_ text: String) throws(MediaError) {
    guard !text.isEmpty else { throw MediaError(.invalid, "a QR code has no text") }
    // The least correction: a screen has no stains, and the code is as small as can be.
    guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else {
      throw MediaError(.limit, "a text of \(text.utf8.count) bytes has no QR code; accepted: at most 2953")
    }
    defer { QRcode_free(code) }
    width = Int(code.pointee.width)
    let modules = UnsafeBufferPointer(start: code.pointee.data, count: width * width)
    isDark = modules.map { $0 & 1 == 1 }
  }

  /// Columns of a terminal that it takes.
  var columns: Int { width + 2 * QRCode.quietZone }

  /// From the top to the bottom, quiet zone included.
  var lines: [String] {
    stride(from: -QRCode.quietZone, to: width + QRCode.quietZone, by: 2).map { row in
      let modules = (-QRCode.quietZone..<width + QRCode.quietZone).map { column in
        switch (dark(row, column), dark(row + 1, column)) {
        case (false, false): " "
        case (true, false): "▀"
        case (false, true): "▄"
        case (true, true): "█"
        }
      }
      return QRCode.colours + modules.joined() + QRCode.plain
    }
  }

  private func dark(_ row: Int, _ column: Int) -> Bool {
    (0..<width).contains(row) && (0..<width).contains(column) && isDark[row * width + column]
  }
}
