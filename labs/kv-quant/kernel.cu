// A KV cache in narrow formats. A cache is tokens × (heads × dim), row by row; codes are packed into words, the first in the
// lowest bits. Scales: 0 per tensor, 1 per token, 2 per head. Each format has code of its own, so that no loop asks for it.

#define WIDTH 256u
#define WARP 32u
#define WARPS (WIDTH / WARP)
#define ALL 0xffffffffu
// Words of a row that a block of the sums takes side by side: as many bytes as a GPU reads at least.
#define COLUMNS 8u

enum Format : unsigned { BF16 = 0, INT8 = 1, FP8 = 2, INT4 = 3 };

static constexpr __device__ unsigned bits_of(Format format) {
    return format == BF16 ? 16u : format == INT4 ? 4u : 8u;
}

static constexpr __device__ float top_of(unsigned format) {
    return format == INT8 ? 127.0f : format == INT4 ? 7.0f : 448.0f;
}

static __device__ unsigned group_of(unsigned per, unsigned token, unsigned head) {
    return per == 0u ? 0u : per == 1u ? token : head;
}

static __device__ unsigned to_bf16(unsigned bits) {
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return bits >> 16 | 0x40u;
    }
    return (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
}

static __device__ unsigned to_e4m3(float value) {
    const unsigned bits = __float_as_uint(value), sign = bits >> 24 & 0x80u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return sign | 0x7fu;
    }
    if (magnitude >= 0x43e00000u) {
        return sign | 0x7eu;
    }
    if (magnitude < 0x3c800000u) {
        // Multiples of 2^-9.
        const unsigned exponent = magnitude >> 23;
        if (exponent < 117u) {
            return sign;
        }
        const unsigned mantissa = (magnitude & 0x7fffffu) | 0x800000u, shift = 141u - exponent;
        const unsigned whole = mantissa >> shift, rest = mantissa & ((1u << shift) - 1u), half = 1u << (shift - 1u);
        return sign | (whole + (rest > half || (rest == half && (whole & 1u)) ? 1u : 0u));
    }
    const unsigned rounded = magnitude + 0x7ffffu + (magnitude >> 20 & 1u);
    return sign | ((rounded >> 20) - 960u);
}

static __device__ float from_e4m3(unsigned code) {
    const float sign = code & 0x80u ? -1.0f : 1.0f;
    const unsigned exponent = code >> 3 & 15u, mantissa = code & 7u;
    if (exponent == 0u) {
        return sign * (float)mantissa / 512.0f;
    }
    return sign * __uint_as_float((exponent + 120u) << 23 | mantissa << 20);
}

template <Format FORMAT> static __device__ unsigned code_of(float scaled) {
    if (FORMAT == FP8) {
        return to_e4m3(scaled);
    }
    const float top = top_of(FORMAT);
    return (unsigned)(int)fminf(fmaxf(rintf(scaled), -top), top) & (FORMAT == INT4 ? 15u : 255u);
}

// The number at a place of a word, still to be multiplied by its scale.
template <Format FORMAT> static __device__ float value_at(unsigned word, unsigned place) {
    const unsigned code = word >> (place * bits_of(FORMAT));
    if (FORMAT == BF16) {
        return __uint_as_float(code << 16);
    }
    if (FORMAT == FP8) {
        return from_e4m3(code & 255u);
    }
    const unsigned unused = 32u - bits_of(FORMAT);
    return (float)((int)(code << unused) >> unused);
}

