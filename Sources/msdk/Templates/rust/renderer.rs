// @NAME@.rs - a renderer: it writes the last frame that it rendered into a PGM file, which every image viewer opens.
//
// The contract is mediasdk/plugin.h, of which mediasdk.rs has what is used here. The P numbers below are the rules at its top;
// `make check` tests them.
mod mediasdk;
use mediasdk::*;
use std::panic::{catch_unwind, AssertUnwindSafe};

include!("parts/guarded.rs");

use std::ffi::{CStr, OsStr};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;

struct Renderer {
    host: *const Host,
    context: *mut HostContext,
    path: Vec<u8>,    // the parameter
    image: Vec<u8>, // a copy of the last one, without padding
    width: usize,
    height: usize,
}

impl Renderer {
    /// `text` ends with a NUL.
    fn fail(&self, result: i32, text: &'static str) -> i32 {
        unsafe { ((*self.host).set_error)(self.context, result, text.as_ptr().cast()) };
        result
    }

    fn write(&self) -> std::io::Result<()> {
        let mut file = std::fs::File::create(OsStr::from_bytes(&self.path))?;
        write!(file, "P5\n{} {}\n255\n", self.width, self.height)?;
        file.write_all(&self.image)
    }
}

/// P1: opens nothing, starts nothing.
unsafe extern "C" fn create(_: *const Class, host: *const Host, context: *mut HostContext, out: *mut *mut Itself) -> i32 {
    guarded(|| {
        let path = b"@NAME@.pgm".to_vec();
        *out = Box::into_raw(Box::new(Renderer { host, context, path, image: Vec::new(), width: 0, height: 0 })).cast();
        OK
    })
}

unsafe extern "C" fn destroy(this: *mut Itself) {
    guarded(|| {
        drop(Box::from_raw(this.cast::<Renderer>()));
        OK
    });
}

/// Type and bounds were checked by the host; the text is its own, and is copied.
unsafe extern "C" fn set_param(this: *mut Itself, name: *const std::os::raw::c_char, value: *const Value) -> i32 {
    guarded(|| {
        let this = &mut *this.cast::<Renderer>();
        if CStr::from_ptr(name).to_bytes() != b"path" {
            return this.fail(E_NOT_FOUND, "accepted: path\0");
        }
        let path = CStr::from_ptr((*value).u.str).to_bytes();
        this.path = if path.is_empty() { b"@NAME@.pgm".to_vec() } else { path.to_vec() };
        OK
    })
}

unsafe extern "C" fn init_render(_: *mut Itself) -> i32 {
    OK
}

/// What was written is complete when this returns.
unsafe extern "C" fn release_render(this: *mut Itself) -> i32 {
    guarded(|| {
        let this = &mut *this.cast::<Renderer>();
        let is_good = this.image.is_empty() || this.write().is_ok();
        this.image = Vec::new();
        if is_good { OK } else { this.fail(E_IO, "the image could not be written to path\0") }
    })
}

/// The host converts to what we accept.
unsafe extern "C" fn accepts_format(_: *mut Itself, format: *const VideoFormat) -> i32 {
    ((*format).pixel_format == PIXEL_GRAY8) as i32
}

/// P3: the frame is read-only, and its rows are `stride` bytes apart. P4: it is borrowed, so what we keep is a copy.
unsafe extern "C" fn render_video_frame(this: *mut Itself, frame: *const VideoFrame) -> i32 {
    guarded(|| {
        let this = &mut *this.cast::<Renderer>();
        let (format, plane) = (&*(*frame).format, (*frame).plane[0]);
        this.width = format.width as usize;
        this.height = format.height as usize;
        this.image.clear();
        for y in 0..this.height {
            let row = plane.data.offset(y as isize * plane.stride as isize);
            this.image.extend_from_slice(std::slice::from_raw_parts(row, this.width));
        }
        OK
    })
}

static PARAMS: [Param; 1] = [Param {
    struct_size: std::mem::size_of::<Param>() as u32,
    flags: 0,
    name: "path\0".as_ptr().cast(),
    summary: "where the image is written\0".as_ptr().cast(),
    def: Value { kind: T_STRING, reserved: 0, u: ValueUnion { str: "@NAME@.pgm\0".as_ptr().cast() } },
    min: UNBOUNDED,
    max: UNBOUNDED,
    choices: std::ptr::null(),
    choice_count: 0,
    reserved0: 0,
}];

static RENDERER: VideoRenderer = VideoRenderer {
    struct_size: std::mem::size_of::<VideoRenderer>() as u32,
    flags: 0,
    init_render,
    release_render,
    accepts_format: Some(accepts_format),
    render_video_frame,
    flush: None,
    snapshot_format: std::ptr::null(),
    snapshot: std::ptr::null(),
    accepts_codec: std::ptr::null(),
    render_encoded_frame: std::ptr::null(),
    update_input: std::ptr::null(),
    remove_input: std::ptr::null(),
    render_input_frame: std::ptr::null(),
};

static CLASS: Class = Class {
    kinds: KIND_VIDEO_RENDERER,
    id: "@ID@\0".as_ptr().cast(),
    name: "@NAME@\0".as_ptr().cast(),
    summary: "the last frame as a PGM file\0".as_ptr().cast(),
    params: PARAMS.as_ptr(),
    param_count: PARAMS.len() as u32,
    create: Some(create),
    destroy: Some(destroy),
    set_param: Some(set_param),
    video_renderer: &RENDERER,
    ..NO_CLASS
};

include!("parts/module.rs");
