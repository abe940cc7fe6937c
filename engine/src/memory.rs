//! The two things a large table wants from the machine: a cache line ahead of its use, and large pages.
//!
//! Both are advice: where the machine does not know them they do nothing. All `unsafe` of the engine is here.

/// Asks for the cache line of `target` to be fetched.
#[inline(always)]
pub fn prefetch<T>(target: &T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch reads nothing and faults on no address; SSE is part of x86_64.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(target).cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = target;
}

/// Asks for large pages under the spare room of `vec`, before that room is first written to.
pub fn advise_large_pages<T>(vec: &mut Vec<T>) {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        const PAGE: usize = 4096;
        const MADV_HUGEPAGE: std::ffi::c_int = 14;
        // SAFETY: this is how the C library declares it.
        unsafe extern "C" {
            fn madvise(start: *mut std::ffi::c_void, len: usize, advice: std::ffi::c_int) -> std::ffi::c_int;
        }
        let room = vec.spare_capacity_mut();
        let start = room.as_mut_ptr().cast::<u8>();
        let skip = start.align_offset(PAGE);
        let len = std::mem::size_of_val(room).saturating_sub(skip) / PAGE * PAGE;
        if len > 0 {
            // SAFETY: the range lies in memory that `vec` owns, and this advice changes no contents: it only lets
            // the kernel back the range by large pages. A refusal (no such pages here) needs no answer.
            unsafe { madvise(start.wrapping_add(skip).cast(), len, MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = vec;
}

/// The bytes that the machine could give now without swapping, if it says so.
#[must_use]
pub fn available_bytes() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    });
    let number = |path: &str| read(path)?.trim().parse::<u64>().ok();
    // A container's limit binds as well.
    let limit = number("/sys/fs/cgroup/memory.max");
    let used = number("/sys/fs/cgroup/memory.current").unwrap_or(0);
    match (machine, limit.map(|limit| limit.saturating_sub(used))) {
        (Some(machine), Some(group)) => Some(machine.min(group)),
        (machine, group) => machine.or(group),
    }
}
