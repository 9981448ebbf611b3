//! Flags that are named inputs of a ledger: what is not given takes the default of the page.

/// A struct of optional flags, and their named texts.
macro_rules! flags {
    ($name:ident { $($(#[$doc:meta])* $field:ident,)* }) => {
        #[derive(clap::Args)]
        pub struct $name {
            $($(#[$doc])* #[arg(long)] $field: Option<String>,)*
        }

        impl $name {
            /// The flags that were given.
            pub fn given(self) -> Vec<(&'static str, String)> {
                [$((stringify!($field), self.$field),)*]
                    .into_iter()
                    .filter_map(|(name, value)| Some((name, value?)))
                    .collect()
            }
        }
    };
}
pub(crate) use flags;
