//! The signature covers report, job and nonce, and nothing else passes.

use proptest::prelude::*;
use protocol::{JobId, Nonce, PublicKey, RunnerKey, Signature, SignatureError, limits, sign, verify};

fn key(seed: u8) -> RunnerKey {
    RunnerKey::from_seed(&[seed; 32])
}

fn job(text: &str) -> JobId {
    text.parse().unwrap()
}

#[test]
fn a_signature_fits_one_report_one_job_one_nonce_and_one_key() {
    let (report, nonce) = (b"{\"lab\":\"rmsnorm\"}".as_slice(), Nonce::from_bytes([7; 32]));
    let signature = sign(&key(1), report, &job("j-1"), &nonce).unwrap();
    let passes = |key: &RunnerKey, report: &[u8], id: &str, nonce: [u8; 32]| {
        verify(&key.public(), &signature, report, &job(id), &Nonce::from_bytes(nonce))
    };
    assert_eq!(passes(&key(1), report, "j-1", [7; 32]), Ok(()));
    for (what, result) in [
        ("key", passes(&key(2), report, "j-1", [7; 32])),
        ("report", passes(&key(1), b"{\"lab\":\"rmsnorn\"}", "j-1", [7; 32])),
        ("a byte more", passes(&key(1), b"{\"lab\":\"rmsnorm\"}\n", "j-1", [7; 32])),
        ("job", passes(&key(1), report, "j-2", [7; 32])),
        ("nonce", passes(&key(1), report, "j-1", [8; 32])),
    ] {
        assert_eq!(result, Err(SignatureError::Mismatch), "{what}");
    }
}

#[test]
fn a_signature_is_not_over_the_bare_report() {
    use ed25519_dalek::Signer as _;
    let (report, nonce) = (b"report".as_slice(), Nonce::from_bytes([0; 32]));
    let bare = ed25519_dalek::SigningKey::from_bytes(&[1; 32]).sign(report);
    let result = verify(&key(1).public(), &Signature::from_bytes(bare.to_bytes()), report, &job("j"), &nonce);
    assert_eq!(result, Err(SignatureError::Mismatch));
}

#[test]
fn bytes_cannot_move_between_report_and_job() {
    let nonce = Nonce::from_bytes([3; 32]);
    let signature = sign(&key(1), b"bc", &job("a"), &nonce).unwrap();
    assert_eq!(verify(&key(1).public(), &signature, b"c", &job("ab"), &nonce), Err(SignatureError::Mismatch));
}

#[test]
fn a_report_above_the_limit_is_refused_on_both_sides() {
    let (report, nonce) = (vec![0; limits::REPORT_BYTES + 1], Nonce::from_bytes([0; 32]));
    let refused = SignatureError::ReportTooLarge { found: report.len() };
    assert_eq!(sign(&key(1), &report, &job("j"), &nonce).unwrap_err(), refused);
    let any = Signature::from_bytes([0; 64]);
    assert_eq!(verify(&key(1).public(), &any, &report, &job("j"), &nonce).unwrap_err(), refused);
}

#[test]
fn keys_that_accept_anything_are_refused() {
    // The neutral element of the curve: a small-order point.
    let mut neutral = [0; 32];
    neutral[0] = 1;
    assert!(PublicKey::from_bytes(&neutral).is_err());
}

#[test]
fn a_private_key_survives_its_file_form_and_never_shows() {
    let (first, seed_hex) = (key(0xAB), "abababab");
    let pem = first.to_pem().unwrap();
    let text = std::str::from_utf8(pem.as_ref()).unwrap();
    let second = RunnerKey::from_pem(text).unwrap();
    assert_eq!(first.public(), second.public());
    assert!(!format!("{first:?}").contains(seed_hex));
    assert!(!format!("{first:?}").contains(text.lines().nth(1).unwrap()));
    for broken in ["", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", &text[1..]] {
        assert!(RunnerKey::from_pem(broken).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_report_round_trips_and_any_flipped_bit_fails(
        report in proptest::collection::vec(any::<u8>(), 1..400),
        id in "[A-Za-z0-9_-]{1,64}",
        nonce in any::<[u8; 32]>(),
        at in any::<proptest::sample::Index>(),
        bit in 0u8..8,
    ) {
        let (id, key) = (job(&id), key(9));
        let signature = sign(&key, &report, &id, &Nonce::from_bytes(nonce)).unwrap();
        let public = key.public();
        prop_assert_eq!(verify(&public, &signature, &report, &id, &Nonce::from_bytes(nonce)), Ok(()));

        let mut other = report.clone();
        other[at.index(report.len())] ^= 1 << bit;
        prop_assert!(verify(&public, &signature, &other, &id, &Nonce::from_bytes(nonce)).is_err());

        let mut other = nonce;
        other[at.index(32)] ^= 1 << bit;
        prop_assert!(verify(&public, &signature, &report, &id, &Nonce::from_bytes(other)).is_err());

        let mut other = *signature.as_bytes();
        other[at.index(64)] ^= 1 << bit;
        prop_assert!(verify(&public, &Signature::from_bytes(other), &report, &id, &Nonce::from_bytes(nonce)).is_err());
    }
}
