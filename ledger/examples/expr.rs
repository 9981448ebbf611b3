//! Evaluates expressions: `cargo run -p ledger --example expr -- 'kv_cache model="Llama-3-8B" seq=8192' …`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut failed = false;
    for source in std::env::args().skip(1) {
        match ledger::expr::evaluate(&source) {
            Ok(computed) => println!("{source}\n  {} = {} = {}", computed.text, computed.exact, computed.formula),
            Err(error) => {
                failed = true;
                println!("{source}\n  {error}");
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
