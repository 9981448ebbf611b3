// RMSNorm in four passes and in one. Buffers are rows × hidden, row-major; one value per row in `mean` and `inverse`.
// Bindings are used again by each entry point: buffers in the order of its arguments, then its numbers.

const WIDTH: u32 = 256u;

var<workgroup> partial: array<f32, WIDTH>;

// Adds the values of all invocations of a workgroup, in a tree: log2(WIDTH) roundings instead of WIDTH.
fn together(value: f32, lane: u32) -> f32 {
    partial[lane] = value;
    workgroupBarrier();
    for (var half = WIDTH / 2u; half > 0u; half = half / 2u) {
        if (lane < half) {
            partial[lane] = partial[lane] + partial[lane + half];
        }
        workgroupBarrier();
    }
    let sum = partial[0];
    workgroupBarrier();
    return sum;
}

// A dispatch of more groups than one dimension holds goes on in the second.
fn number_of(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return group.x + group.y * groups.x;
}

// One pass: the row's sum of squares, then the row scaled. The second reading of a row comes from the cache.

struct FusedNumbers { rows: u32, hidden: u32, eps: f32 }
@group(0) @binding(0) var<storage, read> fused_x: array<f32>;
@group(0) @binding(1) var<storage, read> fused_weight: array<f32>;
@group(0) @binding(2) var<storage, read_write> fused_y: array<f32>;
@group(0) @binding(3) var<uniform> fused: FusedNumbers;

@compute @workgroup_size(WIDTH)
fn rmsnorm_fused(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = number_of(group, groups);
    // The same for a whole group, so that its barriers are met by all or by none.
    if (row >= fused.rows) { return; }
    let start = row * fused.hidden;
    var sum = 0.0;
    for (var column = lane; column < fused.hidden; column += WIDTH) {
        let value = fused_x[start + column];
        sum += value * value;
    }
    let inverse = 1.0 / sqrt(together(sum, lane) / f32(fused.hidden) + fused.eps);
    for (var column = lane; column < fused.hidden; column += WIDTH) {
        fused_y[start + column] = fused_x[start + column] * inverse * fused_weight[column];
    }
}

// Four passes with their results in device memory.

struct SquareNumbers { elements: u32 }
@group(0) @binding(0) var<storage, read> square_x: array<f32>;
@group(0) @binding(1) var<storage, read_write> square_out: array<f32>;
@group(0) @binding(2) var<uniform> squared: SquareNumbers;

@compute @workgroup_size(WIDTH)
fn square(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = number_of(group, groups) * WIDTH + lane;
    if (at >= squared.elements) { return; }
    square_out[at] = square_x[at] * square_x[at];
}

struct MeanNumbers { rows: u32, hidden: u32 }
@group(0) @binding(0) var<storage, read> mean_squares: array<f32>;
@group(0) @binding(1) var<storage, read_write> mean_out: array<f32>;
@group(0) @binding(2) var<uniform> mean: MeanNumbers;

@compute @workgroup_size(WIDTH)
fn row_mean(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = number_of(group, groups);
    if (row >= mean.rows) { return; }
    var sum = 0.0;
    for (var column = lane; column < mean.hidden; column += WIDTH) {
        sum += mean_squares[row * mean.hidden + column];
    }
    let total = together(sum, lane);
    if (lane == 0u) {
        mean_out[row] = total / f32(mean.hidden);
    }
}

struct RootNumbers { rows: u32, eps: f32 }
@group(0) @binding(0) var<storage, read> root_mean: array<f32>;
@group(0) @binding(1) var<storage, read_write> root_out: array<f32>;
@group(0) @binding(2) var<uniform> root: RootNumbers;

@compute @workgroup_size(WIDTH)
fn inverse_root(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = number_of(group, groups) * WIDTH + lane;
    if (row >= root.rows) { return; }
    root_out[row] = 1.0 / sqrt(root_mean[row] + root.eps);
}

struct ScaleNumbers { rows: u32, hidden: u32 }
@group(0) @binding(0) var<storage, read> scale_x: array<f32>;
@group(0) @binding(1) var<storage, read> scale_inverse: array<f32>;
@group(0) @binding(2) var<storage, read> scale_weight: array<f32>;
@group(0) @binding(3) var<storage, read_write> scale_y: array<f32>;
@group(0) @binding(4) var<uniform> scaled: ScaleNumbers;

@compute @workgroup_size(WIDTH)
fn scale_rows(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = number_of(group, groups);
    if (row >= scaled.rows) { return; }
    let start = row * scaled.hidden;
    let inverse = scale_inverse[row];
    for (var column = lane; column < scaled.hidden; column += WIDTH) {
        scale_y[start + column] = scale_x[start + column] * inverse * scale_weight[column];
    }
}
