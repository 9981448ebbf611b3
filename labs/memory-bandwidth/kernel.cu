// Copies and conversions on raw words. Formats are rounded with integers, bit by bit as on every other backend. A thread of a
// conversion has one word of the narrower side, and reads or writes the wider one in one piece where it is whole.

#define WIDTH 256u

static __device__ unsigned to_bf16(unsigned bits) {
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return bits >> 16 | 0x40u;
    }
    return (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
}

static __device__ unsigned to_e4m3(unsigned bits) {
    const unsigned sign = bits >> 24 & 0x80u, magnitude = bits & 0x7fffffffu;
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

// Bits of the FP32, subnormal codes by their leading one.
static __device__ unsigned from_e4m3(unsigned code) {
    const unsigned sign = (code & 0x80u) << 24, exponent = code >> 3 & 15u, mantissa = code & 7u;
    if (exponent == 15u && mantissa == 7u) {
        return sign | 0x7fc00000u;
    }
    if (exponent > 0u) {
        return sign | (exponent + 120u) << 23 | mantissa << 20;
    }
    if (mantissa == 0u) {
        return sign;
    }
    const unsigned top = 31u - (unsigned)__clz((int)mantissa);
    return sign | (118u + top) << 23 | (mantissa << (23u - top) & 0x7fffffu);
}

// Sixteen bytes to a thread.
extern "C" __global__ void __launch_bounds__(WIDTH) copy_words(
    const unsigned *__restrict__ from, unsigned *__restrict__ to, unsigned words) {
    const unsigned first = (blockIdx.x * WIDTH + threadIdx.x) * 4u;
    if (first + 4u <= words) {
        reinterpret_cast<uint4 *>(to)[first / 4u] = reinterpret_cast<const uint4 *>(from)[first / 4u];
    } else {
        for (unsigned at = first; at < words; at++) {
            to[at] = from[at];
        }
    }
}

extern "C" __global__ void __launch_bounds__(WIDTH) fp32_to_bf16(
    const unsigned *__restrict__ from, unsigned *__restrict__ to, unsigned elements) {
    const unsigned at = blockIdx.x * WIDTH + threadIdx.x, first = at * 2u;
    if (first + 2u <= elements) {
        const uint2 pair = reinterpret_cast<const uint2 *>(from)[at];
        to[at] = to_bf16(pair.x) | to_bf16(pair.y) << 16;
    } else if (first < elements) {
        to[at] = to_bf16(from[first]);
    }
}

extern "C" __global__ void __launch_bounds__(WIDTH) bf16_to_fp32(
    const unsigned *__restrict__ from, unsigned *__restrict__ to, unsigned elements) {
    const unsigned at = blockIdx.x * WIDTH + threadIdx.x, first = at * 2u;
    if (first + 2u <= elements) {
        const unsigned word = from[at];
        reinterpret_cast<uint2 *>(to)[at] = make_uint2(word << 16, word & 0xffff0000u);
    } else if (first < elements) {
        to[first] = from[at] << 16;
    }
}

extern "C" __global__ void __launch_bounds__(WIDTH) fp32_to_fp8(
    const unsigned *__restrict__ from, unsigned *__restrict__ to, unsigned elements) {
    const unsigned at = blockIdx.x * WIDTH + threadIdx.x, first = at * 4u;
    if (first + 4u <= elements) {
        const uint4 four = reinterpret_cast<const uint4 *>(from)[at];
        to[at] = to_e4m3(four.x) | to_e4m3(four.y) << 8 | to_e4m3(four.z) << 16 | to_e4m3(four.w) << 24;
    } else if (first < elements) {
        unsigned word = 0u;
        for (unsigned part = 0u; first + part < elements; part++) {
            word |= to_e4m3(from[first + part]) << (part * 8u);
        }
        to[at] = word;
    }
}

extern "C" __global__ void __launch_bounds__(WIDTH) fp8_to_fp32(
    const unsigned *__restrict__ from, unsigned *__restrict__ to, unsigned elements) {
    const unsigned at = blockIdx.x * WIDTH + threadIdx.x, first = at * 4u;
    if (first >= elements) {
        return;
    }
    const unsigned word = from[at];
    if (first + 4u <= elements) {
        reinterpret_cast<uint4 *>(to)[at] = make_uint4(
            from_e4m3(word & 255u), from_e4m3(word >> 8 & 255u), from_e4m3(word >> 16 & 255u), from_e4m3(word >> 24));
    } else {
        for (unsigned part = 0u; first + part < elements; part++) {
            to[first + part] = from_e4m3(word >> (part * 8u) & 255u);
        }
    }
}