// A block for each scale. What shares one is a block of rows and columns.
extern "C" __global__ void __launch_bounds__(WIDTH) kv_scales(
    const float *__restrict__ source,
    float *__restrict__ scales,
    unsigned tokens,
    unsigned heads,
    unsigned dim,
    unsigned per,
    unsigned format) {
    __shared__ float partial[WARPS];
    const unsigned at = blockIdx.x, row = heads * dim;
    // The same for a whole block, so that its barriers are met by all or by none.
    if (at >= (per == 0u ? 1u : per == 1u ? tokens : heads)) {
        return;
    }
    const unsigned tall = per == 1u ? 1u : tokens, wide = per == 2u ? dim : row;
    const unsigned first = per == 1u ? at * row : per == 2u ? at * dim : 0u;
    float top = 0.0f;
    for (unsigned index = threadIdx.x; index < tall * wide; index += WIDTH) {
        top = fmaxf(top, fabsf(source[first + index / wide * row + index % wide]));
    }
    for (unsigned distance = WARP / 2u; distance > 0u; distance /= 2u) {
        top = fmaxf(top, __shfl_xor_sync(ALL, top, distance));
    }
    if (threadIdx.x % WARP == 0u) {
        partial[threadIdx.x / WARP] = top;
    }
    __syncthreads();
    if (threadIdx.x == 0u) {
        for (unsigned warp = 1u; warp < WARPS; warp++) {
            top = fmaxf(top, partial[warp]);
        }
        scales[at] = top / top_of(format);
    }
}

template <Format FORMAT>
static __device__ void encode(
    const float *source, const float *scales, unsigned *codes, unsigned tokens, unsigned heads, unsigned dim, unsigned per) {
    constexpr unsigned OF_WORD = 32u / bits_of(FORMAT);
    const unsigned at = blockIdx.x * WIDTH + threadIdx.x, row = heads * dim;
    if (at >= tokens * (row / OF_WORD)) {
        return;
    }
    const unsigned first = at * OF_WORD;
    const float scale = scales[group_of(per, first / row, first % row / dim)];
    unsigned word = 0u;
    if (scale > 0.0f) {
#pragma unroll
        for (unsigned place = 0u; place < OF_WORD; place++) {
            word |= code_of<FORMAT>(source[first + place] / scale) << (place * bits_of(FORMAT));
        }
    }
    codes[at] = word;
}

// A thread for each word.
extern "C" __global__ void __launch_bounds__(WIDTH) kv_encode(
    const float *__restrict__ source,
    const float *__restrict__ scales,
    unsigned *__restrict__ codes,
    unsigned tokens,
    unsigned heads,
    unsigned dim,
    unsigned per,
    unsigned format) {
    if (format == INT8) {
        encode<INT8>(source, scales, codes, tokens, heads, dim, per);
    } else if (format == FP8) {
        encode<FP8>(source, scales, codes, tokens, heads, dim, per);
    } else {
        encode<INT4>(source, scales, codes, tokens, heads, dim, per);
    }
}

extern "C" __global__ void __launch_bounds__(WIDTH) bf16_encode(
    const unsigned *__restrict__ source, unsigned *__restrict__ codes, unsigned words) {
    const unsigned at = blockIdx.x * WIDTH + threadIdx.x;
    if (at < words) {
        codes[at] = to_bf16(source[at * 2u]) | to_bf16(source[at * 2u + 1u]) << 16;
    }
}

// query · key: a warp for each token and head, which needs no barrier.
template <Format FORMAT>
static __device__ void score(
    const float *query,
    const unsigned *codes,
    const float *scales,
    float *out,
    unsigned tokens,
    unsigned heads,
    unsigned dim,
    unsigned per) {
    constexpr unsigned OF_WORD = 32u / bits_of(FORMAT);
    const unsigned at = blockIdx.x * WARPS + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (at >= tokens * heads) {
        return;
    }
    const unsigned head = at % heads, words = dim / OF_WORD;
    float sum = 0.0f;
    for (unsigned index = lane; index < words; index += WARP) {
        const unsigned word = codes[(unsigned long long)at * words + index];
#pragma unroll
        for (unsigned place = 0u; place < OF_WORD; place++) {
            sum += query[head * dim + index * OF_WORD + place] * value_at<FORMAT>(word, place);
        }
    }
    for (unsigned distance = WARP / 2u; distance > 0u; distance /= 2u) {
        sum += __shfl_xor_sync(ALL, sum, distance);
    }
    if (lane == 0u) {
        out[at] = FORMAT == BF16 ? sum : sum * scales[group_of(per, at / heads, head)];
    }
}

