// mediasdk.rs - what plugins like this one use of mediasdk/plugin.h and types.h, member by member in their order. The structs are those of
// ABI 1.0: struct_size says so to the host, and later members are read as not there.
#![allow(dead_code)] // not every plugin uses all of it
use std::os::raw::{c_char, c_void};

pub const ABI_MINOR: u32 = 0;
pub const OK: i32 = 0;
pub const E_FAIL: i32 = -1;
pub const E_NOMEM: i32 = -2;
pub const E_IO: i32 = -9;
pub const E_NOT_FOUND: i32 = -11;
pub const E_FORMAT: i32 = -20;
pub const PIXEL_NV12: u32 = 0x3231_564E;
pub const PIXEL_GRAY8: u32 = 0x2020_3852;
pub const T_U32: u32 = 4;
pub const T_STRING: u32 = 7;
pub const PARAM_LIVE: u32 = 1;
pub const PRODUCER_PULL: u32 = 1;
pub const KIND_VIDEO_PRODUCER: u32 = 1;
pub const KIND_VIDEO_RENDERER: u32 = 4;
pub const KIND_VIDEO_FILTER: u32 = 16;

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
    pub color_primaries: u32,
    pub color_transfer: u32,
    pub color_matrix: u32,
    pub color_full_range: u32,
    pub content_hint: u32,
    pub reserved0: u32,
    pub expected_delay_ns: i64,
    pub reserved: [u32; 10],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Plane {
    pub data: *mut u8,
    pub size: u64,
    pub stride: i32,
    pub reserved0: u32,
    pub reserved1: u64,
}

#[repr(C)]
pub struct VideoFrame {
    pub struct_size: u32,
    pub flags: u32,
    pub plane_count: u32,
    pub orientation: u32,
    pub plane: [Plane; 4],
    pub format: *const VideoFormat,
    pub timestamp_ns: i64,
    pub duration_ns: i64,
    pub sequence: u64,
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
    pub video_frame_make_writable: unsafe extern "C" fn(*mut HostContext, *mut VideoFrame, *mut *mut VideoFrame) -> i32,
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
    pub min: Value,
    pub max: Value,
    pub choices: *const *const c_char,
    pub choice_count: u32,
    pub reserved0: u32,
}

/// No bound, as min and max.
pub const UNBOUNDED: Value = Value { kind: 0, reserved: 0, u: ValueUnion { u64: 0 } };

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
    pub codec: u32,
    pub reserved0: u32,
    pub produce_encoded_frame: Unused,
    pub request_key_frame: Unused,
}

#[repr(C)]
pub struct VideoRenderer {
    pub struct_size: u32,
    pub flags: u32,
    pub init_render: Step,
    pub release_render: Step,
    pub accepts_format: Option<unsafe extern "C" fn(*mut Itself, *const VideoFormat) -> i32>,
    pub render_video_frame: unsafe extern "C" fn(*mut Itself, *const VideoFrame) -> i32,
    pub flush: Option<Step>,
    pub snapshot_format: Unused,
    pub snapshot: Unused,
    pub accepts_codec: Unused,
    pub render_encoded_frame: Unused,
    pub update_input: Unused,
    pub remove_input: Unused,
    pub render_input_frame: Unused,
}

#[repr(C)]
pub struct VideoFilter {
    pub struct_size: u32,
    pub flags: u32,
    pub init_filter: Step,
    pub release_filter: Step,
    pub set_format: Option<unsafe extern "C" fn(*mut Itself, *const VideoFormat, *mut VideoFormat) -> i32>,
    pub filter_video_frame: unsafe extern "C" fn(*mut Itself, *mut VideoFrame, *mut *mut VideoFrame) -> i32,
    pub flush: Option<Step>,
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
    pub commands: Unused,
    pub param_count: u32,
    pub command_count: u32,
    pub user: Unused,
    pub create: Option<unsafe extern "C" fn(*const Class, *const Host, *mut HostContext, *mut *mut Itself) -> i32>,
    pub destroy: Option<unsafe extern "C" fn(*mut Itself)>,
    pub set_param: Option<unsafe extern "C" fn(*mut Itself, *const c_char, *const Value) -> i32>,
    pub get_param: Option<unsafe extern "C" fn(*mut Itself, *const c_char, *mut Value) -> i32>,
    pub video_producer: *const VideoProducer,
    pub audio_producer: Unused,
    pub video_renderer: *const VideoRenderer,
    pub audio_renderer: Unused,
    pub get_extension: Unused,
    pub param_choice: Unused,
    pub video_filter: *const VideoFilter,
    pub audio_filter: Unused,
    pub video_encoder: Unused,
    pub video_decoder: Unused,
    pub audio_encoder: Unused,
    pub audio_decoder: Unused,
}

/// What a class does not say of itself.
pub const NO_CLASS: Class = Class {
    struct_size: std::mem::size_of::<Class>() as u32,
    kinds: 0,
    flags: 0,
    reserved0: 0,
    id: std::ptr::null(),
    name: std::ptr::null(),
    summary: std::ptr::null(),
    params: std::ptr::null(),
    commands: std::ptr::null(),
    param_count: 0,
    command_count: 0,
    user: std::ptr::null(),
    create: None,
    destroy: None,
    set_param: None,
    get_param: None,
    video_producer: std::ptr::null(),
    audio_producer: std::ptr::null(),
    video_renderer: std::ptr::null(),
    audio_renderer: std::ptr::null(),
    get_extension: std::ptr::null(),
    param_choice: std::ptr::null(),
    video_filter: std::ptr::null(),
    audio_filter: std::ptr::null(),
    video_encoder: std::ptr::null(),
    video_decoder: std::ptr::null(),
    audio_encoder: std::ptr::null(),
    audio_decoder: std::ptr::null(),
};

#[repr(C)]
pub struct Module {
    pub struct_size: u32,
    pub abi_minor: u32,
    pub min_host_minor: u32,
    pub class_count: u32,
    pub vendor: *const c_char,
    pub version: *const c_char,
    pub license: *const c_char,
    pub url: *const c_char,
    pub classes: *const *const Class,
    pub init: Option<unsafe extern "C" fn(*const c_char) -> i32>,
}

pub struct List(pub [*const Class; 1]);

// Constant tables of static lifetime: they are never written.
unsafe impl Sync for Param {}
unsafe impl Sync for VideoProducer {}
unsafe impl Sync for VideoRenderer {}
unsafe impl Sync for VideoFilter {}
unsafe impl Sync for Class {}
unsafe impl Sync for Module {}
unsafe impl Sync for List {}
