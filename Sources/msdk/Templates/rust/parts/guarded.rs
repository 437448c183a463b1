/// P5: no panic leaves the plugin.
fn guarded(work: impl FnOnce() -> i32) -> i32 {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(E_FAIL)
}
