//! What the device reaches at all, measured on it in the same run: the rate of a plain copy, and of independent chains of
//! multiply and add. A share of these says more than a share of a data sheet.

use evidence::{EvidenceClass, Roofline};
use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::{
    Arg, Buffer, Cuda, Device, DeviceError, HostArg, Kernel, KernelFault, RunError, Samples, Share, Watch, Wgsl,
    arguments, copy,
};

const SOURCE: &str = include_str!("kernel.wgsl");
const WGSL: Option<Wgsl> = Some(Wgsl { source: SOURCE, share: Share::ItemOfInvocation { width: 256 } });
/// A thread for each item.
const CUDA: Cuda =
    Cuda { source: include_str!("kernel.cu"), ptx: Some(include_str!("kernel.ptx")), block: 256, items_of_block: 256 };
/// A thread for four words.
const WIDE: Option<Cuda> = Some(Cuda { items_of_block: 1024, ..CUDA });
const COPY: Kernel = Kernel { name: "roofline_copy", host: copy, cuda: WIDE, wgsl: WGSL };
const FMA: Kernel = Kernel { name: "roofline_fma", host: fma, cuda: Some(CUDA), wgsl: WGSL };
const KERNELS: [Kernel; 2] = [COPY, FMA];

/// Chains of one item; enough to fill the pipelines of a processor's vector units.
const CHAINS: usize = 32;
/// Timed runs of each.
const SAMPLES: u32 = 5;
/// A run is made longer until it takes so long: shorter ones measure the launch.
const LEAST_NS: u64 = 1_000_000;
const MOST_ROUNDS: u32 = 1 << 16;

/// Whether the backend has sources for it.
pub fn compile(device: &mut dyn Device, watch: &mut dyn Watch) -> Result<bool, RunError> {
    match device.compile(&KERNELS) {
        Err(error @ DeviceError::NoSource { .. }) => {
            watch.note(&format!("no roofline: {error}"));
            Ok(false)
        }
        other => Ok(other.map(|()| true)?),
    }
}

/// `None` on a device that has not the memory for it; the report then gives no shares.
pub fn measure(device: &mut dyn Device, watch: &mut dyn Watch) -> Result<Option<Roofline>, RunError> {
    let gpu = device.facts().evidence_class() == EvidenceClass::Gpu;
    // 128 MiB together on a GPU, whose caches hold up to 50 or so; 32 on a processor.
    let words: usize = if gpu { 1 << 24 } else { 1 << 22 };
    let items: u32 = if gpu { 1 << 18 } else { 1 << 10 };
    let mut buffers = Vec::new();
    let measured = rates(device, words, items, &mut buffers);
    let freed = buffers.into_iter().try_for_each(|buffer| device.free(buffer));
    let found = match measured {
        Err(RunError::Device(error @ (DeviceError::OutOfMemory { .. } | DeviceError::TooLarge { .. }))) => {
            watch.note(&format!("no roofline: {error}"));
            None
        }
        other => Some(other?),
    };
    freed?;
    if let Some(line) = &found {
        let (copy, flops) = (line.copy_bytes_per_s / 1e9, line.fma_flops_per_s / 1e9);
        watch.note(&format!("roofline: copy {copy:.1} GB/s, multiply and add {flops:.1} GFLOP/s"));
    }
    Ok(found)
}

