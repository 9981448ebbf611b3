//! `gpu_runner verify`: a report read as the grader reads it, and its signature where a public key is given.

use std::path::PathBuf;
use std::process::ExitCode;

use evidence::{GradeContext, Lang, Outcome, Provenance, Severity};
use protocol::{JobId, Nonce, PublicKey, Signature};

use super::saved;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The report's file.
    report: PathBuf,
    /// The runner's public key, base64; then the signature, the job and the nonce are needed too.
    #[arg(long, value_name = "BASE64", requires_all = ["signature", "job", "nonce"])]
    public_key: Option<PublicKey>,
    /// The signature over the report's exact bytes, the job and the nonce, base64.
    #[arg(long, value_name = "BASE64", requires = "public_key")]
    signature: Option<Signature>,
    #[arg(long, requires = "public_key")]
    job: Option<JobId>,
    #[arg(long, requires = "public_key")]
    nonce: Option<Nonce>,
}

pub fn main(args: &Args) -> ExitCode {
    let (bytes, document) = match saved::read(&args.report) {
        Ok(read) => read,
        Err(message) => {
            eprintln!("gpu_runner: {message}");
            return ExitCode::FAILURE;
        }
    };
    let mut provenance = Provenance::Upload;
    let given = (&args.public_key, &args.signature, &args.job, &args.nonce);
    if let (Some(key), Some(signature), Some(job), Some(nonce)) = given {
        if let Err(error) = protocol::verify(key, signature, &bytes, job, nonce) {
            eprintln!("gpu_runner: {}: {error}", args.report.display());
            return ExitCode::FAILURE;
        }
        println!("signature: holds for this report, job, nonce and key");
        provenance = Provenance::Runner { runner: key.to_string() };
    } else {
        println!("signature: not checked, no public key was given");
    }
    let grade = labs::grade(&document, &GradeContext { provenance, linked: &[] });
    anstream::print!("{}", evidence::show::text(&args.report.display().to_string(), &grade, Lang::En));
    let wrong = grade.checks.iter().filter(|check| check.failed() && check.severity == Severity::Error).count();
    if wrong > 0 {
        eprintln!("gpu_runner: {}: {wrong} checks failed", args.report.display());
        return ExitCode::FAILURE;
    }
    if grade.outcome != Outcome::Graded {
        eprintln!("gpu_runner: {}: a report, and no evidence", args.report.display());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
