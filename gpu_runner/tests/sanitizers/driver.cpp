// Runs rmsnorm_fused over a few shapes, in buffers of exactly their length, and compares with f64. 0: right; 1: wrong.
#include <cstdlib>
#include <vector>

static double worst_error(unsigned rows, unsigned hidden) {
    // Not from a vector: its capacity could hide a step too far.
    auto buffer = [](size_t elements) { return static_cast<float *>(std::malloc(elements * sizeof(float))); };
    float *x = buffer(size_t(rows) * hidden), *weight = buffer(hidden), *y = buffer(size_t(rows) * hidden);
    float eps = 1e-6f;
    for (unsigned at = 0; at < rows * hidden; at++) x[at] = float(at * 7919 % 1000) / 500.0f - 1.0f;
    for (unsigned at = 0; at < hidden; at++) weight[at] = 1.0f + float(at % 3);
    for (unsigned at = 0; at < rows * hidden; at++) y[at] = NAN;
    void *arguments[] = {&x, &weight, &y, &rows, &hidden, &eps};
    unsigned grid[] = {rows, 1, 1}, block[] = {256, 1, 1};
    if (vramlab_run_rmsnorm_fused(grid, block, arguments) != 0) return INFINITY;
    double worst = 0.0;
    for (unsigned row = 0; row < rows; row++) {
        double sum = 0.0;
        for (unsigned column = 0; column < hidden; column++) sum += pow(x[row * hidden + column], 2.0);
        for (unsigned column = 0; column < hidden; column++) {
            double expected = x[row * hidden + column] / sqrt(sum / hidden + eps) * weight[column];
            double error = fabs(y[row * hidden + column] - expected);
            if (!(error <= worst)) worst = error;
        }
    }
    std::free(x);
    std::free(weight);
    std::free(y);
    return worst;
}

int main() {
    for (unsigned hidden : {1u, 31u, 256u, 333u}) {
        double worst = worst_error(2, hidden);
        if (!(worst < 1e-5)) {
            std::printf("off by %g at 2 x %u\n", worst, hidden);
            return 1;
        }
    }
    return 0;
}
