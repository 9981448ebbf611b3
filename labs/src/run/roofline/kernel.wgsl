// What a device reaches at all. Bindings are used again by each entry point.

const WIDTH: u32 = 256u;

fn item(group: vec3<u32>, groups: vec3<u32>, lane: u32) -> u32 {
    return (group.x + group.y * groups.x) * WIDTH + lane;
}

struct CopyNumbers { words: u32 }
@group(0) @binding(0) var<storage, read> copy_from: array<u32>;
@group(0) @binding(1) var<storage, read_write> copy_to: array<u32>;
@group(0) @binding(2) var<uniform> copied: CopyNumbers;

@compute @workgroup_size(WIDTH)
fn roofline_copy(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = item(group, groups, lane);
    if (at < copied.words) { copy_to[at] = copy_from[at]; }
}

// Eight vectors of four independent chains, each running towards 2.

struct FmaNumbers { items: u32, rounds: u32 }
@group(0) @binding(0) var<storage, read> fma_seed: array<f32>;
@group(0) @binding(1) var<storage, read_write> fma_sums: array<f32>;
@group(0) @binding(2) var<uniform> chained: FmaNumbers;

@compute @workgroup_size(WIDTH)
fn roofline_fma(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = item(group, groups, lane);
    if (at >= chained.items) { return; }
    let start = vec4<f32>(0.0, 1.0, 2.0, 3.0) * fma_seed[at];
    let half = vec4<f32>(0.5);
    let one = vec4<f32>(1.0);
    var a = start;
    var b = start + 1.0;
    var c = start + 2.0;
    var d = start + 3.0;
    var e = start + 4.0;
    var f = start + 5.0;
    var g = start + 6.0;
    var h = start + 7.0;
    for (var round = 0u; round < chained.rounds; round++) {
        a = fma(a, half, one);
        b = fma(b, half, one);
        c = fma(c, half, one);
        d = fma(d, half, one);
        e = fma(e, half, one);
        f = fma(f, half, one);
        g = fma(g, half, one);
        h = fma(h, half, one);
    }
    let sums = a + b + c + d + e + f + g + h;
    fma_sums[at] = sums.x + sums.y + sums.z + sums.w;
}
