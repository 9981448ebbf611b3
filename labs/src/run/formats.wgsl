// Narrow formats as bits, the same as in `formats.rs`: rounded with integers, so that no driver's float mode plays a part.
// Put in front of a kernel's own source.

fn to_bf16(bits: u32) -> u32 {
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) { return (bits >> 16u) | 0x40u; }
    return (bits + 0x7FFFu + ((bits >> 16u) & 1u)) >> 16u;
}

fn to_e4m3(bits: u32) -> u32 {
    let sign = (bits >> 24u) & 0x80u;
    let magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) { return sign | 0x7Fu; }
    if (magnitude >= 0x43E00000u) { return sign | 0x7Eu; }
    if (magnitude < 0x3C800000u) {
        // Multiples of 2^-9.
        let exponent = magnitude >> 23u;
        if (exponent < 117u) { return sign; }
        let mantissa = (magnitude & 0x7FFFFFu) | 0x800000u;
        let shift = 141u - exponent;
        let whole = mantissa >> shift;
        let rest = mantissa & ((1u << shift) - 1u);
        let half = 1u << (shift - 1u);
        let up = rest > half || (rest == half && (whole & 1u) == 1u);
        return sign | (whole + select(0u, 1u, up));
    }
    let rounded = magnitude + 0x7FFFFu + ((magnitude >> 20u) & 1u);
    return sign | ((rounded >> 20u) - 960u);
}

// Bits of the FP32, subnormal codes by their leading one.
fn from_e4m3(code: u32) -> u32 {
    let sign = (code & 0x80u) << 24u;
    let exponent = (code >> 3u) & 15u;
    let mantissa = code & 7u;
    if (exponent == 15u && mantissa == 7u) { return sign | 0x7FC00000u; }
    if (exponent > 0u) { return sign | ((exponent + 120u) << 23u) | (mantissa << 20u); }
    if (mantissa == 0u) { return sign; }
    let top = firstLeadingBit(mantissa);
    return sign | ((118u + top) << 23u) | ((mantissa << (23u - top)) & 0x7FFFFFu);
}

