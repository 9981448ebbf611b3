// Numbers of 16 bits, behind cuda_fp16.h and cuda_bf16.h: E bits of exponent, M of mantissa. Every operation is done wider and rounded
// once, to the nearest, ties to even, so that its bits are those of a card.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace vramlab {

template <int E, int M> static inline uint16_t round16(double x) {
    constexpr int BIAS = (1 << (E - 1)) - 1;
    constexpr uint64_t INF = uint64_t((1 << E) - 1) << M;
    uint64_t bits;
    std::memcpy(&bits, &x, 8);
    uint16_t sign = uint16_t(bits >> 48 & 0x8000);
    int exponent = int(bits >> 52 & 0x7ff);
    uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
    // A card gives the same pattern for every NaN.
    if (exponent == 0x7ff) return mantissa != 0 ? uint16_t(0x7fff) : uint16_t(sign | INF);
    int scaled = exponent - 1023 + BIAS, shift = 52 - M;
    uint64_t whole = mantissa | uint64_t(scaled > 0 ? scaled : 1) << 52;
    if (scaled <= 0) {
        // No exponent any more: the leading one is written out and moves to the right.
        whole = mantissa | uint64_t(1) << 52;
        shift += 1 - scaled;
    }
    if (exponent == 0 || shift > 54) return sign;
    uint64_t kept = whole >> shift, rest = whole & ((uint64_t(1) << shift) - 1), half = uint64_t(1) << (shift - 1);
    // A carry out of the mantissa is the next exponent.
    kept += rest > half || (rest == half && (kept & 1));
    return uint16_t(sign | (kept < INF ? kept : INF));
}

template <int E, int M> static inline float widen16(uint16_t bits) {
    constexpr int BIAS = (1 << (E - 1)) - 1, MOST = (1 << E) - 1;
    int exponent = bits >> M & MOST, mantissa = bits & ((1 << M) - 1);
    float size;
    if (exponent == MOST) {
        size = mantissa != 0 ? NAN : INFINITY;
    } else if (exponent == 0) {
        size = std::ldexp(float(mantissa), 1 - BIAS - M);
    } else {
        size = std::ldexp(float(mantissa | 1 << M), exponent - BIAS - M);
    }
    return bits & 0x8000 ? -size : size;
}

template <int E, int M> struct Sixteen {
    uint16_t bits;

    Sixteen() = default;
    Sixteen(float x) : bits(round16<E, M>(x)) {}
    Sixteen(double x) : bits(round16<E, M>(x)) {}
    // Whole numbers of up to 53 bits are exact on the way.
    Sixteen(int x) : bits(round16<E, M>(x)) {}
    Sixteen(unsigned x) : bits(round16<E, M>(x)) {}
    static Sixteen of(unsigned bits) {
        Sixteen made;
        made.bits = uint16_t(bits);
        return made;
    }
    operator float() const { return widen16<E, M>(bits); }

    // One rounding from 24 bits to at most 11 after one to 24 is the same as a single one, for these four.
    friend Sixteen operator+(Sixteen x, Sixteen y) { return Sixteen(float(x) + float(y)); }
    friend Sixteen operator-(Sixteen x, Sixteen y) { return Sixteen(float(x) - float(y)); }
    friend Sixteen operator*(Sixteen x, Sixteen y) { return Sixteen(float(x) * float(y)); }
    friend Sixteen operator/(Sixteen x, Sixteen y) { return Sixteen(float(x) / float(y)); }
    friend Sixteen operator-(Sixteen x) { return of(x.bits ^ 0x8000u); }
    friend bool operator==(Sixteen x, Sixteen y) { return float(x) == float(y); }
    friend bool operator!=(Sixteen x, Sixteen y) { return float(x) != float(y); }
    friend bool operator<(Sixteen x, Sixteen y) { return float(x) < float(y); }
    friend bool operator<=(Sixteen x, Sixteen y) { return float(x) <= float(y); }
    friend bool operator>(Sixteen x, Sixteen y) { return float(x) > float(y); }
    friend bool operator>=(Sixteen x, Sixteen y) { return float(x) >= float(y); }
    Sixteen &operator+=(Sixteen y) { return *this = *this + y; }
    Sixteen &operator-=(Sixteen y) { return *this = *this - y; }
    Sixteen &operator*=(Sixteen y) { return *this = *this * y; }
    Sixteen &operator/=(Sixteen y) { return *this = *this / y; }
};

template <int E, int M> struct alignas(4) Pair {
    Sixteen<E, M> x, y;
};

