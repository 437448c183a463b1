static CLASSES: List = List([&CLASS]);

static MODULE: Module = Module {
    struct_size: std::mem::size_of::<Module>() as u32,
    abi_minor: ABI_MINOR,
    min_host_minor: 0,
    class_count: CLASSES.0.len() as u32,
    vendor: "Example\0".as_ptr().cast(),
    version: "1.0\0".as_ptr().cast(),
    license: std::ptr::null(),
    url: std::ptr::null(),
    classes: CLASSES.0.as_ptr(),
    init: None,
};

/// The one symbol of the file.
#[no_mangle]
pub extern "C" fn msdk_plugin_entry_v1(_host_minor: u32) -> *const Module {
    &MODULE
}
