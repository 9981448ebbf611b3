// Copies and conversions on raw words. `to_bf16`, `to_e4m3` and `from_e4m3` stand in a source of their own.
// Bindings are used again by each entry point: source, target, numbers. An invocation has one word of the narrower side.

const WIDTH: u32 = 256u;

struct Numbers { count: u32 }
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> target_: array<u32>;
@group(0) @binding(2) var<uniform> numbers: Numbers;

fn item(group: vec3<u32>, groups: vec3<u32>, lane: u32) -> u32 {
    return (group.x + group.y * groups.x) * WIDTH + lane;
}

@compute @workgroup_size(WIDTH)
fn copy_words(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = item(group, groups, lane);
    if (at < numbers.count) { target_[at] = source[at]; }
}

@compute @workgroup_size(WIDTH)
fn fp32_to_bf16(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = item(group, groups, lane);
    let first = at * 2u;
    if (first >= numbers.count) { return; }
    var word = to_bf16(source[first]);
    if (first + 1u < numbers.count) { word |= to_bf16(source[first + 1u]) << 16u; }
    target_[at] = word;
}

@compute @workgroup_size(WIDTH)
fn bf16_to_fp32(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = item(group, groups, lane);
    let first = at * 2u;
    if (first >= numbers.count) { return; }
    let word = source[at];
    target_[first] = word << 16u;
    if (first + 1u < numbers.count) { target_[first + 1u] = word & 0xFFFF0000u; }
}

@compute @workgroup_size(WIDTH)
fn fp32_to_fp8(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = item(group, groups, lane);
    let first = at * 4u;
    if (first >= numbers.count) { return; }
    var word = 0u;
    for (var part = 0u; part < 4u && first + part < numbers.count; part++) {
        word |= to_e4m3(source[first + part]) << (part * 8u);
    }
    target_[at] = word;
}

@compute @workgroup_size(WIDTH)
fn fp8_to_fp32(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = item(group, groups, lane);
    let first = at * 4u;
    if (first >= numbers.count) { return; }
    let word = source[at];
    for (var part = 0u; part < 4u && first + part < numbers.count; part++) {
        target_[first + part] = from_e4m3((word >> (part * 8u)) & 255u);
    }
}
