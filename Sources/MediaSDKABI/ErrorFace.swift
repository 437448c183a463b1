import CMediaSDK
import MediaCore

// error.h

private func text(_ text: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

@c @implementation
public func msdk_version() -> UnsafePointer<CChar>! {
  SDKVersion.cString
}

@c @implementation
public func msdk_status_string(_ result: msdk_result) -> UnsafePointer<CChar>! {
  guard result < 0 else { return text("MSDK_OK") }
  guard let status = Status(rawValue: result) else { return text("MSDK_E_UNKNOWN") }
  return text(status.name)
}

@c @implementation
public func msdk_last_error() -> UnsafePointer<CChar>! {
  LastError.text ?? text("")
}

extension Status {
  fileprivate var name: StaticString {
    switch self {
    case .fail: "MSDK_E_FAIL"
    case .noMemory: "MSDK_E_NOMEM"
    case .invalid: "MSDK_E_INVALID"
    case .unsupported: "MSDK_E_UNSUPPORTED"
    case .state: "MSDK_E_STATE"
    case .thread: "MSDK_E_THREAD"
    case .again: "MSDK_E_AGAIN"
    case .timeout: "MSDK_E_TIMEOUT"
    case .io: "MSDK_E_IO"
    case .permission: "MSDK_E_PERMISSION"
    case .notFound: "MSDK_E_NOT_FOUND"
    case .type: "MSDK_E_TYPE"
    case .range: "MSDK_E_RANGE"
    case .closed: "MSDK_E_CLOSED"
    case .pluginDied: "MSDK_E_PLUGIN_DIED"
    case .deviceLost: "MSDK_E_DEVICE_LOST"
    case .bufferSmall: "MSDK_E_BUFFER_SMALL"
    case .handle: "MSDK_E_HANDLE"
    case .stale: "MSDK_E_STALE"
    case .format: "MSDK_E_FORMAT"
    case .limit: "MSDK_E_LIMIT"
    case .exists: "MSDK_E_EXISTS"
    case .forked: "MSDK_E_FORKED"
    case .corrupt: "MSDK_E_CORRUPT"
    case .abi: "MSDK_E_ABI"
    case .full: "MSDK_E_FULL"
    case .removed: "MSDK_E_REMOVED"
    }
  }
}