extern "C" __global__ void __launch_bounds__(WIDTH) kv_scores(
    const float *__restrict__ query,
    const unsigned *__restrict__ codes,
    const float *__restrict__ scales,
    float *__restrict__ out,
    unsigned tokens,
    unsigned heads,
    unsigned dim,
    unsigned per,
    unsigned format) {
    if (format == INT8) {
        score<INT8>(query, codes, scales, out, tokens, heads, dim, per);
    } else if (format == FP8) {
        score<FP8>(query, codes, scales, out, tokens, heads, dim, per);
    } else {
        score<INT4>(query, codes, scales, out, tokens, heads, dim, per);
    }
}

extern "C" __global__ void __launch_bounds__(WIDTH) bf16_scores(
    const float *__restrict__ query,
    const unsigned *__restrict__ codes,
    float *__restrict__ out,
    unsigned tokens,
    unsigned heads,
    unsigned dim) {
    score<BF16>(query, codes, nullptr, out, tokens, heads, dim, 0u);
}

// Adds the values of the threads that have the same column: within a warp by registers, then over the warps. Every thread of
// the block must call.
static __device__ float down(float value) {
    __shared__ float partial[WARPS][COLUMNS];
    const unsigned column = threadIdx.x % COLUMNS, lane = threadIdx.x % WARP;
    for (unsigned distance = COLUMNS; distance < WARP; distance *= 2u) {
        value += __shfl_xor_sync(ALL, value, distance);
    }
    if (lane < COLUMNS) {
        partial[threadIdx.x / WARP][column] = value;
    }
    __syncthreads();
    float sum = 0.0f;
    for (unsigned warp = 0u; warp < WARPS; warp++) {
        sum += partial[warp][column];
    }
    __syncthreads();
    return sum;
}

// Values added up by their weights: a block takes some words of a row side by side, its threads share the tokens.
template <Format FORMAT>
static __device__ void sum_up(
    const float *weights,
    const unsigned *codes,
    const float *scales,
    float *out,
    unsigned tokens,
    unsigned heads,
    unsigned dim,
    unsigned per) {
    constexpr unsigned OF_WORD = 32u / bits_of(FORMAT);
    const unsigned at = blockIdx.x * COLUMNS + threadIdx.x % COLUMNS, words = heads * dim / OF_WORD;
    const bool is_word = at < words;
    const unsigned head = at * OF_WORD / dim;
    float sums[OF_WORD] = {};
    for (unsigned token = threadIdx.x / COLUMNS; is_word && token < tokens; token += WIDTH / COLUMNS) {
        float weight = weights[(unsigned long long)token * heads + head];
        if (FORMAT != BF16) {
            weight *= scales[group_of(per, token, head)];
        }
        const unsigned word = codes[(unsigned long long)token * words + at];
#pragma unroll
        for (unsigned place = 0u; place < OF_WORD; place++) {
            sums[place] += weight * value_at<FORMAT>(word, place);
        }
    }
#pragma unroll
    for (unsigned place = 0u; place < OF_WORD; place++) {
        const float total = down(sums[place]);
        if (is_word && threadIdx.x < COLUMNS) {
            out[at * OF_WORD + place] = total;
        }
    }
}

extern "C" __global__ void __launch_bounds__(WIDTH) kv_sums(
    const float *__restrict__ weights,
    const unsigned *__restrict__ codes,
    const float *__restrict__ scales,
    float *__restrict__ out,
    unsigned tokens,
    unsigned heads,
    unsigned dim,
    unsigned per,
    unsigned format) {
    if (format == INT8) {
        sum_up<INT8>(weights, codes, scales, out, tokens, heads, dim, per);
    } else if (format == FP8) {
        sum_up<FP8>(weights, codes, scales, out, tokens, heads, dim, per);
    } else {
        sum_up<INT4>(weights, codes, scales, out, tokens, heads, dim, per);
    }
}

extern "C" __global__ void __launch_bounds__(WIDTH) bf16_sums(
    const float *__restrict__ weights,
    const unsigned *__restrict__ codes,
    float *__restrict__ out,
    unsigned tokens,
    unsigned heads,
    unsigned dim) {
    sum_up<BF16>(weights, codes, nullptr, out, tokens, heads, dim, 0u);
}