// The product is exact in 53 bits and the sum is not: what it lost makes the last bit odd, so that the second rounding sees it.
template <int E, int M> static inline Sixteen<E, M> fused(Sixteen<E, M> a, Sixteen<E, M> b, Sixteen<E, M> c) {
    double product = double(float(a)) * double(float(b)), other = float(c), sum = product + other;
    double back = sum - product, lost = (product - (sum - back)) + (other - back);
    uint64_t bits;
    std::memcpy(&bits, &sum, 8);
    if (std::isfinite(sum) && lost != 0 && (bits & 1) == 0) sum = std::nextafter(sum, lost > 0 ? INFINITY : -INFINITY);
    return Sixteen<E, M>(sum);
}

} // namespace vramlab

#define VRAMLAB_S vramlab::Sixteen<E, M>
#define VRAMLAB_P vramlab::Pair<E, M>
#define VRAMLAB_16 template <int E, int M> static inline
VRAMLAB_16 VRAMLAB_S __hadd(VRAMLAB_S x, VRAMLAB_S y) { return x + y; }
VRAMLAB_16 VRAMLAB_S __hsub(VRAMLAB_S x, VRAMLAB_S y) { return x - y; }
VRAMLAB_16 VRAMLAB_S __hmul(VRAMLAB_S x, VRAMLAB_S y) { return x * y; }
VRAMLAB_16 VRAMLAB_S __hdiv(VRAMLAB_S x, VRAMLAB_S y) { return x / y; }
VRAMLAB_16 VRAMLAB_S __hfma(VRAMLAB_S x, VRAMLAB_S y, VRAMLAB_S z) { return vramlab::fused(x, y, z); }
VRAMLAB_16 VRAMLAB_S __hneg(VRAMLAB_S x) { return -x; }
VRAMLAB_16 VRAMLAB_S __habs(VRAMLAB_S x) { return VRAMLAB_S::of(x.bits & 0x7fffu); }
VRAMLAB_16 bool __heq(VRAMLAB_S x, VRAMLAB_S y) { return x == y; }
VRAMLAB_16 bool __hne(VRAMLAB_S x, VRAMLAB_S y) { return x < y || x > y; }
VRAMLAB_16 bool __hlt(VRAMLAB_S x, VRAMLAB_S y) { return x < y; }
VRAMLAB_16 bool __hle(VRAMLAB_S x, VRAMLAB_S y) { return x <= y; }
VRAMLAB_16 bool __hgt(VRAMLAB_S x, VRAMLAB_S y) { return x > y; }
VRAMLAB_16 bool __hge(VRAMLAB_S x, VRAMLAB_S y) { return x >= y; }
VRAMLAB_16 bool __hisnan(VRAMLAB_S x) { return std::isnan(float(x)); }
VRAMLAB_16 VRAMLAB_S __hmax(VRAMLAB_S x, VRAMLAB_S y) { return VRAMLAB_S(fmaxf(float(x), float(y))); }
VRAMLAB_16 VRAMLAB_S __hmin(VRAMLAB_S x, VRAMLAB_S y) { return VRAMLAB_S(fminf(float(x), float(y))); }
VRAMLAB_16 VRAMLAB_S hsqrt(VRAMLAB_S x) { return VRAMLAB_S(std::sqrt(double(float(x)))); }
VRAMLAB_16 VRAMLAB_S hrsqrt(VRAMLAB_S x) { return VRAMLAB_S(1.0 / std::sqrt(double(float(x)))); }
VRAMLAB_16 VRAMLAB_S hexp(VRAMLAB_S x) { return VRAMLAB_S(std::exp(double(float(x)))); }
VRAMLAB_16 VRAMLAB_S hlog(VRAMLAB_S x) { return VRAMLAB_S(std::log(double(float(x)))); }
VRAMLAB_16 VRAMLAB_P __hadd2(VRAMLAB_P a, VRAMLAB_P b) { return {a.x + b.x, a.y + b.y}; }
VRAMLAB_16 VRAMLAB_P __hsub2(VRAMLAB_P a, VRAMLAB_P b) { return {a.x - b.x, a.y - b.y}; }
VRAMLAB_16 VRAMLAB_P __hmul2(VRAMLAB_P a, VRAMLAB_P b) { return {a.x * b.x, a.y * b.y}; }
VRAMLAB_16 VRAMLAB_P __hfma2(VRAMLAB_P a, VRAMLAB_P b, VRAMLAB_P c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
VRAMLAB_16 float __low2float(VRAMLAB_P a) { return a.x; }
VRAMLAB_16 float __high2float(VRAMLAB_P a) { return a.y; }
#undef VRAMLAB_16
#undef VRAMLAB_P
#undef VRAMLAB_S
