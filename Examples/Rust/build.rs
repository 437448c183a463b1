//! Makes OUT_DIR/bindings.rs from the headers with the program `bindgen`, and says where the library is.
//!
//! `pkg-config mediasdk` finds both. For a build in the tree MEDIASDK_INCLUDE and MEDIASDK_LIB name the directories instead.

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn pkg_config(option: &str, prefix: &str) -> Vec<String> {
    let output = Command::new("pkg-config").args([option, "mediasdk"]).output().expect("pkg-config could not be started");
    assert!(output.status.success(), "pkg-config does not know mediasdk: {}", String::from_utf8_lossy(&output.stderr));
    let words = String::from_utf8(output.stdout).expect("pkg-config prints UTF-8");
    words.split_whitespace().filter_map(|word| word.strip_prefix(prefix)).map(String::from).collect()
}

/// The directories of a variable, or else those that pkg-config prints after -I or -L. There are none for a system directory.
fn directories(variable: &str, option: &str, prefix: &str) -> Vec<String> {
    println!("cargo:rerun-if-env-changed={variable}");
    match env::var(variable) {
        Ok(directory) => vec![directory],
        Err(_) => pkg_config(option, prefix),
    }
}

fn main() {
    let includes = directories("MEDIASDK_INCLUDE", "--cflags-only-I", "-I");
    for directory in directories("MEDIASDK_LIB", "--libs-only-L", "-L") {
        println!("cargo:rustc-link-search=native={directory}");
        println!("cargo:rustc-link-arg=-Wl,-rpath,{directory}"); // of the examples here; a crate that depends on this one sets its own
    }
    println!("cargo:rustc-link-lib=mediasdk");

    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    let wrapper = out.join("wrapper.h");
    std::fs::write(&wrapper, "#include <mediasdk/mediasdk.h>\n").expect("OUT_DIR can be written");
    let status = Command::new(env::var("BINDGEN").unwrap_or_else(|_| "bindgen".into()))
        .arg(&wrapper)
        .arg("--output")
        .arg(out.join("bindings.rs"))
        .args(["--allowlist-function", "msdk_.*", "--allowlist-type", "msdk_.*", "--allowlist-var", "MSDK_.*"])
        .args(["--default-enum-style", "consts", "--no-prepend-enum-name", "--no-doc-comments", "--"])
        .args(includes.iter().map(|directory| format!("-I{directory}")))
        .status()
        .expect("bindgen could not be started; Debian's package is bindgen, the crate's is bindgen-cli");
    assert!(status.success(), "bindgen failed");
    println!("cargo:rerun-if-changed=build.rs");
    for directory in includes {
        println!("cargo:rerun-if-changed={directory}/mediasdk");
    }
}
