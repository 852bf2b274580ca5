//! Many simulations on all cores; what comes out does not depend on how many there are.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::outcome::Summary;
use crate::scenario::Scenario;
use crate::simulation::Simulation;

/// How often who watches is told how far it is.
const TICK: Duration = Duration::from_millis(50);

/// What is told while simulations run: the share done, 0 to 1. `false` ends them.
pub type Watch<'a> = &'a mut dyn FnMut(f64) -> bool;

/// The caller ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped")]
pub struct Stopped;

/// Asks whether to go on.
pub fn go_on_or_stop(go_on: &mut dyn FnMut() -> bool) -> Result<(), Stopped> {
    if go_on() { Ok(()) } else { Err(Stopped) }
}

/// A simulation to be run.
#[derive(Clone, Debug)]
pub struct Job {
    /// What is run: a scenario with some fields set.
    pub case: String,
    /// Tells scenarios from each other: [`crate::sweep::Variant::digest`].
    pub digest: String,
    /// That.
    pub scenario: Arc<Scenario>,
    /// Decides every random choice.
    pub seed: u64,
}

/// A simulation that was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What was run.
    pub case: String,
    /// Of the scenario with its fields set.
    pub digest: String,
    /// What it ended in; it holds the seed.
    pub summary: Summary,
}

/// A thread for each core.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runs them all, `threads` at a time; the result is in the order of the jobs.
pub fn run_all(jobs: &[Job], threads: usize, watch: Watch<'_>) -> Result<Vec<Run>, Stopped> {
    let board = Board {
        next: AtomicUsize::new(0),
        stop: AtomicBool::new(!watch(0.0)),
        done: jobs.iter().map(|_| AtomicU32::new(0)).collect(),
    };
    let mut ended: Vec<Option<Run>> = jobs.iter().map(|_| None).collect();
    std::thread::scope(|scope| {
        let (send, results) = mpsc::channel();
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            let (send, board) = (send.clone(), &board);
            scope.spawn(move || {
                while let Some((place, run)) = board.run_next(jobs) {
                    // Who would receive it waits for the end of this thread.
                    let _ = send.send((place, run));
                }
            });
        }
        drop(send);
        loop {
            match results.recv_timeout(TICK) {
                Ok((place, run)) => ended[place] = Some(run),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if !watch(board.share()) {
                board.stop.store(true, Ordering::Relaxed);
            }
        }
    });
    let ended: Option<Vec<Run>> = ended.into_iter().collect();
    ended.ok_or(Stopped)
}

/// What the threads share.
struct Board {
    /// The next job that nobody has taken.
    next: AtomicUsize,
    stop: AtomicBool,
    /// By job, thousandths.
    done: Vec<AtomicU32>,
}

impl Board {
    fn run_next(&self, jobs: &[Job]) -> Option<(usize, Run)> {
        let place = self.next.fetch_add(1, Ordering::Relaxed);
        let Job {
            case,
            digest,
            scenario,
            seed,
        } = jobs.get(place)?;
        let goes_on = || !self.stop.load(Ordering::Relaxed);
        let mut simulation = Simulation::set_up(scenario, *seed, &mut || goes_on()).ok()?;
        let summary = simulation.run(|simulation| {
            let thousandths = (1_000.0 * simulation.done()) as u32;
            self.done[place].store(thousandths, Ordering::Relaxed);
            goes_on()
        });
        self.done[place].store(1_000, Ordering::Relaxed);
        let run = Run {
            case: case.clone(),
            digest: digest.clone(),
            summary,
        };
        goes_on().then_some((place, run))
    }

    fn share(&self) -> f64 {
        let done = self.done.iter().map(|d| d.load(Ordering::Relaxed));
        f64::from(done.sum::<u32>()) / 1_000.0 / self.done.len().max(1) as f64
    }
}
