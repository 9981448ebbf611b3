// A KV cache in narrow formats. A cache is tokens x (heads x dim), row by row; codes are packed into words, the first in the
// lowest bits. Formats: 0 BF16 without scales, 1 INT8, 2 FP8 E4M3, 3 INT4. Scales: 0 per tensor, 1 per token, 2 per head.
// `to_bf16`, `to_e4m3` and `from_e4m3` stand in a source of their own.
// Bindings are used again by each entry point: buffers in the order of its arguments, then its numbers.

const WIDTH: u32 = 128u;

fn number_of(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return group.x + group.y * groups.x;
}

fn bits_of(format: u32) -> u32 {
    if (format == 0u) { return 16u; }
    return select(8u, 4u, format == 3u);
}

fn top_of(format: u32) -> f32 {
    if (format == 1u) { return 127.0; }
    return select(448.0, 7.0, format == 3u);
}

fn group_of(per: u32, token: u32, head: u32) -> u32 {
    if (per == 0u) { return 0u; }
    return select(head, token, per == 1u);
}

fn code_of(format: u32, scaled: f32) -> u32 {
    if (format == 2u) { return to_e4m3(bitcast<u32>(scaled)); }
    let top = top_of(format);
    let whole = i32(clamp(round(scaled), -top, top));
    return bitcast<u32>(whole) & select(255u, 15u, format == 3u);
}

// The number at a place of a word, still to be multiplied by its scale.
fn value_at(format: u32, word: u32, place: u32) -> f32 {
    let bits = bits_of(format);
    let code = word >> (place * bits);
    if (format == 0u) { return bitcast<f32>(code << 16u); }
    if (format == 2u) { return bitcast<f32>(from_e4m3(code & 255u)); }
    let unused = 32u - bits;
    return f32(bitcast<i32>(code << unused) >> unused);
}

var<workgroup> partial: array<f32, WIDTH>;

fn together(value: f32, lane: u32) -> f32 {
    partial[lane] = value;
    workgroupBarrier();
    for (var half = WIDTH / 2u; half > 0u; half = half / 2u) {
        if (lane < half) { partial[lane] = partial[lane] + partial[lane + half]; }
        workgroupBarrier();
    }
    let sum = partial[0];
    workgroupBarrier();
    return sum;
}

fn highest(value: f32, lane: u32) -> f32 {
    partial[lane] = value;
    workgroupBarrier();
    for (var half = WIDTH / 2u; half > 0u; half = half / 2u) {
        if (lane < half) { partial[lane] = max(partial[lane], partial[lane + half]); }
        workgroupBarrier();
    }
    let top = partial[0];
    workgroupBarrier();
    return top;
}

// A workgroup for each scale. What shares one is a block of rows and columns.

struct ScaleNumbers { tokens: u32, heads: u32, dim: u32, per: u32, format: u32 }
@group(0) @binding(0) var<storage, read> scales_source: array<f32>;
@group(0) @binding(1) var<storage, read_write> scales_out: array<f32>;
@group(0) @binding(2) var<uniform> scaled: ScaleNumbers;

@compute @workgroup_size(WIDTH)
fn kv_scales(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = number_of(group, groups);
    let row = scaled.heads * scaled.dim;
    var count = 1u;
    if (scaled.per == 1u) { count = scaled.tokens; }
    if (scaled.per == 2u) { count = scaled.heads; }
    // The same for a whole group, so that its barriers are met by all or by none.
    if (at >= count) { return; }
    let tall = select(scaled.tokens, 1u, scaled.per == 1u);
    let wide = select(row, scaled.dim, scaled.per == 2u);
    let first = select(0u, at * row, scaled.per == 1u) + select(0u, at * scaled.dim, scaled.per == 2u);
    var top = 0.0;
    for (var index = lane; index < tall * wide; index += WIDTH) {
        top = max(top, abs(scales_source[first + index / wide * row + index % wide]));
    }
    let found = highest(top, lane);
    if (lane == 0u) { scales_out[at] = found / top_of(scaled.format); }
}

// An invocation for each word.

struct EncodeNumbers { tokens: u32, heads: u32, dim: u32, per: u32, format: u32 }
@group(0) @binding(0) var<storage, read> encode_source: array<f32>;
@group(0) @binding(1) var<storage, read> encode_scales: array<f32>;
@group(0) @binding(2) var<storage, read_write> encode_codes: array<u32>;
@group(0) @binding(3) var<uniform> encoded: EncodeNumbers;

@compute @workgroup_size(WIDTH)
fn kv_encode(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = number_of(group, groups) * WIDTH + lane;
    let bits = bits_of(encoded.format);
    let of_word = 32u / bits;
    let row = encoded.heads * encoded.dim;
    if (at >= encoded.tokens * (row / of_word)) { return; }
    let first = at * of_word;
    let scale = encode_scales[group_of(encoded.per, first / row, first % row / encoded.dim)];
    var word = 0u;
    if (scale > 0.0) {
        for (var place = 0u; place < of_word; place++) {
            word |= code_of(encoded.format, encode_source[first + place] / scale) << (place * bits);
        }
    }
    encode_codes[at] = word;
}

