/// The Rust project: no crates, and the part of the header that it uses written out.
extension Template {
  static let producerRust = #"""
    // @NAME@.rs - a producer: it makes a gradient that moves.
    //
    // The contract is mediasdk/plugin.h, of which mediasdk.rs has what is used here. The P numbers below are the rules at its top;
    // `make check` looks whether they are kept.
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

    /// P5: no panic leaves the plugin.
    fn guarded(work: impl FnOnce() -> i32) -> i32 {
        catch_unwind(AssertUnwindSafe(work)).unwrap_or(E_FAIL)
    }

    impl Producer {
        /// `words` ends with a NUL.
        fn fail(&self, result: i32, words: &'static str) -> i32 {
            unsafe { ((*self.host).set_error)(self.context, result, words.as_ptr().cast()) };
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
    unsafe extern "C" fn create(host: *const Host, context: *mut HostContext, out: *mut *mut Itself) -> i32 {
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

    /// What we like best: programs choose from this list, which ends with E_NOT_FOUND.
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
            this.format = *format; // P6: a later host's struct is longer; what we know is in front
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
        min: 0.0,
        max: 64.0,
        choices: std::ptr::null(),
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
    };

    static CLASS: Class = Class {
        struct_size: std::mem::size_of::<Class>() as u32,
        kinds: KIND_VIDEO_PRODUCER,
        flags: 0,
        reserved0: 0,
        id: "@ID@\0".as_ptr().cast(),
        name: "@NAME@\0".as_ptr().cast(),
        summary: "a gradient that moves\0".as_ptr().cast(),
        params: PARAMS.as_ptr(),
        param_count: 1,
        param_stride: std::mem::size_of::<Param>() as u64,
        commands: std::ptr::null(),
        command_count: 0,
        command_stride: 0,
        create,
        destroy,
        set_param: Some(set_param),
        get_param: None,
        video_producer: &PRODUCER,
        audio_producer: std::ptr::null(),
        video_renderer: std::ptr::null(),
        audio_renderer: std::ptr::null(),
        get_extension: std::ptr::null(),
    };

    static CLASSES: List = List([&CLASS, std::ptr::null()]);

    static MODULE: Module = Module {
        struct_size: std::mem::size_of::<Module>() as u32,
        abi_minor: ABI_MINOR,
        min_host_minor: 0, // the oldest host that has all that is used here
        reserved0: 0,
        vendor: "Example\0".as_ptr().cast(),
        version: "1.0\0".as_ptr().cast(),
        license: std::ptr::null(),
        url: std::ptr::null(),
        classes: CLASSES.0.as_ptr(),
        init: None,
        deinit: None,
    };

    /// The one symbol of the file.
    #[no_mangle]
    pub extern "C" fn msdk_plugin_entry_v1(_host_minor: u32) -> *const Module {
        &MODULE
    }

    """#

  static let bindingRust = #"""
    // mediasdk.rs - what the plugin uses of mediasdk/plugin.h and types.h, member by member in their order. The structs are those of
    // ABI 1.2: struct_size says so to the host, and later members are read as not there.
    use std::os::raw::{c_char, c_void};

    pub const ABI_MINOR: u32 = 2;
    pub const OK: i32 = 0;
    pub const E_FAIL: i32 = -1;
    pub const E_NOT_FOUND: i32 = -11;
    pub const E_FORMAT: i32 = -20;
    pub const PIXEL_NV12: u32 = 0x3231_564E;
    pub const T_U32: u32 = 4;
    pub const PARAM_LIVE: u32 = 1;
    pub const PRODUCER_PULL: u32 = 1;
    pub const KIND_VIDEO_PRODUCER: u32 = 1;

    /// Opaque: the host's side of an instance, and ours.
    #[repr(C)]
    pub struct HostContext(u8);
    #[repr(C)]
    pub struct Itself(u8);
    /// What is not called here.
    pub type Unused = *const c_void;

    #[repr(C)]
    #[derive(Clone, Copy, Default)]
    pub struct VideoFormat {
        pub struct_size: u32,
        pub pixel_format: u32,
        pub width: u32,
        pub height: u32,
        pub fps_num: u32,
        pub fps_den: u32,
        pub memory_kinds: u32,
        pub color_primaries: u32,
        pub color_transfer: u32,
        pub color_matrix: u32,
        pub color_full_range: u32,
        pub content_hint: u32,
        pub modifier: u64,
        pub expected_delay_ms: u32,
        pub reserved0: u32,
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct Plane {
        pub data: *mut u8,
        pub size: u64,
        pub stride: i32,
        pub fd: i32,
        pub offset: u64,
    }

    #[repr(C)]
    pub struct VideoFrame {
        pub struct_size: u32,
        pub flags: u32,
        pub memory_kind: u32,
        pub plane_count: u32,
        pub plane: [Plane; 4],
        pub format: *const VideoFormat,
        pub timestamp_ns: i64,
        pub duration_ns: i64,
        pub sequence: u64,
        pub orientation: u32,
        pub fence_fd: i32,
    }

    /// The host's table up to what is used. All of it is in every host of ABI 1.0 and later.
    #[repr(C)]
    pub struct Host {
        pub struct_size: u32,
        pub abi_minor: u32,
        pub name: *const c_char,
        pub version: *const c_char,
        pub log: unsafe extern "C" fn(*mut HostContext, i32, *const c_char),
        pub set_error: unsafe extern "C" fn(*mut HostContext, i32, *const c_char),
        pub post_event: Unused,
        pub video_frame_acquire: unsafe extern "C" fn(*mut HostContext, *const VideoFormat, u32, *mut *mut VideoFrame) -> i32,
        pub video_frame_wrap: Unused,
        pub video_frame_ref: unsafe extern "C" fn(*const VideoFrame),
        pub video_frame_unref: unsafe extern "C" fn(*const VideoFrame),
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub union ValueUnion {
        pub b: u8,
        pub i32: i32,
        pub i64: i64,
        pub u32: u32,
        pub u64: u64,
        pub f64: f64,
        pub str: *const c_char,
        pub bytes: (*const c_void, u64),
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct Value {
        pub kind: u32,
        pub reserved: u32,
        pub u: ValueUnion,
    }

    #[repr(C)]
    pub struct Param {
        pub struct_size: u32,
        pub flags: u32,
        pub name: *const c_char,
        pub summary: *const c_char,
        pub def: Value,
        pub min: f64,
        pub max: f64,
        pub choices: *const *const c_char,
    }

    type Step = unsafe extern "C" fn(*mut Itself) -> i32;

    #[repr(C)]
    pub struct VideoProducer {
        pub struct_size: u32,
        pub flags: u32,
        pub init_capture: Step,
        pub release_capture: Step,
        pub start_capture: Step,
        pub stop_capture: Step,
        pub is_capture_started: Option<unsafe extern "C" fn(*const Itself) -> i32>,
        pub capture_settings: Option<unsafe extern "C" fn(*mut Itself, *mut VideoFormat) -> i32>,
        pub enum_formats: Option<unsafe extern "C" fn(*mut Itself, u32, *mut VideoFormat) -> i32>,
        pub set_format: unsafe extern "C" fn(*mut Itself, *const VideoFormat) -> i32,
        pub produce_frame: Option<unsafe extern "C" fn(*mut Itself, i64, *mut *mut VideoFrame) -> i32>,
    }

    #[repr(C)]
    pub struct Class {
        pub struct_size: u32,
        pub kinds: u32,
        pub flags: u32,
        pub reserved0: u32,
        pub id: *const c_char,
        pub name: *const c_char,
        pub summary: *const c_char,
        pub params: *const Param,
        pub param_count: u64,
        pub param_stride: u64,
        pub commands: Unused,
        pub command_count: u64,
        pub command_stride: u64,
        pub create: unsafe extern "C" fn(*const Host, *mut HostContext, *mut *mut Itself) -> i32,
        pub destroy: unsafe extern "C" fn(*mut Itself),
        pub set_param: Option<unsafe extern "C" fn(*mut Itself, *const c_char, *const Value) -> i32>,
        pub get_param: Option<unsafe extern "C" fn(*mut Itself, *const c_char, *mut Value) -> i32>,
        pub video_producer: *const VideoProducer,
        pub audio_producer: Unused,
        pub video_renderer: Unused,
        pub audio_renderer: Unused,
        pub get_extension: Unused,
    }

    #[repr(C)]
    pub struct Module {
        pub struct_size: u32,
        pub abi_minor: u32,
        pub min_host_minor: u32,
        pub reserved0: u32,
        pub vendor: *const c_char,
        pub version: *const c_char,
        pub license: *const c_char,
        pub url: *const c_char,
        pub classes: *const *const Class,
        pub init: Option<unsafe extern "C" fn(*const c_char) -> i32>,
        pub deinit: Option<unsafe extern "C" fn()>,
    }

    /// Ends with a null pointer.
    pub struct List(pub [*const Class; 2]);

    // Constant tables of static lifetime: nobody writes them.
    unsafe impl Sync for Param {}
    unsafe impl Sync for VideoProducer {}
    unsafe impl Sync for Class {}
    unsafe impl Sync for Module {}
    unsafe impl Sync for List {}

    """#
}
