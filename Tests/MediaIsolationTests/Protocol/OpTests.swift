import Testing

@testable import IsolationProtocol

@Suite struct OpTests {
  private let all = (0...UInt32(0xFFF)).compactMap { Op(rawValue: $0) }

  @Test func numbersHaveTheirKind() {
    #expect(Op.command.kind == .instance && Op.requestKeyFrame.kind == .videoProducer && Op.renderInput.kind == .videoRenderer)
    #expect(Op.flushFilter.kind == .videoFilter && Op.setVideoBytes.kind == .videoEncoder && Op.decodeVideo.kind == .videoDecoder)
    #expect(Op.produceAudio.kind == .audioProducer && Op.renderPacket.kind == .audioRenderer && Op.filterAudio.kind == .audioFilter)
    #expect(Op.encodeAudio.kind == .audioEncoder && Op.recoverAudio.kind == .audioDecoder)
    // None is beyond the kinds that there are.
    #expect(all.filter { Op.Kind(rawValue: $0.rawValue >> 8) == nil }.isEmpty)
  }

  /// What brings an instance up is undone by something, and nothing else is.
  @Test func whatIsMadeAgainIsUndone() {
    let undone = Set(all.flatMap(\.undone)).union([.updateInput])
    #expect(undone == Set(Op.restored))
    #expect(Set(Op.restored).count == Op.restored.count)
  }

  /// On any thread: what brings memory along is not, and neither is what frames go through.
  @Test func callsForAnyThread() {
    let anyThread: [Op] = [
      .destroy, .setParam, .part, .rest, .command, .stopCapture, .setFormat, .flush, .removeInput, .stopAudioCapture, .renderSettings
    ]
    let others: [Op] = [
      .create, .load, .inputPool, .parseVideo, .produceFrame, .requestKeyFrame, .renderFrame, .snapshot, .renderEncoded, .renderInput,
      .produceAudio, .renderAudio, .renderPacket, .filterFrame, .setFilterFormat, .filterAudio, .encodeVideo, .setVideoRate, .decodeAudio
    ]
    #expect(anyThread.filter { !$0.isForAnyThread }.isEmpty)
    #expect(others.filter { $0.isForAnyThread }.isEmpty)
  }
}
