// Every pattern of both formats, and every place where rounding changes its mind. 0: right; 1: wrong.

static int failures = 0;

static void expect(bool right, const char *what, unsigned bits) {
    if (!right && failures++ < 10) std::printf("%s is wrong at %04x\n", what, bits);
}

// By the definition of the format, in double.
static double value(unsigned bits, int exponent_bits, int mantissa_bits) {
    int bias = (1 << (exponent_bits - 1)) - 1, exponent = int(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
    double mantissa = double(bits & ((1u << mantissa_bits) - 1)) / double(1u << mantissa_bits);
    double size = exponent == 0 ? mantissa * std::pow(2.0, 1 - bias) : (1.0 + mantissa) * std::pow(2.0, exponent - bias);
    return bits & 0x8000 ? -size : size;
}

template <int E, int M> static void format(const char *name) {
    using Number = vramlab::Sixteen<E, M>;
    const unsigned inf = ((1u << E) - 1) << M;
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        unsigned size = bits & 0x7fff, sign = bits & 0x8000;
        float wide = float(Number::of(bits));
        if (size > inf) {
            expect(std::isnan(wide) && Number(wide).bits == 0x7fff, name, bits);
            continue;
        }
        expect(std::signbit(wide) == (sign != 0) && Number(wide).bits == bits, name, bits);
        if (size == inf) {
            expect(std::isinf(wide), name, bits);
            continue;
        }
        expect(double(wide) == value(bits, E, M), name, bits);
        // Between a number and the next larger one, which is infinity's place for the largest.
        double low = value(size, E, M), high = value(size + 1, E, M), middle = (low + high) / 2, turn = sign ? -1.0 : 1.0;
        unsigned even = size & 1 ? size + 1 : size;
        expect(Number(turn * middle).bits == (sign | even), "a tie", bits);
        expect(Number(turn * std::nextafter(middle, 0.0)).bits == bits, "below a tie", bits);
        expect(Number(turn * std::nextafter(middle, INFINITY)).bits == (sign | (size + 1)), "above a tie", bits);
        // The same where it comes from fp32, whose numbers hold every tie but those below its own smallest.
        float narrow = float(turn * middle);
        if (double(narrow) == turn * middle) {
            expect(Number(narrow).bits == (sign | even), "a tie of fp32", bits);
            expect(Number(std::nextafter(narrow, 0.0f)).bits == bits, "below a tie of fp32", bits);
        }
    }
    expect(Number(INFINITY).bits == inf && Number(1e300).bits == inf && Number(-1e300).bits == (inf | 0x8000), "far out", 0);
    expect(Number(1e-300).bits == 0 && Number(-1e-300).bits == 0x8000 && Number(-0.0).bits == 0x8000, "nothing left", 0);
    // One rounding, not two: 1 + u is a tie of the product with one more bit than fp64 keeps beside a large addend.
    Number one = 1, ulp = Number(std::pow(2.0, -M)), tiny = Number::of(1);
    expect(__hfma(ulp, Number(0.5), one).bits == one.bits, "a tie of the fused product", 0);
    expect(__hfma(tiny, tiny, __hfma(ulp, Number(0.5), one)).bits == one.bits, "the smallest added", 0);
    Number odd = one + ulp;
    expect(__hfma(odd, Number(1) + ulp * Number(2), tiny).bits ==
               Number(double(float(odd)) * (1.0 + 2.0 * float(ulp)) + 1e-14).bits, "a product with a trace", 0);
}

int main() {
    format<5, 10>("half");
    format<8, 7>("bfloat16");
    // Known patterns of both.
    expect(__half_as_ushort(__float2half(1.0f)) == 0x3c00 && __half_as_ushort(__float2half(65504.0f)) == 0x7bff, "half", 1);
    expect(__half_as_ushort(__float2half(65520.0f)) == 0x7c00 && __half2float(__ushort_as_half(1)) == 0x1p-24f, "half", 2);
    expect(__bfloat16_as_ushort(__float2bfloat16(1.0f)) == 0x3f80 && __bfloat162float(__ushort_as_bfloat16(0x4049)) == 3.140625f, "bfloat16", 3);
    // bfloat16 is the upper half of fp32, rounded: by another way, on bits.
    for (unsigned high = 0; high < 0xff80; high++) {
        for (unsigned low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
            unsigned bits = high << 16 | low, rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
            if ((bits & 0x7fffffff) > 0x7f800000) continue;
            expect(__bfloat16_as_ushort(__float2bfloat16(__uint_as_float(bits))) == rounded, "bfloat16 of fp32", high);
        }
    }
    __half2 pair = __hfma2(__floats2half2_rn(1.0f, 2.0f), __half2half2(__float2half(3.0f)), __float2half2_rn(0.5f));
    float2 both = __half22float2(pair);
    expect(both.x == 3.5f && both.y == 6.5f && __low2float(pair) == 3.5f && __hgt(__high2half(pair), __low2half(pair)), "pairs", 0);
    if (failures == 0) std::puts("all right");
    return failures != 0;
}
