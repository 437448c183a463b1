import MediaCore
import Testing

@testable import MediaICE

@Suite struct TURNStreamTests {
  private func messages(_ stream: MessageStream, _ bytes: [UInt8], pieces: Int) -> [[UInt8]] {
    var (found, rest): ([[UInt8]], ArraySlice<UInt8>) = ([], bytes[...])
    while !rest.isEmpty {
      _ = Array(rest.prefix(pieces)).withUnsafeBytes { stream.append($0) }
      rest = rest.dropFirst(pieces)
      while let message = stream.next() { found.append(message) }
    }
    return found
  }

  @Test(arguments: [1, 2, 3, 5, 7, 64, 10_000]) func messagesAreFoundInPiecesOfAnySize(pieces: Int) {
    let data: [[UInt8]] = (0...5).map { size in [0x40, 7, 0, UInt8(size)] + [UInt8](repeating: 9, count: size) }
    let padded = data.map { $0 + [UInt8](repeating: 0, count: STUNMessage.padded($0.count) - $0.count) }
    let all = Vectors.request + padded.joined() + Vectors.response
    #expect(messages(MessageStream(.turn), all, pieces: pieces) == [Vectors.request] + data + [Vectors.response])
    let framed: [UInt8] = [0, 108] + Vectors.request + [0, 0] + [0, 2, 0x80, 1]
    #expect(messages(MessageStream(.lengths), framed, pieces: pieces) == [Vectors.request, [], [0x80, 1]])
  }

  @Test func whatIsNoMessageBreaksIt() {
    for bytes: [UInt8] in [[0x80, 0, 0, 4], [0x50, 0, 0, 4], [0, 1, 0, 3], [0xFF, 0xFF, 0xFF, 0xFF]] {
      let stream = MessageStream(.turn)
      #expect(messages(stream, bytes + Vectors.request, pieces: 50).isEmpty && stream.isBroken)
    }
  }

  /// Who sends without being read, or pieces that are too large.
  @Test func memoryIsBounded() {
    let stream = MessageStream(.lengths)
    let piece = [UInt8](repeating: 0, count: MessageStream.longestPiece)
    var taken = 0
    for _ in 0..<10 where piece.withUnsafeBytes({ stream.append($0) }) { taken += 1 }
    #expect(taken <= 2 && stream.isBroken)
    let other = MessageStream(.lengths)
    let tooLarge = [UInt8](repeating: 0, count: MessageStream.longestPiece + 1)
    #expect(tooLarge.withUnsafeBytes { !other.append($0) })
  }

  @Test func noDamageTraps() {
    for framing: MessageStream.Framing in [.turn, .lengths] {
      forEachDamage(of: Vectors.request + [0x40, 0, 0, 4, 1, 2, 3, 4]) { damaged in
        #expect(messages(MessageStream(framing), damaged, pieces: 11).joined().count <= damaged.count)
      }
    }
  }
}
