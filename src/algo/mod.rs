//! Pure data structures: they import nothing else of this crate, know no device and no C, and are
//! tested by properties and, through [`sync`], by loom.

pub mod address_map;
pub mod biased_lock;
pub mod block_cache;
mod chunked;
pub mod completion;
pub mod cpp_name;
pub mod distribution;
pub mod event_count;
pub mod float;
pub mod grow;
pub mod handle_watch;
pub mod heap;
#[cfg(not(loom))]
pub mod host_memory;
pub mod json;
mod large_vec;
pub mod level;
pub mod mix;
pub mod notice;
pub mod output_file;
pub mod pause;
pub mod per_thread;
pub mod philox;
pub mod pool;
mod prefetch;
pub mod published;
pub mod quiet_thread;
pub mod reclaim;
pub mod serving_thread;
pub mod share;
pub mod slot_table;
pub mod spin_lock;
pub mod stream_queue;
pub mod striped_count;
pub mod sync;
pub mod system_call;
pub mod thread_attributes;
pub mod typed_slots;

#[cfg(test)]
mod tests {
    /// Prints what one call of `step` costs.
    #[cfg(not(loom))]
    pub fn nanoseconds<R>(what: &str, mut step: impl FnMut() -> R) {
        const CALLS: u32 = 2_000_000;
        let mut best = f64::MAX;
        for _ in 0..3 {
            let start = std::time::Instant::now();
            for _ in 0..CALLS {
                std::hint::black_box(step());
            }
            best = best.min(start.elapsed().as_nanos() as f64 / f64::from(CALLS));
        }
        println!("{what}: {best:.1} ns");
    }

    /// Runs `body` in every order of its threads' steps in which a thread is interrupted at most
    /// three times; more has never been seen to matter, and takes for ever.
    /// `LOOM_MAX_PREEMPTIONS` and loom's other variables overrule it.
    #[cfg(loom)]
    pub fn model(body: impl Fn() + Sync + Send + 'static) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = builder.preemption_bound.or(Some(3));
        builder.check(body);
    }
}
