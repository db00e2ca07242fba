//! Damaged files can make a library panic. Such a panic is caught, and not printed: another reader tells what is wrong.

use super::Stop;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// What `work` gives; a panic means that the file is not for this reader.
pub fn caught<T>(work: impl FnOnce() -> Result<T, Stop>) -> Result<T, Stop> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_CAUGHT.get() {
                print(panic);
            }
        }));
    });
    IS_CAUGHT.set(true);
    // What a panic leaves behind half done is not looked at: everything is read again by another reader.
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_CAUGHT.set(false);
    done.unwrap_or(Err(Stop::Unfit))
}
