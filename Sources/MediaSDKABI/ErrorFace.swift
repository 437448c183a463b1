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
public func msdk_version_number() -> UInt32 {
  UInt32(MSDK_VERSION_NUMBER)
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
