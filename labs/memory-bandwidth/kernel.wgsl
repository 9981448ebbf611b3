// Copies and conversions on raw words. Formats are rounded with integers, so that no driver's float mode plays a part.
// Bindings are used again by each entry point: source, target, numbers. An invocation has one word of the narrower side.

const WIDTH: u32 = 256u;

struct Numbers { count: u32 }
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> target_: array<u32>;
@group(0) @binding(2) var<uniform> numbers: Numbers;

fn item(group: vec3<u32>, groups: vec3<u32>, lane: u32) -> u32 {
    return (group.x + group.y * groups.x) * WIDTH + lane;
}

fn to_bf16(bits: u32) -> u32 {
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) { return (bits >> 16u) | 0x40u; }
    return (bits + 0x7FFFu + ((bits >> 16u) & 1u)) >> 16u;
}

fn to_e4m3(bits: u32) -> u32 {
    let sign = (bits >> 24u) & 0x80u;
    let magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) { return sign | 0x7Fu; }
    if (magnitude >= 0x43E00000u) { return sign | 0x7Eu; }
    if (magnitude < 0x3C800000u) {
        // Multiples of 2^-9.
        let exponent = magnitude >> 23u;
        if (exponent < 117u) { return sign; }
        let mantissa = (magnitude & 0x7FFFFFu) | 0x800000u;
        let shift = 141u - exponent;
        let whole = mantissa >> shift;
        let rest = mantissa & ((1u << shift) - 1u);
        let half = 1u << (shift - 1u);
        let up = rest > half || (rest == half && (whole & 1u) == 1u);
        return sign | (whole + select(0u, 1u, up));
    }
    let rounded = magnitude + 0x7FFFFu + ((magnitude >> 20u) & 1u);
    return sign | ((rounded >> 20u) - 960u);
}

// Bits of the FP32, subnormal codes by their leading one.
fn from_e4m3(code: u32) -> u32 {
    let sign = (code & 0x80u) << 24u;
    let exponent = (code >> 3u) & 15u;
    let mantissa = code & 7u;
    if (exponent == 15u && mantissa == 7u) { return sign | 0x7FC00000u; }
    if (exponent > 0u) { return sign | ((exponent + 120u) << 23u) | (mantissa << 20u); }
    if (mantissa == 0u) { return sign; }
    let top = firstLeadingBit(mantissa);
    return sign | ((118u + top) << 23u) | ((mantissa << (23u - top)) & 0x7FFFFFu);
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
