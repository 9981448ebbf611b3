//! Bytes and counts as people read them.
//!
//! GB = 10⁹ bytes, GiB = 2³⁰ bytes; the name is always printed. Decimals are computed with integers and rounded
//! half up, so that the same bytes give the same text on every machine.

pub const KIB: u64 = 1 << 10;
pub const MIB: u64 = 1 << 20;
pub const GIB: u64 = 1 << 30;
pub const TIB: u64 = 1 << 40;
pub const KB: u64 = 1_000;
pub const MB: u64 = 1_000_000;
pub const GB: u64 = 1_000_000_000;

/// Thousands separated by commas.
///
/// ```
/// assert_eq!(ledger::units::group(8_030_261_248), "8,030,261,248");
/// ```
pub fn group(number: u64) -> String {
    let mut text = String::with_capacity(26);
    group_into(&mut text, number);
    text
}

/// As [`group`], at the end of a text.
pub(crate) fn group_into(text: &mut String, number: u64) {
    // At most 20 digits and 6 commas, written from the right.
    let mut buffer = [0u8; 26];
    let (mut rest, mut at, mut written) = (number, buffer.len(), 0);
    loop {
        if written > 0 && written % 3 == 0 {
            at -= 1;
            buffer[at] = b',';
        }
        at -= 1;
        buffer[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        written += 1;
        if rest == 0 {
            break;
        }
    }
    // ASCII by construction.
    text.push_str(std::str::from_utf8(&buffer[at..]).unwrap_or_default());
}

/// `number ÷ unit` with exactly `digits` decimals (at most 9), rounded half up, thousands grouped.
///
/// ```
/// assert_eq!(ledger::units::decimal(1_536, 1_024, 2), "1.50");
/// assert_eq!(ledger::units::decimal(999_999, 1_000, 1), "1,000.0");
/// ```
pub fn decimal(number: u64, unit: u64, digits: u32) -> String {
    let digits = digits.min(9);
    let unit = u128::from(unit.max(1));
    let scale = 10u128.pow(digits);
    let scaled = (u128::from(number) * scale * 2 + unit) / (unit * 2);
    let whole = group(u64::try_from(scaled / scale).unwrap_or(u64::MAX));
    match digits {
        0 => whole,
        _ => format!("{whole}.{:0width$}", scaled % scale, width = digits as usize),
    }
}

/// A measured or estimated number with four significant digits, as a power of ten where it is very small or large.
///
/// ```
/// use ledger::units::significant;
/// assert_eq!(["0.1250", "12.35", "3.200e-5", "1.000e7", "0"], [0.125, 12.345_6, 3.2e-5, 1e7, 0.0].map(significant));
/// ```
pub fn significant(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        1e-3..1e5 => {
            // Rounded first, so that 9.9999 has the digits of 10.
            let power = format!("{:.3e}", value.abs()).split_once('e').and_then(|(_, power)| power.parse::<i32>().ok());
            format!("{value:.*}", usize::try_from(3 - power.unwrap_or(0)).unwrap_or(0))
        }
        _ => format!("{value:.3e}"),
    }
}

/// Gibibytes with two decimals.
///
/// ```
/// assert_eq!(ledger::units::gib(1_073_741_824), "1.00 GiB");
/// ```
pub fn gib(bytes: u64) -> String {
    format!("{} GiB", decimal(bytes, GIB, 2))
}

/// Gigabytes (10⁹) with two decimals.
///
/// ```
/// assert_eq!(ledger::units::gb(1_073_741_824), "1.07 GB");
/// ```
pub fn gb(bytes: u64) -> String {
    format!("{} GB", decimal(bytes, GB, 2))
}

/// Mebibytes with one decimal, the unit in which PyTorch's peaks are usually quoted.
///
/// ```
/// assert_eq!(ledger::units::mib(494_032_768 * 16), "7,538.3 MiB");
/// ```
pub fn mib(bytes: u64) -> String {
    format!("{} MiB", decimal(bytes, MIB, 1))
}

/// The largest binary unit that leaves at least 1; two decimals, none where the value is whole.
///
/// ```
/// assert_eq!(ledger::units::human_binary(131_072), "128 KiB");
/// assert_eq!(ledger::units::human_binary(1_610_612_736), "1.50 GiB");
/// ```
pub fn human_binary(bytes: u64) -> String {
    let (unit, name) = match bytes {
        TIB.. => (TIB, "TiB"),
        GIB.. => (GIB, "GiB"),
        MIB.. => (MIB, "MiB"),
        KIB.. => (KIB, "KiB"),
        _ => (1, "B"),
    };
    let digits = if bytes.is_multiple_of(unit) { 0 } else { 2 };
    format!("{} {name}", decimal(bytes, unit, digits))
}