struct WordNumbers { words: u32 }
@group(0) @binding(0) var<storage, read> halves_source: array<u32>;
@group(0) @binding(1) var<storage, read_write> halves_codes: array<u32>;
@group(0) @binding(2) var<uniform> halved: WordNumbers;

@compute @workgroup_size(WIDTH)
fn bf16_encode(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = number_of(group, groups) * WIDTH + lane;
    if (at >= halved.words) { return; }
    halves_codes[at] = to_bf16(halves_source[at * 2u]) | (to_bf16(halves_source[at * 2u + 1u]) << 16u);
}

// query . key: a workgroup for each token and head.

struct AttendNumbers { tokens: u32, heads: u32, dim: u32, per: u32, format: u32 }
@group(0) @binding(0) var<storage, read> attend_given: array<f32>;
@group(0) @binding(1) var<storage, read> attend_codes: array<u32>;
@group(0) @binding(2) var<storage, read> attend_scales: array<f32>;
@group(0) @binding(3) var<storage, read_write> attend_out: array<f32>;
@group(0) @binding(4) var<uniform> attended: AttendNumbers;

@compute @workgroup_size(WIDTH)
fn kv_scores(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = number_of(group, groups);
    if (at >= attended.tokens * attended.heads) { return; }
    let head = at % attended.heads;
    let of_word = 32u / bits_of(attended.format);
    let words = attended.dim / of_word;
    var sum = 0.0;
    for (var index = lane; index < words; index += WIDTH) {
        let word = attend_codes[at * words + index];
        for (var place = 0u; place < of_word; place++) {
            sum += attend_given[head * attended.dim + index * of_word + place] * value_at(attended.format, word, place);
        }
    }
    let total = together(sum, lane);
    if (lane == 0u) {
        attend_out[at] = total * attend_scales[group_of(attended.per, at / attended.heads, head)];
    }
}

// Values added up by their weights: a workgroup for each word of a row, its invocations share the tokens.

@compute @workgroup_size(WIDTH)
fn kv_sums(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = number_of(group, groups);
    let of_word = 32u / bits_of(attended.format);
    let words = attended.heads * attended.dim / of_word;
    if (at >= words) { return; }
    let head = at * of_word / attended.dim;
    var sums: array<f32, 8>;
    for (var token = lane; token < attended.tokens; token += WIDTH) {
        let weight = attend_given[token * attended.heads + head] * attend_scales[group_of(attended.per, token, head)];
        let word = attend_codes[token * words + at];
        for (var place = 0u; place < of_word; place++) {
            sums[place] += weight * value_at(attended.format, word, place);
        }
    }
    for (var place = 0u; place < of_word; place++) {
        let total = together(sums[place], lane);
        if (lane == 0u) { attend_out[at * of_word + place] = total; }
    }
}

struct PlainNumbers { tokens: u32, heads: u32, dim: u32 }
@group(0) @binding(0) var<storage, read> plain_given: array<f32>;
@group(0) @binding(1) var<storage, read> plain_codes: array<u32>;
@group(0) @binding(2) var<storage, read_write> plain_out: array<f32>;
@group(0) @binding(3) var<uniform> plain: PlainNumbers;

@compute @workgroup_size(WIDTH)
fn bf16_scores(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = number_of(group, groups);
    if (at >= plain.tokens * plain.heads) { return; }
    let head = at % plain.heads;
    let words = plain.dim / 2u;
    var sum = 0.0;
    for (var index = lane; index < words; index += WIDTH) {
        let word = plain_codes[at * words + index];
        let place = head * plain.dim + index * 2u;
        sum += plain_given[place] * value_at(0u, word, 0u) + plain_given[place + 1u] * value_at(0u, word, 1u);
    }
    let total = together(sum, lane);
    if (lane == 0u) { plain_out[at] = total; }
}

@compute @workgroup_size(WIDTH)
fn bf16_sums(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = number_of(group, groups);
    let words = plain.heads * plain.dim / 2u;
    if (at >= words) { return; }
    let head = at * 2u / plain.dim;
    var sums = vec2<f32>(0.0);
    for (var token = lane; token < plain.tokens; token += WIDTH) {
        let word = plain_codes[token * words + at];
        sums += plain_given[token * plain.heads + head] * vec2<f32>(value_at(0u, word, 0u), value_at(0u, word, 1u));
    }
    let low = together(sums.x, lane);
    let high = together(sums.y, lane);
    if (lane == 0u) {
        plain_out[at * 2u] = low;
        plain_out[at * 2u + 1u] = high;
    }
}
