//! Watches one run to its end, child after child.

use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use protocol::{FailureKind, KernelSource};

use super::ending::{self, Ending};
use super::learner;
use super::process::{ChildProgram, Event, Running};
use super::stop::Stop;
use crate::child::resources::Library;
use crate::child::{Line, Spec, Task};
use crate::listener::LAST_WORDS;

/// How soon a request to stop and the time limit are noticed.
const TICK: Duration = Duration::from_millis(50);

pub struct Run<'a> {
    pub program: &'a ChildProgram,
    pub spec: &'a Spec,
    /// Learner code for the lab's exercise: compiled by a child of its own before the lab starts.
    pub kernel: Option<&'a KernelSource>,
    /// NVIDIA's compiler, where this machine has it.
    pub nvrtc: Option<&'a Library>,
    pub timeout: Duration,
    pub stop: &'a Stop,
}

/// Where events come from and lines go to. One set for all children of a run, for the lease is one.
pub struct Wires<'a> {
    sender: &'a Sender<Event>,
    events: &'a Receiver<Event>,
    on_line: &'a mut dyn FnMut(&Line),
}

impl Wires<'_> {
    pub fn line(&mut self, line: &Line) {
        (self.on_line)(line);
    }
}

/// A child that has ended by itself.
pub struct Left {
    pub running: Running,
    pub last: Option<Line>,
    pub status: ExitStatus,
    pub stderr: String,
}

impl Run<'_> {
    /// Runs the children. `events` may also bring the loss of the lease. Whatever happens, no process of the run is left.
    pub fn watch(&self, sender: &Sender<Event>, events: &Receiver<Event>, on_line: &mut dyn FnMut(&Line)) -> Ending {
        let deadline = Instant::now() + self.timeout;
        let mut wires = Wires { sender, events, on_line };
        self.stages(deadline, &mut wires).unwrap_or_else(|ending| ending)
    }

    fn stages(&self, deadline: Instant, wires: &mut Wires<'_>) -> Result<Ending, Ending> {
        let compiled = self.kernel.map(|source| learner::compile(self, source, deadline, wires)).transpose()?;
        let replaced = compiled.as_ref().map(|compiled| compiled.replaced.clone());
        let spec = Spec { replaced, ..self.spec.clone() };
        let ran = self.stage(&Task::Execute(spec.clone()), deadline, wires);
        let ending = ran.map(|left| ending::read(&spec, left.last, left.status, &left.stderr, left.running.report()));
        let ending = ending.unwrap_or_else(|ending| ending);
        Ok(if spec.runs_theirs_beside_the_judge() { ending.theirs_to_mend() } else { ending })
    }

    /// One child, from its start to its end.
    pub(super) fn stage(&self, task: &Task, deadline: Instant, wires: &mut Wires<'_>) -> Result<Left, Ending> {
        let mut running = Running::start(self.program, task, wires.sender).map_err(|error| {
            Ending::failed(
                FailureKind::ChildCouldNotStart,
                format!("the lab's process could not be started: {}", error.kind()),
            )
        })?;
        tracing::debug!(pid = running.pid(), "child started");
        let (mut last, mut silent) = (None, false);
        loop {
            if self.stop.is_set() {
                return Err(Ending::Stopped);
            }
            if Instant::now() >= deadline {
                return Err(Ending::failed(
                    FailureKind::ChildTimedOut,
                    format!("no end after {} s", self.timeout.as_secs()),
                ));
            }
            match wires.events.recv_timeout(TICK) {
                Ok(Event::Line(line)) => note(line, &mut last, wires),
                Ok(Event::LeaseLost { why }) => return Err(Ending::Withdrawn { why }),
                Ok(Event::Exited) => break,
                Ok(Event::OutputEnded) => silent = true,
                Err(RecvTimeoutError::Timeout) => {}
                // The sender we hold keeps the channel open.
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let crashed = |what: String| Ending::failed(FailureKind::ChildCrashed, what);
        let status = running.end().map_err(|error| crashed(format!("the lab's process was lost: {}", error.kind())))?;
        let last_words = Instant::now() + LAST_WORDS;
        while !silent {
            match wires.events.recv_timeout(last_words.saturating_duration_since(Instant::now())) {
                Ok(Event::Line(line)) => note(line, &mut last, wires),
                Ok(Event::LeaseLost { why }) => return Err(Ending::Withdrawn { why }),
                Ok(Event::Exited) => {}
                Ok(Event::OutputEnded) => silent = true,
                // Its words would be taken for those of the next child.
                Err(_) if matches!(task, Task::Compile(_) | Task::Resources(_)) => {
                    return Err(crashed("the compiler's output stayed open after its end".to_owned()));
                }
                Err(_) => silent = true,
            }
        }
        let stderr = running.stderr_tail();
        if !stderr.is_empty() {
            tracing::debug!(%stderr, "the child's standard error");
        }
        Ok(Left { running, last, status, stderr })
    }
}

fn note(line: Line, last: &mut Option<Line>, wires: &mut Wires<'_>) {
    wires.line(&line);
    *last = Some(line);
}
