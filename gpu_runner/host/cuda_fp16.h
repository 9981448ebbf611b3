// Half precision: 5 bits of exponent, 10 of mantissa.
#pragma once

#include "cuda_on_cpu.h"
#include "sixteen.h"

typedef vramlab::Sixteen<5, 10> __half;
typedef vramlab::Pair<5, 10> __half2;
typedef __half half;
typedef __half2 half2;

static inline float __half2float(__half x) { return x; }
static inline __half __float2half(float x) { return x; }
static inline __half __float2half_rn(float x) { return x; }
static inline __half __double2half(double x) { return x; }
static inline __half __int2half_rn(int x) { return x; }
static inline __half __uint2half_rn(unsigned x) { return x; }
static inline int __half2int_rn(__half x) { return int(lrintf(x)); }
static inline unsigned short __half_as_ushort(__half x) { return x.bits; }
static inline __half __ushort_as_half(unsigned short bits) { return __half::of(bits); }
static inline short __half_as_short(__half x) { return short(x.bits); }
static inline __half __short_as_half(short bits) { return __half::of(uint16_t(bits)); }
static inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
static inline __half2 make_half2(__half x, __half y) { return {x, y}; }
static inline __half2 __half2half2(__half x) { return {x, x}; }
static inline __half2 __float2half2_rn(float x) { return {x, x}; }
static inline __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
static inline __half2 __float22half2_rn(float2 a) { return {a.x, a.y}; }
static inline float2 __half22float2(__half2 a) { return {a.x, a.y}; }
static inline __half __low2half(__half2 a) { return a.x; }
static inline __half __high2half(__half2 a) { return a.y; }
