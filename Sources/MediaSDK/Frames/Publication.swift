import CMediaSDK
import MediaCore
import MediaEncryption
import MediaTransport
import Synchronization

/// Where a stream goes while it is started: of one start and one codec. Made when the transport has published the stream.
final class Publication: Sendable {
  let session: Session
  let transport: any Transport
  let id: StreamID
  private let outlet: any MediaOutlet
  /// Of each layer but the best; none where there is one.
  private let smaller: [any MediaOutlet]
  private let over = Atomic<Bool>(false)
  /// nil: frames are sent as they are.
  private let sealing: (sealer: FrameSealer, notifier: EncryptionNotifier)?

  init(_ session: Session, _ transport: any Transport, _ id: StreamID, codec: UInt32, layers: Int = 1) {
    (self.session, self.transport, self.id) = (session, transport, id)
    sealing = session.encryption.sealer(codec).map { sealer in
      (sealer, EncryptionNotifier { state, index in session.encryptionChanged(of: id, state, index: index) })
    }
    outlet = layers == 1 ? transport.outlet(of: id) : transport.outlet(of: id, layer: layers - 1)
    smaller = (0..<layers - 1).map { transport.outlet(of: id, layer: $0) }
  }

  /// The stream was stopped, or has gone over to a codec: it is not sent here any more. Who hands frames over looks at it
  /// without the stream's lock.
  var isOver: Bool { over.load(ordering: .acquiring) }

  /// Under the stream's lock.
  func end() {
    over.store(true, ordering: .releasing)
  }

  func send<Raw: RawFrame>(_ frame: StreamFrame<Raw>, _ number: FrameID) -> SendResult {
    switch frame {
    case .raw(let frame): frame.send(to: outlet, number)
    case .encoded(let frame): send(frame, number, to: outlet)
    }
  }

  func send(_ frame: EncodedFrame, _ number: FrameID, layer: Int) -> SendResult {
    send(frame, number, to: smaller.indices.contains(layer) ? smaller[layer] : outlet)
  }

  private func send(_ frame: EncodedFrame, _ number: FrameID, to outlet: any MediaOutlet) -> SendResult {
    guard let (sealer, notifier) = sealing else { return outlet.send(frame, number) }
    do throws(MediaError) {
      guard let (sealed, index) = try sealer.seal(frame) else {
        notifier.note(.noKey)
        return .noKey
      }
      defer { sealed.release() }
      notifier.note(.active, index: index)
      return outlet.send(sealed, number)
    } catch {
      session.engine.logger.log(MSDK_LOG_WARN.level32, .session, "a frame was not encrypted: \(error.text)")
      return .queueFull
    }
  }
}
