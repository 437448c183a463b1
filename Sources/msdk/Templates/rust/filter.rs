// @NAME@.rs - a filter: it inverts frames.
//
// The contract is mediasdk/plugin.h, of which mediasdk.rs has what is used here. The P numbers below are the rules at its top;
// `make check` tests them.
mod mediasdk;
use mediasdk::*;
use std::panic::{catch_unwind, AssertUnwindSafe};

include!("parts/guarded.rs");

struct Filter {
    host: *const Host,
    context: *mut HostContext,
    width: u32, // of the format agreed on
    height: u32,
}

/// P1: opens nothing, starts nothing.
unsafe extern "C" fn create(_: *const Class, host: *const Host, context: *mut HostContext, out: *mut *mut Itself) -> i32 {
    guarded(|| {
        *out = Box::into_raw(Box::new(Filter { host, context, width: 0, height: 0 })).cast();
        OK
    })
}

unsafe extern "C" fn destroy(this: *mut Itself) {
    guarded(|| {
        drop(Box::from_raw(this.cast::<Filter>()));
        OK
    });
}

unsafe extern "C" fn nothing_to_do(_: *mut Itself) -> i32 {
    OK
}

/// The host converts what is refused here, NV12 first. *out holds `format`: neither size nor pixel format changes.
unsafe extern "C" fn set_format(this: *mut Itself, format: *const VideoFormat, _out: *mut VideoFormat) -> i32 {
    guarded(|| {
        let this = &mut *this.cast::<Filter>();
        if (*format).pixel_format != PIXEL_NV12 {
            ((*this.host).set_error)(this.context, E_FORMAT, "accepted: NV12\0".as_ptr().cast());
            return E_FORMAT;
        }
        this.width = (*format).width;
        this.height = (*format).height;
        OK
    })
}

/// P3: others may hold this frame. make_writable returns it if only we hold it, else a copy, and takes our reference unless it fails.
unsafe extern "C" fn filter_video_frame(this: *mut Itself, input: *mut VideoFrame, out: *mut *mut VideoFrame) -> i32 {
    guarded(|| {
        let this = &mut *this.cast::<Filter>();
        let mut frame: *mut VideoFrame = std::ptr::null_mut();
        let result = ((*this.host).video_frame_make_writable)(this.context, input, &mut frame);
        if result < 0 {
            ((*this.host).video_frame_unref)(input); // P4: E_AGAIN when there is no memory for the copy; this frame is dropped
            return result;
        }
        let luma = (*frame).plane[0];
        for y in 0..this.height {
            let row = luma.data.offset(y as isize * luma.stride as isize);
            for x in 0..this.width {
                *row.add(x as usize) = 255 - *row.add(x as usize);
            }
        }
        *out = frame;
        OK
    })
}

static FILTER: VideoFilter = VideoFilter {
    struct_size: std::mem::size_of::<VideoFilter>() as u32,
    flags: 0,
    init_filter: nothing_to_do,
    release_filter: nothing_to_do,
    set_format: Some(set_format),
    filter_video_frame,
    flush: None,
};

static CLASS: Class = Class {
    kinds: KIND_VIDEO_FILTER,
    id: "@ID@\0".as_ptr().cast(),
    name: "@NAME@\0".as_ptr().cast(),
    summary: "the negative\0".as_ptr().cast(),
    create: Some(create),
    destroy: Some(destroy),
    video_filter: &FILTER,
    ..NO_CLASS
};

include!("parts/module.rs");
