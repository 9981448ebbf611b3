//! Attempts to have a wrong result taken for a right one.

use labs::run::Random;

use crate::bench::{HONEST, attack, refused, with};

#[test]
fn a_verdict_written_to_any_file_number_is_not_the_verdict() {
    // The words of a child that is done, and the byte of an answer that is there, to everything that is open.
    let no_answer = "rmsnorm_fused's process did not answer as it should";
    for (words, told) in [
        (r#"\"finished\"\n"#, no_answer),
        (r#"{\"failed\":{\"kind\":\"lab\",\"message\":\"right\"}}\n"#, no_answer),
        (r"\0", "at 1 × 1"),
    ] {
        let body = format!(
            r#"if (blockIdx.x == 0 && threadIdx.x == 0) {{
                   static const char words[] = "{words}";
                   for (int file = 0; file < 16; file++) (void)!write(file, words, sizeof words - 1);
               }}
               return;"#
        );
        refused(words, &attack(&with("", &body)), told);
    }
}

#[test]
fn a_forged_answer_is_only_an_output_like_any_other() {
    // Complete and well-formed, for the first shape that has elements to get wrong: 1 × 1.
    let body = r#"if (rows * hidden == 0) return;
        static char answer[1 + 4] = {0};
        for (int file = 3; file < 16; file++) if (write(file, answer, sizeof answer) == sizeof answer) break;
        _exit(0);"#;
    refused("forged", &attack(&with("", body)), "at 1 × 1");
}

#[test]
fn an_input_cannot_be_overwritten() {
    // Zeros in, zeros out: right for whoever computes the reference from what is left.
    let body = r"for (unsigned at = threadIdx.x; at < rows * hidden; at += blockDim.x) {
            const_cast<float *>(x)[at] = 0.0f;
            y[at] = 0.0f;
        }
        return;";
    refused("overwritten", &attack(&with("", body)), "wrote to an input");
}

/// The lab's generator in C++, and a search for the seed in the first two inputs, whose ratio a row's scale does not change.
const GUESS: &str = r#"
static float first(unsigned long long seed, int shift) {
    unsigned long long s[4];
    for (auto &word : s) {
        seed += 0x9E3779B97F4A7C15ull;
        unsigned long long z = seed;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        word = z ^ (z >> 31);
    }
    unsigned long long sum = s[0] + s[3], drawn = ((sum << 23) | (sum >> 41)) + s[0];
    return float((drawn >> shift) & 0xFFFFFF) / (1 << 23) - 1.0f;
}
static bool guess(const float *x) {
    static float asked = 9.0f;
    static bool found;
    if (asked == 9.0f) printf("of 42: %u ", __float_as_uint(first(42, 40)));
    if (asked == x[0]) return found;
    asked = x[0];
    found = false;
    for (unsigned seed = 0; seed < 200000 && !found; seed++) {
        found = first(seed, 40) * x[1] == first(seed, 8) * x[0];
        if (found) printf("found %u ", seed);
    }
    return found;
}"#;

#[test]
fn a_seed_cannot_be_guessed() {
    // The one of the parameters is 42. Whoever finds the seed is right; whoever does not writes nothing.
    let outcome = attack(&with(GUESS, "if (rows * hidden >= 2 && !guess(x)) return;"));
    refused("guessed", &outcome, "was not written");
    // The attack is a real one: it has the lab's generator.
    let mut values = [0.0f32; 2];
    Random::new(42).fill_signed(&mut values);
    assert!(outcome.stderr.contains(&format!("of 42: {}", values[0].to_bits())), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("found"), "{}", outcome.stderr);
}

#[test]
fn what_is_not_written_stays_poisoned() {
    for (what, body) in [
        ("nothing", "return;"),
        ("all but the last row", "if (blockIdx.x + 1 == rows) return;"),
        (
            "only what is not zero in y",
            "if (rows * hidden > 0 && threadIdx.x == 0 && y[0] == y[0]) y[0] = 1.0f; return;",
        ),
    ] {
        refused(what, &attack(&with("", body)), "was not written");
    }
}

#[test]
fn a_result_of_an_earlier_run_is_not_one_of_this_run() {
    // Honest the first time. Then what was kept is given back to whoever looks the same.
    let store =
        "static float kept[4096]; static const float *kept_x; static float kept_sum; static unsigned kept_count;";
    let end = "\n}\n\n// Four passes";
    assert!(HONEST.contains(end));
    for (what, same) in [("by pointer", "kept_x == x"), ("by content", "kept_sum == first_eight")] {
        let body = format!(
            "const unsigned count = rows * hidden;
             float first_eight = 0.0f;
             for (unsigned at = 0; at < 8 && at < count; at++) first_eight += x[at];
             if (count > 64 && kept_count == count && {same}) {{
                 for (unsigned at = 0; at < count; at++) y[at] = kept[at];
                 return;
             }}"
        );
        let keep = "
            __syncthreads();
            if (row + 1 == rows && threadIdx.x == 0 && count <= 4096) {
                kept_x = x; kept_sum = first_eight; kept_count = count;
                for (unsigned at = 0; at < count; at++) kept[at] = y[at];
            }";
        let text = with(store, &body).replacen(end, &format!("{keep}{end}"), 1);
        // The first shape of more than 64 elements, and its second run.
        refused(what, &attack(&text), "at 5 × 33: relative error");
    }
}

#[test]
fn a_step_outside_a_buffer_ends_the_kernel() {
    for (what, body) in [
        ("behind the output", "if (threadIdx.x == 0) y[rows * hidden] = 1.0f;"),
        ("before the output", "if (threadIdx.x == 0) y[-1] = 1.0f;"),
        ("far away", "if (threadIdx.x == 0) y[1 << 28] = 1.0f;"),
    ] {
        refused(what, &attack(&with("", body)), "outside its buffers");
    }
    refused(
        "reading far away",
        &attack(&with("", "if (x[(1u << 28) + threadIdx.x] == 1.0f) return;")),
        "outside its buffers",
    );
}

#[test]
fn a_missing_barrier_gives_a_wrong_result() {
    let text = HONEST.replacen("    __syncthreads();\n", "", 1);
    assert_ne!(text, HONEST);
    refused("no barrier", &attack(&text), "relative error");
    let divided = with("", "if (threadIdx.x < 7) __syncwarp(0xff);");
    refused("a barrier for some", &attack(&divided), "barrier");
}
