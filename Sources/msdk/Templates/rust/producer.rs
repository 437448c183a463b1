// @NAME@.rs - a producer: it makes a gradient that moves.
//
// The contract is mediasdk/plugin.h, of which mediasdk.rs has what is used here. The P numbers below are the rules at its top;
// `make check` tests them.
mod mediasdk;
use mediasdk::*;
use std::ffi::CStr;
use std::panic::{catch_unwind, AssertUnwindSafe};

struct Producer {
    host: *const Host,
    context: *mut HostContext,
    format: VideoFormat,
    speed: u32,
    offset: u32,
}

include!("parts/guarded.rs");

impl Producer {
    /// `text` ends with a NUL.
    fn fail(&self, result: i32, text: &'static str) -> i32 {
        unsafe { ((*self.host).set_error)(self.context, result, text.as_ptr().cast()) };
        result
    }

    /// P7: the host calls when a frame is due, and we never wait for that ourselves.
    unsafe fn produce(&mut self, due: i64, out: *mut *mut VideoFrame) -> i32 {
        let mut frame: *mut VideoFrame = std::ptr::null_mut();
        let result = ((*self.host).video_frame_acquire)(self.context, &self.format, 0, &mut frame);
        if result < 0 {
            return result; // P4: E_AGAIN when all are in use
        }
        let (luma, chroma) = ((*frame).plane[0], (*frame).plane[1]);
        for y in 0..self.format.height {
            let row = luma.data.offset(y as isize * luma.stride as isize); // P3: never y * width
            for x in 0..self.format.width {
                *row.add(x as usize) = (16 + x.wrapping_add(y).wrapping_add(self.offset) % 220) as u8;
            }
        }
        for y in 0..(self.format.height + 1) / 2 {
            // odd sizes are fine
            let row = chroma.data.offset(y as isize * chroma.stride as isize);
            for x in 0..(self.format.width + 1) / 2 {
                *row.add(2 * x as usize) = (16 + x % 225) as u8; // U
                *row.add(2 * x as usize + 1) = (16 + y % 225) as u8; // V
            }
        }
        self.offset = self.offset.wrapping_add(self.speed);
        (*frame).timestamp_ns = due;
        *out = frame; // our reference is the host's now
        OK
    }
}

/// P1: opens nothing, starts nothing.
unsafe extern "C" fn create(_: *const Class, host: *const Host, context: *mut HostContext, out: *mut *mut Itself) -> i32 {
    guarded(|| {
        let format = VideoFormat {
            struct_size: std::mem::size_of::<VideoFormat>() as u32,
            pixel_format: PIXEL_NV12, // a plane of Y, and one of U and V for four pixels: what encoders take
            width: 640,
            height: 360,
            fps_num: 30,
            fps_den: 1,
            ..Default::default()
        };
        let producer = Box::new(Producer { host, context, format, speed: 2, offset: 0 });
        *out = Box::into_raw(producer).cast();
        OK
    })
}

unsafe extern "C" fn destroy(this: *mut Itself) {
    guarded(|| {
        drop(Box::from_raw(this.cast::<Producer>()));
        OK
    });
}

/// Type and bounds were checked by the host.
unsafe extern "C" fn set_param(this: *mut Itself, name: *const std::os::raw::c_char, value: *const Value) -> i32 {
    guarded(|| {
        let this = &mut *this.cast::<Producer>();
        if CStr::from_ptr(name).to_bytes() != b"speed" {
            return this.fail(E_NOT_FOUND, "accepted: speed\0");
        }
        this.speed = (*value).u.u32;
        OK
    })
}

unsafe extern "C" fn nothing_to_do(_: *mut Itself) -> i32 {
    OK
}

unsafe extern "C" fn capture_settings(this: *mut Itself, out: *mut VideoFormat) -> i32 {
    *out = (*this.cast::<Producer>()).format;
    OK
}

/// The preferred format: programs choose from this list, which ends with E_NOT_FOUND.
unsafe extern "C" fn enum_formats(this: *mut Itself, index: u32, out: *mut VideoFormat) -> i32 {
    if index > 0 {
        return E_NOT_FOUND;
    }
    *out = (*this.cast::<Producer>()).format;
    OK
}

unsafe extern "C" fn set_format(this: *mut Itself, format: *const VideoFormat) -> i32 {
    guarded(|| {
        let this = &mut *this.cast::<Producer>();
        if (*format).pixel_format != PIXEL_NV12 {
            return this.fail(E_FORMAT, "accepted: NV12 of any size\0");
        }
        this.format = *format; // P6: a later host's struct is longer; the members we know come first
        this.format.struct_size = std::mem::size_of::<VideoFormat>() as u32;
        OK
    })
}

unsafe extern "C" fn produce_frame(this: *mut Itself, due: i64, out: *mut *mut VideoFrame) -> i32 {
    guarded(|| (*this.cast::<Producer>()).produce(due, out))
}

static PARAMS: [Param; 1] = [Param {
    struct_size: std::mem::size_of::<Param>() as u32,
    flags: PARAM_LIVE,
    name: "speed\0".as_ptr().cast(),
    summary: "pixels that the gradient moves with every frame\0".as_ptr().cast(),
    def: Value { kind: T_U32, reserved: 0, u: ValueUnion { u32: 2 } },
    min: Value { kind: T_U32, reserved: 0, u: ValueUnion { u32: 0 } },
    max: Value { kind: T_U32, reserved: 0, u: ValueUnion { u32: 64 } },
    choices: std::ptr::null(),
    choice_count: 0,
    reserved0: 0,
}];

static PRODUCER: VideoProducer = VideoProducer {
    struct_size: std::mem::size_of::<VideoProducer>() as u32,
    flags: PRODUCER_PULL,
    init_capture: nothing_to_do,
    release_capture: nothing_to_do,
    start_capture: nothing_to_do,
    stop_capture: nothing_to_do,
    is_capture_started: None,
    capture_settings: Some(capture_settings),
    enum_formats: Some(enum_formats),
    set_format,
    produce_frame: Some(produce_frame),
    codec: 0,
    reserved0: 0,
    produce_encoded_frame: std::ptr::null(),
    request_key_frame: std::ptr::null(),
};

static CLASS: Class = Class {
    kinds: KIND_VIDEO_PRODUCER,
    id: "@ID@\0".as_ptr().cast(),
    name: "@NAME@\0".as_ptr().cast(),
    summary: "a gradient that moves\0".as_ptr().cast(),
    params: PARAMS.as_ptr(),
    param_count: PARAMS.len() as u32,
    create: Some(create),
    destroy: Some(destroy),
    set_param: Some(set_param),
    video_producer: &PRODUCER,
    ..NO_CLASS
};

include!("parts/module.rs");
