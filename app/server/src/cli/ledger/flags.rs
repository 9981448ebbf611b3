//! Flags that are the named inputs of a ledger: what is not given takes the default of the page.

use std::marker::PhantomData;

use clap::{Arg, ArgMatches, Command, Error, FromArgMatches};
use ui::state::names::{self, Field};

/// The inputs of one ledger.
pub trait Named {
    const FIELDS: &'static [Field];
}

macro_rules! named {
    ($($name:ident = $fields:expr;)*) => {$(
        pub struct $name;
        impl Named for $name {
            const FIELDS: &'static [Field] = $fields;
        }
    )*};
}

named! {
    Inference = names::INFERENCE;
    Training = names::TRAINING;
    Serving = names::SERVING;
    Parallel = names::PARALLEL;
    Plan = names::PLAN;
    Script = names::SCRIPT;
    Decide = names::DECIDE;
}

/// The flags that were given, as named inputs.
pub struct Flags<N> {
    pub given: Vec<(&'static str, String)>,
    of: PhantomData<N>,
}

impl<N: Named> clap::Args for Flags<N> {
    fn augment_args(command: Command) -> Command {
        N::FIELDS.iter().fold(command, |command, field| {
            let arg = Arg::new(field.name).long(field.name.replace('_', "-")).alias(field.name).help(field.help);
            command.arg(arg.value_name("VALUE"))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<N: Named> FromArgMatches for Flags<N> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let given = |field: &Field| Some((field.name, matches.get_one::<String>(field.name)?.clone()));
        Ok(Self { given: N::FIELDS.iter().filter_map(given).collect(), of: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
