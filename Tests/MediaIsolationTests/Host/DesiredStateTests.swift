import MediaPlugins
import Testing

@testable import IsolationProtocol
@testable import MediaIsolation

@Suite struct DesiredStateTests {
  private func state(_ ops: Op...) -> DesiredState {
    var state = DesiredState()
    for op in ops { state[op] = [UInt8(truncatingIfNeeded: op.rawValue)] }
    return state
  }

  @Test func callsAreMadeAgainInTheirOrder() {
    let state = state(.startCapture, .setFormat, .initRender, .initCapture)
    #expect(state.restoring.map(\.op) == [.initRender, .initCapture, .setFormat, .startCapture])
    #expect(state.restoring.map(\.payload) == [[0x00], [0x00], [0x06], [0x02]])
  }

  @Test func whatTakesTheInstanceDownIsNotFollowedByWhatItUndid() {
    var state = state(.initCapture, .setFormat, .startCapture, .initRender, .initAudioCapture, .startAudioCapture)
    state.undo(.stopCapture)
    #expect(state.restoring.map(\.op) == [.initRender, .initCapture, .setFormat, .initAudioCapture, .startAudioCapture])
    state.undo(.releaseCapture)
    #expect(state.restoring.map(\.op) == [.initRender, .initAudioCapture, .startAudioCapture])
    state.undo(.flush)
    #expect(state.restoring.count == 3)
  }

  /// An encoder that is opened once more has no bound of before.
  @Test func openingAnewForgetsTheBound() {
    var state = state(.openVideoEncoder, .setVideoBytes)
    state.undo(.openVideoEncoder)
    #expect(state.restoring.isEmpty)
  }

  @Test func inputsAreKnownByTheirNumbers() {
    var state = DesiredState()
    for number in [3, 1, 2] as [UInt32] { state[.updateInput, number] = [UInt8(number)] }
    state[.updateInput, 1] = [11]
    state[.updateInput, 2] = nil
    #expect(state.restoring.map(\.payload) == [[11], [3]])
    state.undo(.releaseRender)
    #expect(state.restoring.isEmpty)
  }

  @Test func aRateIsAPartOfWhatOpensTheEncoder() {
    var state = DesiredState()
    state.amend(.openVideoEncoder) { (rate: inout UInt32) in rate = 7 }
    #expect(state.restoring.isEmpty)
    state[.openVideoEncoder] = WireWriter.bytes(of: UInt32(5))
    state.amend(.openVideoEncoder) { (rate: inout UInt32) in rate += 2 }
    #expect(state[.openVideoEncoder] == WireWriter.bytes(of: UInt32(7)))
    // Of another size: not that.
    state.amend(.openVideoEncoder) { (rate: inout UInt64) in rate = 0 }
    #expect(state[.openVideoEncoder] == WireWriter.bytes(of: UInt32(7)))
  }

  @Test func parametersAreSetInTheirOrder() {
    var state = DesiredState()
    for (name, value) in [("a", 1), ("b", 2), ("a", 3)] as [(String, Int32)] { state.set(name, .i32(value)) }
    #expect(state.parameters.map(\.name) == ["b", "a"])
    #expect(state.parameters.map(\.value) == [.i32(2), .i32(3)])
  }
}
