// RMSNorm in one pass. x and y are rows x hidden, row-major; weight has hidden elements.
// Dispatched with one workgroup for each row; where rows are more than one dimension holds, groups go on in the second.

struct Numbers { rows: u32, hidden: u32, eps: f32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> weight: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> numbers: Numbers;

@compute @workgroup_size(256)
fn rmsnorm_fused(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = group.x + group.y * groups.x;
    // One invocation does the whole row: right, but 255 others wait.
    if (row >= numbers.rows || lane != 0u) { return; }
    let start = row * numbers.hidden;

    var sum = 0.0;
    for (var column = 0u; column < numbers.hidden; column += 1u) {
        sum += x[start + column] * x[start + column];
    }
    let inverse = 1.0 / sqrt(sum / f32(numbers.hidden) + numbers.eps);
    for (var column = 0u; column < numbers.hidden; column += 1u) {
        y[start + column] = x[start + column] * inverse * weight[column];
    }
}
