import CMediaSDK
import MediaCore

/// Filters, which take a reference to what comes in and give one to what goes out. What was changed in place is in the host's own memory.
enum FilterTables {
  static func video(like table: msdk_video_filter) -> msdk_video_filter {
    var filter = table
    filter.filter_video_frame = { me, input, out in
      HostedInstance.with(me) { instance throws(MediaError) in
        guard let input, let out else { return msdk_result(MSDK_E_INVALID) }
        var isKept = false
        defer { if !isKept { instance.host.video_frame_unref?(input) } }
        let frame = try instance.frame(of: input)
        var made: UnsafeMutablePointer<msdk_video_frame>?
        let result = instance.twin.videoFilter?.filter_video_frame?(me, frame.native, &made) ?? msdk_result(MSDK_E_UNSUPPORTED)
        guard result >= 0, let made else { return result }
        if made == frame.native {
          frame.release()
          isKept = true
          out.pointee = input
        } else {
          out.pointee = try instance.hostFrame(from: made)
        }
        return result
      }
    }
    return filter
  }

  static func audio(like table: msdk_audio_filter) -> msdk_audio_filter {
    var filter = table
    filter.filter_audio_frame = { me, input, out in
      HostedInstance.with(me) { instance throws(MediaError) in
        guard let input, let out else { return msdk_result(MSDK_E_INVALID) }
        let sound: AudioFrame
        do throws(MediaError) {
          sound = try instance.sound(of: input)
        } catch {
          instance.host.audio_frame_unref?(input)
          throw error
        }
        var made: UnsafeMutablePointer<msdk_audio_frame>?
        let result = instance.twin.audioFilter?.filter_audio_frame?(me, sound.native, &made) ?? msdk_result(MSDK_E_UNSUPPORTED)
        guard result >= 0, let made else {
          instance.host.audio_frame_unref?(input)
          return result
        }
        // The library's is a copy, so that a change in place is made once more.
        if made == sound.native, let bytes = UnsafeMutableRawPointer(input.pointee.planes?.pointee), let base = sound.bytes.baseAddress {
          bytes.copyMemory(from: base, byteCount: sound.bytes.count)
          sound.release()
          out.pointee = input
        } else {
          defer { instance.host.audio_frame_unref?(input) }
          out.pointee = try instance.hostSound(from: made)
        }
        return result
      }
    }
    return filter
  }
}
