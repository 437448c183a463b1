import CMediaSDK
import Glibc
import MediaCore

@testable import IsolationProtocol
@testable import MediaIsolation
@testable import MediaPlugins

/// What a hostile plugin's process answers: the first call over the socket, the others over the page, which holds what the input says,
/// lengths and counters included.
enum IsolationReplies: FuzzTarget {
  static let name = "isolation_replies"

  /// The page as `CallChannel` lays it out; a plugin may write what it likes anywhere in it.
  private enum Place {
    static let answer = 1_024, length = 1_088, bytes = 4_096 + CallChannel.room, size = 4_096 + 2 * CallChannel.room
  }

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    let plugin = try HostilePlugin()
    var page: UnsafeMutableRawPointer?
    defer { if let page { munmap(page, Place.size) } }
    let hasPool = input.byte() & 1 != 0
    if hasPool { close(try plugin.process.makeOutputPool(65_536).1) }
    var number: UInt32 = 0
    for _ in 0..<16 where !input.isAtEnd && !plugin.process.isEnding {
      number += 1
      let question = input.number(below: 6)
      let reply = makeReply(number, question, &input)
      if let page {
        // Nobody waits for an answer that is not there.
        plugin.process.abandon()
        reply.withUnsafeBytes { reply in
          page.advanced(by: Place.bytes).copyMemory(
            from: reply.baseAddress ?? UnsafeRawPointer(page), byteCount: min(reply.count, CallChannel.room))
        }
        let odd = input.byte()
        page.storeBytes(of: odd == 1 ? input.u32() : UInt32(reply.count), toByteOffset: Place.length, as: UInt32.self)
        page.storeBytes(of: odd == 2 ? input.u32() : number - 1, toByteOffset: Place.answer, as: UInt32.self)
      } else {
        HostilePlugin.send(reply, on: plugin.calls)
      }
      ask(question, plugin)
      plugin.drain(plugin.events)
      plugin.drain(plugin.calls) { descriptor in
        guard page == nil, let mapped = mmap(nil, Place.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), mapped != MAP_FAILED
        else { return }
        page = mapped
      }
    }
  }

  /// With the number that is waited for, mostly.
  private static func makeReply(_ number: UInt32, _ question: Int, _ input: inout Input) -> [UInt8] {
    var writer = WireWriter()
    let (isOdd, result) = (input.byte() == 1, Int32(Int8(bitPattern: input.byte())))
    writer.put(
      ReplyHeader(
        id: isOdd ? input.u32() : number, result: result, keepsSlot: UInt32(input.byte()), delay: Int64(Int32(bitPattern: input.u32()))))
    if question == 1 {
      writer.put(UInt32(1))
      writer.put(IsolationEvents.changed(IsolationEvents.picture, &input))
    }
    return writer.bytes + Array(input.piece())
  }

  private static func ask(_ question: Int, _ plugin: HostilePlugin) {
    let (process, instance) = (plugin.process, plugin.instance)
    let deadline: UInt32 = 1
    switch question {
    case 0:
      _ = process.call(
        .captureSettings, now: 0, deadline: deadline,
        read: { reader, _ throws(MediaError) in
          let format = try reader.get(VideoFormatHeader.self).native
          _ = try VideoFormat(checking: format, argument: "its format")
        })
    case 1:
      _ = process.call(
        .produceFrame, now: 0, deadline: deadline,
        read: { reader, _ throws(MediaError) in
          guard try reader.get(UInt32.self) == 1 else { return }
          _ = instance.host.consume_video_frame?(nil, try process.frame(reader.get(VideoFrameHeader.self)).native)
        })
    case 2:
      var frame: UnsafeMutablePointer<msdk_encoded_frame>?
      _ = process.call(
        .encodeVideo, now: 0, deadline: deadline,
        read: { reader, _ throws(MediaError) in
          _ = try instance.takeEncoded(process, &reader, &frame)
        })
      instance.host.encoded_frame_unref?(frame)
    case 3:
      _ = process.callLong(.getParam, now: 0, deadline: deadline, payload: WireWriter(), most: 65_536) { reader throws(MediaError) in
        _ = try reader.getValue()
      }
    case 4:
      _ = process.call(
        .produceAudio, now: 0, deadline: deadline,
        read: { reader, _ throws(MediaError) in
          let frame = try AudioMessage.read(&reader, instance.host, nil)
          _ = instance.host.consume_audio_frame?(nil, frame?.native)
        })
    default:
      _ = process.call(.setParam, now: 0, deadline: deadline)
      expect(process.errorText.utf8.count <= Wire.largest * 3, "words without end")
    }
  }
}
