//! `vramlab report init LAB`: an empty report to fill in.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use evidence::report::{Distributed, Inference};
use evidence::{Kernel, Shape, Training, Workload, template};
use labs::{Chain, Lab};

use super::out;

#[derive(Subcommand)]
pub enum Kind {
    /// An empty vramlab-report/v1 for a lab, every field with null where something is to be filled in
    Init {
        /// The lab's id; without it the labs are listed
        lab: Option<String>,
        /// Where it goes; without it to standard output. A file that is there is never overwritten
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

pub fn run(kind: Kind) -> ExitCode {
    let Kind::Init { lab, out } = kind;
    let Some(id) = lab else {
        for lab in takers() {
            out::outln!("{:<20} {}", lab.id, lab.title(evidence::Lang::En));
        }
        return ExitCode::SUCCESS;
    };
    let Some(lab) = takers().find(|lab| lab.id == id) else {
        let known: Vec<&str> = takers().map(|lab| lab.id.as_str()).collect();
        eprintln!("vramlab report: no lab {id:?} takes vramlab-report/v1; these do: {}", known.join(", "));
        return ExitCode::from(2);
    };
    let report = template(&lab.id, &workload(lab), &lab.rubric.thresholds);
    let Some(path) = out else {
        out::json(&report);
        return ExitCode::SUCCESS;
    };
    let text = format!("{report:#}\n");
    let written = OpenOptions::new().write(true).create_new(true).open(&path);
    match written.and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => {
            eprintln!("{}: fill it in, then vramlab grade {}", path.display(), path.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("vramlab report: {}: {error}", path.display());
            ExitCode::FAILURE
        }
    }
}

fn takers() -> impl Iterator<Item = &'static Lab> {
    labs::catalogue().iter().filter(|lab| lab.takes(Shape::V1))
}

/// An empty workload of the kind that a lab's reports have.
fn workload(lab: &Lab) -> Workload {
    match lab.chain() {
        Chain::Training => Workload::Training(Training::default()),
        Chain::Inference => Workload::Inference(Inference::default()),
        Chain::Distributed => Workload::Distributed(Distributed::default()),
        Chain::Kernel => {
            Workload::Kernel(Kernel { operation: lab.id.clone(), dtype: "fp32".to_owned(), ..Kernel::default() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lab_that_takes_our_schema_has_a_form_that_it_reads() {
        for lab in takers() {
            let text = template(&lab.id, &workload(lab), &lab.rubric.thresholds).to_string();
            let doc = evidence::read(text.as_bytes()).unwrap_or_else(|error| panic!("{}: {error}", lab.id));
            assert_eq!(doc.lab(), lab.id);
        }
    }
}
