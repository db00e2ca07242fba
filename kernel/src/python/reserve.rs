//! A reserve of memory for small things. What grows with the input asks whether there is memory (`memory.rs`); the many small
//! things around it, such as a message, cannot ask, and Rust ends the process if there is none. They get it from here.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// What is given back to the system when a small thing gets no memory.
const SIZE: Layout = Layout::new::<[u8; 4 << 20]>();
/// The largest of the small things: a reader's buffer.
const SMALL: usize = 1 << 17;

static HELD: AtomicPtr<u8> = AtomicPtr::new(null_mut());

/// Makes sure that the reserve is there; false if there is no memory for it.
pub fn refill() -> bool {
    if !HELD.load(Ordering::Relaxed).is_null() {
        return true;
    }
    // SAFETY: the layout is not empty.
    let place = unsafe { System.alloc(SIZE) };
    if place.is_null() {
        return false;
    }
    if HELD.compare_exchange(null_mut(), place, Ordering::AcqRel, Ordering::Relaxed).is_err() {
        // SAFETY: it was allocated above with this layout, and nobody else has it.
        unsafe { System.dealloc(place, SIZE) };
    }
    true
}

#[cold]
fn release() -> bool {
    let place = HELD.swap(null_mut(), Ordering::AcqRel);
    if !place.is_null() {
        // SAFETY: `refill` allocated it with this layout, and whoever swaps it out is the only one to have it.
        unsafe { System.dealloc(place, SIZE) };
    }
    !place.is_null()
}

struct Reserve;

#[global_allocator]
static ALLOCATOR: Reserve = Reserve;

// SAFETY: every call goes to the system's allocator as it is; the second attempt is one more of the same.
unsafe impl GlobalAlloc for Reserve {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the promises of `GlobalAlloc`, which are those of `System`.
        let place = unsafe { System.alloc(layout) };
        if place.is_null() && layout.size() <= SMALL && release() {
            // SAFETY: the caller keeps the promises of `GlobalAlloc`, which are those of `System`.
            return unsafe { System.alloc(layout) };
        }
        place
    }

    #[inline]
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the promises of `GlobalAlloc`, which are those of `System`.
        unsafe { System.dealloc(place, layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the promises of `GlobalAlloc`, which are those of `System`.
        let place = unsafe { System.alloc_zeroed(layout) };
        if place.is_null() && layout.size() <= SMALL && release() {
            // SAFETY: the caller keeps the promises of `GlobalAlloc`, which are those of `System`.
            return unsafe { System.alloc_zeroed(layout) };
        }
        place
    }

    #[inline]
    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the promises of `GlobalAlloc`, which are those of `System`.
        let moved = unsafe { System.realloc(place, layout, size) };
        if moved.is_null() && size <= SMALL && release() {
            // SAFETY: the caller keeps the promises of `GlobalAlloc`, which are those of `System`.
            return unsafe { System.realloc(place, layout, size) };
        }
        moved
    }
}
