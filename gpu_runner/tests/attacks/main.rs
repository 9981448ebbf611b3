//! What a learner may try, one test each: every attempt is refused, and the refusal is told. Each is bounded from outside as well, so
//! that a defence that is missing fails its test and harms nothing else.

mod artefacts;
mod bench;
mod cards;
mod compiling;
mod honest;
mod machine;
mod reaching;
mod resources;
mod results;
mod shut_in;
