// Runs kernels.cu and compares with what plain C++ says. 0: right; 1: wrong.
#include <cstdlib>

static int wrong(const char *what) {
    std::printf("%s is wrong\n", what);
    return 1;
}

// Of exactly its length, so that a step too far shows.
template <class T> static T *buffer(size_t elements) { return static_cast<T *>(std::calloc(elements, sizeof(T))); }

static int reversed(unsigned n) {
    float *x = buffer<float>(n), *y = buffer<float>(n);
    for (unsigned at = 0; at < n; at++) x[at] = float(at);
    unsigned grid[] = {1, 1, 1}, block[] = {256, 1, 1};
    void *arguments[] = {&x, &y, &n};
    vramlab_dynamic_shared(n * sizeof(float) - (n > 1 ? TOO_SMALL : 0));
    if (vramlab_run_reverse(grid, block, arguments) != 0) return wrong("the launch of reverse");
    for (unsigned at = 0; at < n; at++) {
        if (y[at] != float(n - 1 - at)) return wrong("reverse");
    }
    std::free(x);
    std::free(y);
    return 0;
}

static int half_summed(unsigned n) {
    __half *x = buffer<__half>(n), *y = buffer<__half>(1);
    float expected = 0.0f;
    for (unsigned at = 0; at < n; at++) {
        x[at] = __float2half(float(at % 7) * 0.25f);
        expected += float(at % 7) * 0.25f;
    }
    unsigned grid[] = {1, 1, 1}, block[] = {32, 1, 1};
    void *arguments[] = {&x, &y, &n};
    if (vramlab_run_half_sum(grid, block, arguments) != 0 || float(y[0]) != expected) return wrong("half_sum");
    std::free(x);
    std::free(y);
    return 0;
}

static int scaled(unsigned n) {
    __nv_bfloat162 *x = buffer<__nv_bfloat162>(n), *y = buffer<__nv_bfloat162>(n);
    float by = 1.5f;
    for (unsigned at = 0; at < n; at++) x[at] = __floats2bfloat162_rn(float(at % 40), -float(at % 40));
    unsigned grid[] = {(n + 63) / 64, 1, 1}, block[] = {64, 1, 1};
    void *arguments[] = {&x, &y, &n, &by};
    if (vramlab_run_scale_pairs(grid, block, arguments) != 0) return wrong("the launch of scale_pairs");
    for (unsigned at = 0; at < n; at++) {
        float expected = float(at % 40) * 1.5f;
        if (float(y[at].x) != expected || float(y[at].y) != -expected) return wrong("scale_pairs");
    }
    std::free(x);
    std::free(y);
    return 0;
}

static int counted(unsigned n) {
    float *x = buffer<float>(n), *sum = buffer<float>(1), total = 0.0f;
    int *most = buffer<int>(1), largest = 0;
    unsigned *odd = buffer<unsigned>(1), odds = 0;
    for (unsigned at = 0; at < n; at++) {
        x[at] = float(at * 37 % 101);
        total += x[at];
        largest = largest < int(x[at]) ? int(x[at]) : largest;
        odds += int(x[at]) & 1;
    }
    unsigned grid[] = {(n + 63) / 64, 1, 1}, block[] = {64, 1, 1};
    void *arguments[] = {&x, &sum, &most, &odd, &n};
    if (vramlab_run_count(grid, block, arguments) != 0) return wrong("the launch of count");
    if (*sum != total || *most != largest || *odd != odds) return wrong("count");
    std::free(x);
    std::free(sum);
    std::free(most);
    std::free(odd);
    return 0;
}

int main() {
    for (unsigned n : {1u, 31u, 32u, 100u, 256u}) {
        if (reversed(n) || half_summed(n) || scaled(n) || counted(n)) return 1;
    }
    return 0;
}
