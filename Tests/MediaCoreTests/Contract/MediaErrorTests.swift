import CMediaSDK
import Testing

@testable import MediaCore

@Suite struct MediaErrorTests {
  @Test func theCodesAreThoseOfTheHeader() {
    let header: [Status: Int] = [
      .fail: MSDK_E_FAIL, .noMemory: MSDK_E_NOMEM, .invalid: MSDK_E_INVALID, .unsupported: MSDK_E_UNSUPPORTED, .state: MSDK_E_STATE,
      .thread: MSDK_E_THREAD, .again: MSDK_E_AGAIN, .timeout: MSDK_E_TIMEOUT, .io: MSDK_E_IO, .permission: MSDK_E_PERMISSION,
      .notFound: MSDK_E_NOT_FOUND, .type: MSDK_E_TYPE, .range: MSDK_E_RANGE, .closed: MSDK_E_CLOSED, .pluginDied: MSDK_E_PLUGIN_DIED,
      .deviceLost: MSDK_E_DEVICE_LOST, .bufferSmall: MSDK_E_BUFFER_SMALL, .handle: MSDK_E_HANDLE, .stale: MSDK_E_STALE,
      .format: MSDK_E_FORMAT, .limit: MSDK_E_LIMIT, .exists: MSDK_E_EXISTS, .forked: MSDK_E_FORKED, .corrupt: MSDK_E_CORRUPT,
      .abi: MSDK_E_ABI, .full: MSDK_E_FULL, .removed: MSDK_E_REMOVED
    ]
    for (status, code) in header { #expect(Int(status.rawValue) == code) }
    for code in (-27)...(-1) { #expect(Status(rawValue: msdk_result(code)) != nil) }
  }

  @Test(arguments: [-29, -1000, 0, 1, Int32.min, Int32.max] as [msdk_result])
  func anUnknownCodeIsAFailure(code: msdk_result) {
    #expect(Status(foreign: code) == .fail)
  }
}
