//! Places on a drawing in whole units: no float reaches the browser's code.

/// `part` of `whole` on a drawing of that length; never beyond its end.
pub fn scaled(part: u64, whole: u64, length: u64) -> u64 {
    let place = u128::from(part) * u128::from(length) / u128::from(whole.max(1));
    u64::try_from(place).unwrap_or(length).min(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_stay_on_the_drawing() {
        assert_eq!(scaled(3, 4, 10_000), 7_500);
        assert_eq!(scaled(u64::MAX, 1, 10_000), 10_000);
        assert_eq!(scaled(0, 0, 10_000), 0);
    }
}