fn rates(device: &mut dyn Device, words: usize, items: u32, buffers: &mut Vec<Buffer>) -> Result<Roofline, RunError> {
    let mut allocate = |label: &str, words: usize, device: &mut dyn Device| {
        let buffer = device.allocate(label, words)?;
        buffers.push(buffer);
        Ok::<_, DeviceError>(buffer)
    };
    let (from, to) = (allocate("roofline_from", words, device)?, allocate("roofline_to", words, device)?);
    let sums = allocate("roofline_sums", items as usize, device)?;
    let seed = allocate("roofline_seed", items as usize, device)?;
    device.upload(seed, &vec![0.25; items as usize])?;
    let mut contents: Vec<u32> = (0..words as u32).collect();
    device.upload_words(from, &contents)?;
    let length = u32::try_from(words).map_err(|_| RunError::Overflow { what: "roofline_copy" })?;
    let copied = time(device, (COPY.name, length), true, &[Arg::In(from), Arg::Out(to), Arg::U32(length)])?;
    contents.fill(0);
    device.download_words(to, &mut contents)?;
    if !contents.iter().zip(0u32..).all(|(found, expected)| *found == expected) {
        return Err(RunError::Roofline { what: "the copy differs from what was copied" });
    }

    let args = |rounds: u32| [Arg::In(seed), Arg::Out(sums), Arg::U32(items), Arg::U32(rounds)];
    let mut rounds = 64;
    while rounds < MOST_ROUNDS && quickest(device, (FMA.name, items), &args(rounds))? < LEAST_NS {
        rounds *= 4;
    }
    let computed = time(device, (FMA.name, items), false, &args(rounds))?;
    let mut found = vec![0.0; items as usize];
    device.download(sums, &mut found)?;
    // Each chain runs towards 2.
    if !found.iter().all(|sum| (sum / CHAINS as f32 - 2.0).abs() < 1e-3) {
        return Err(RunError::Roofline { what: "the chains of multiply and add end elsewhere" });
    }
    let bytes = words as u64 * 8;
    let flops = f64::from(items) * f64::from(rounds) * CHAINS as f64 * 2.0;
    Ok(Roofline {
        copy_bytes_per_s: bytes as f64 / copied,
        copy_bytes: bytes,
        fma_flops_per_s: flops / computed,
        timer: device.timer(),
    })
}

/// Seconds of the median run. What runs from registers needs no cold cache.
fn time(device: &mut dyn Device, launch: (&'static str, u32), cold: bool, args: &[Arg]) -> Result<f64, RunError> {
    let mut samples = Samples::default();
    once(device, launch, cold, args)?;
    for _ in 0..SAMPLES {
        samples.push(once(device, launch, cold, args)? as f64 / 1e9);
    }
    let median = samples.summary().map(|summary| summary.median).filter(|median| *median > 0.0);
    median.ok_or(RunError::Roofline { what: "the clock stood still" })
}

/// Of three: one that was interrupted would pass for a long one.
fn quickest(device: &mut dyn Device, launch: (&'static str, u32), args: &[Arg]) -> Result<u64, RunError> {
    let mut least = u64::MAX;
    for _ in 0..3 {
        least = least.min(once(device, launch, false, args)?);
    }
    Ok(least)
}

fn once(
    device: &mut dyn Device,
    (kernel, items): (&'static str, u32),
    cold: bool,
    args: &[Arg],
) -> Result<u64, RunError> {
    if cold {
        device.flush_cache()?;
    }
    device.synchronise()?;
    device.start_timer()?;
    device.launch(kernel, items, args)?;
    let timing = device.stop_timer()?;
    if timing.is_plausible() { Ok(timing.device_ns) } else { Err(RunError::Clock { timing }) }
}

fn fma(args: &mut [HostArg<'_>]) -> Result<(), KernelFault> {
    let [HostArg::In(seed), HostArg::Out(sums), HostArg::U32(items), HostArg::U32(rounds)] = args else {
        return arguments("in seed, out sums, u32 items, u32 rounds");
    };
    seed.expect("seed", *items as usize)?;
    sums.expect("sums", *items as usize)?;
    let (rounds, arch) = (*rounds, Arch::new());
    let items = sums.all().par_chunks_mut(ITEMS).zip(seed.all().par_chunks(ITEMS));
    items.for_each(|(sums, seeds)| arch.dispatch(Chains { sums, seeds, rounds }));
    Ok(())
}

/// Items that a thread takes at once.
const ITEMS: usize = 64;

/// Items side by side: one alone waits for each of its own results.
const ABREAST: usize = 3;

/// With the vector units that the processor has, as the operators are.
struct Chains<'a> {
    sums: &'a mut [f32],
    seeds: &'a [f32],
    rounds: u32,
}

impl NullaryFnOnce for Chains<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (sums, seeds) in self.sums.chunks_mut(ABREAST).zip(self.seeds.chunks(ABREAST)) {
            let mut chains = [0.0_f32; ABREAST * CHAINS];
            for (chains, seed) in chains.chunks_exact_mut(CHAINS).zip(seeds) {
                chains.iter_mut().zip(0_u8..).for_each(|(chain, at)| *chain = seed * f32::from(at));
            }
            for _ in 0..self.rounds {
                for chain in &mut chains {
                    *chain = *chain * 0.5 + 1.0;
                }
            }
            for (sum, chains) in sums.iter_mut().zip(chains.chunks_exact(CHAINS)) {
                *sum = chains.iter().sum();
            }
        }
    }
}
