//! The pages of accounts and classes, driven through the whole application as a browser without JavaScript does it.

#[allow(dead_code, unused_macros)]
#[macro_use]
#[path = "../store/bed.rs"]
mod bed;
#[allow(dead_code)]
#[path = "../store/cluster.rs"]
mod cluster;

mod site;

mod api;
mod authorisation;
mod beside;
mod budget;
mod coming_in;
mod demo;
mod drill;
mod flows;
mod front;
mod gradebook;
mod hostile;
mod kernels;
mod ledgers;
mod links;
mod own;
mod quantisation;
mod queue;
mod rules;
mod runners;
mod secrets;
mod stories;
mod tools;
mod trace;
