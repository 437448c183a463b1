//! The functions, structs and constants of `mediasdk/mediasdk.h`, as bindgen writes them. The headers are the manual.
//!
//! Four things have no translation in a header and stand below: [`init!`] for MSDK_INIT, the two macros of casts, and [`last_error`].

#![allow(non_camel_case_types, non_upper_case_globals, non_snake_case)]

include!(concat!(env!("OUT_DIR"), "/bindings.rs"));

/// MSDK_WAIT_FOREVER: a timeout_ms without limit.
pub const WAIT_FOREVER: u32 = u32::MAX;

/// MSDK_TIME_ZERO: the time 0 of a clock of the program's own, where 0 means "now".
pub const TIME_ZERO: i64 = i64::MIN;

/// A zeroed value of a sized struct with its `struct_size`: `let mut format = init!(msdk_video_format);`
#[macro_export]
macro_rules! init {
    ($name:ident) => {{
        // All sized structs of the headers are plain data, of which zero is a value.
        let mut value: $crate::$name = unsafe { ::std::mem::zeroed() };
        value.struct_size = ::std::mem::size_of::<$crate::$name>() as u32;
        value
    }};
}

/// The error text of the last call that failed on this thread.
pub fn last_error() -> String {
    let text = unsafe { std::ffi::CStr::from_ptr(msdk_last_error()) };
    text.to_string_lossy().into_owned()
}

/// The error text of a failed call, or the result, which is never negative.
pub fn check(result: msdk_result) -> Result<msdk_result, String> {
    if result < 0 {
        Err(last_error())
    } else {
        Ok(result)
    }
}
