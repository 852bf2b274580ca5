//! One run: post the file in messages, wait for all of them, compare.
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use metaroce_cosim::capture::Capture;
use metaroce_cosim::station::Failure;
use metaroce_cosim::waves::Request;
use metaroce_host_driver::Lab;
use metaroce_protocol::{CompletionStatus, Counter};
use metaroce_verbs::WorkCompletion;

use super::lab::{self, Host, Tracing};
use super::{Cosim, Report};
use crate::output::{Output, Stop};

/// Messages that wait for their completion at most.
const POSTED: usize = 32;
/// Rounds of waiting without any completion after which a run has hung: the longest chain of time-outs takes a tenth.
const ROUNDS: u64 = 1_000_000;
/// Cycles without any event after which nothing more will come.
const QUIET: u64 = 2_000;
/// Cycles in which the NICs must become quiet after the last completion.
const QUIET_LIMIT: u64 = 20_000_000;
/// Bytes of headers and ICRC around a Write's payload.
const OVERHEAD: f64 = 92.0;

/// A cycle of a NIC that is worth a look.
pub struct Moment {
    /// 0: NIC A, 1: NIC B.
    pub nic: usize,
    pub cycle: u64,
    /// The plane to look at.
    pub plane: usize,
    /// What happens there.
    pub title: String,
    /// Whether the simulation stops there.
    pub fails: bool,
}

/// What became of a run.
pub struct Outcome {
    pub report: Report,
    /// What the same seed is to show again in waves.
    pub moment: Option<Moment>,
}

/// Runs once, without waves.
pub fn run(options: &Cosim, file: &[u8], output: &Output, stop: &Stop) -> Result<Outcome> {
    let lab = lab::build(options, None)?;
    let pcap = options.out.join("planes.pcapng");
    let partial = options.out.join("planes.pcapng.partial");
    let capture = if options.no_pcap {
        None
    } else {
        Some(watch(&lab, options, &partial)?)
    };
    let began = Instant::now();
    let transfer = transfer(options, &lab, file, output, stop);
    if let Some(capture) = capture {
        close(&lab, capture, &partial, &pcap, stop.check().is_ok())?;
    }
    let mut report = report(options, &lab, file, began);
    report.pcap = (!options.no_pcap).then_some(pcap);
    let failure = lab.take_failure();
    let moment = match &failure {
        Some(failure) => failed_moment(failure),
        None if options.waves => Some(first_retransmission(&lab)),
        None => None,
    };
    match (transfer, &failure) {
        (Ok(cycles), _) => report.finish(options, cycles),
        (Err(_), Some(failure)) => report.fail(failure.to_string(), 1),
        (Err(error), None) if error.is::<TransferFailed>() => report.fail(format!("{error:#}"), 0),
        (Err(error), None) => return Err(error),
    }
    Ok(Outcome { report, moment })
}

fn failed_moment(failure: &Failure) -> Option<Moment> {
    let nic = usize::from(failure.nic() == Some("B"));
    Some(Moment {
        nic,
        cycle: failure.cycle()?,
        plane: failure.plane().unwrap_or(0),
        title: failure.to_string(),
        fails: true,
    })
}

fn first_retransmission(lab: &Lab) -> Moment {
    let tally = lab.with(|t| t.stations[0].lockstep().tally);
    let (cycle, what) = match tally.first_retransmission {
        Some(cycle) => (cycle, "retransmission"),
        None => (tally.first_transmission.unwrap_or(0), "packet"),
    };
    Moment {
        nic: 0,
        cycle,
        plane: 0,
        title: format!("NIC A, cycle {cycle}: its first {what}"),
        fails: false,
    }
}

/// The transfer ended, but not well.
#[derive(Debug)]
struct TransferFailed(String);

impl std::fmt::Display for TransferFailed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TransferFailed {}

fn failed(text: impl Into<String>) -> anyhow::Error {
    TransferFailed(text.into()).into()
}

/// Once more with waves of the moment.
pub fn run_traced(
    options: &Cosim,
    file: &[u8],
    moment: &Moment,
    request: &Request,
    output: &Output,
    stop: &Stop,
) -> Result<()> {
    let lab = lab::build(
        options,
        Some(&Tracing {
            nic: moment.nic,
            request,
        }),
    )?;
    lab.stop_after(request.cycles.end);
    let result = transfer(options, &lab, file, output, stop);
    match (result, lab.take_failure()) {
        // The window is over: a difference is noticed at a frame's end, which may come later.
        (Err(_), None) if lab.has_stopped() => Ok(()),
        (Ok(_), None) if !moment.fails => Ok(()),
        (_, Some(_)) if moment.fails => {
            // The hardware goes on for the rest of the window: what follows a failure explains it.
            lab.with(|t| {
                let model = t.stations[moment.nic].model_mut();
                (model.cycle()..=request.cycles.end).try_for_each(|_| model.tick())
            })?;
            Ok(())
        }
        (Err(error), None) => Err(error),
        _ => Err(anyhow!(
            "the same seed did not do the same again: something outside the seed decides"
        )),
    }
}

/// Posts, waits, compares. Gives the cycles from the first doorbell to the last completion.
fn transfer(options: &Cosim, lab: &Lab, file: &[u8], output: &Output, stop: &Stop) -> Result<u64> {
    let mut hosts = lab::connect(options, lab, file.len())?;
    let [a, b] = &mut hosts;
    if options.read {
        b.region.write(0, file)?;
    } else {
        a.region.write(0, file)?;
    }
    let messages = messages(file.len(), options.message as usize);
    let mut progress = output.progress(messages.len() as u64, "simulating");
    let start = lab.with(|t| t.cycle());
    let (mut posted, mut done) = (0, 0);
    while done < messages.len() {
        stop.check()?;
        while posted < messages.len() && posted - done < POSTED {
            let range = messages[posted].clone();
            let remote = b.region.remote().at(range.start as u64);
            let (wr_id, local) = (posted as u64, (&a.region, range));
            match options.read {
                true => a.connection.post_read(wr_id, 0, local, remote)?,
                false => a.connection.post_write(wr_id, 0, local, remote)?,
            }
            posted += 1;
        }
        let completion = wait(a, stop)?;
        if completion.status != CompletionStatus::Success {
            let status = completion.status.name();
            return Err(failed(format!(
                "the connection failed: message {} ended with `{status}`",
                completion.wr_id
            )));
        }
        if completion.wr_id != done as u64 {
            return Err(failed(format!(
                "completion {done} is of message {}",
                completion.wr_id
            )));
        }
        done += 1;
        progress.set(done as u64);
    }
    let cycles = lab.with(|t| t.cycle()) - start;
    settle(lab, &hosts, stop)?;
    compare(file, &hosts[usize::from(!options.read)])?;
    if lab.with(|t| t.stations[0].is_planted()) {
        let text = "the fault was not planted: NIC A read no payload on plane 0 from that cycle on";
        return Err(failed(text));
    }
    Ok(cycles)
}

fn messages(bytes: usize, message: usize) -> Vec<std::ops::Range<usize>> {
    // An empty file is one empty message: it must arrive too.
    let starts = (0..bytes.max(1)).step_by(message);
    starts
        .map(|start| start.min(bytes)..(start + message).min(bytes))
        .collect()
}

fn wait(host: &Host, stop: &Stop) -> Result<WorkCompletion> {
    const SLICE: u64 = 1_000;
    let queue = host.device.completion_queue();
    for round in 0..ROUNDS {
        if let Some(completion) = queue.poll()? {
            return Ok(completion);
        }
        if round % SLICE == 0 {
            stop.check()?;
        }
        host.device.advance()?;
    }
    Err(failed(format!(
        "no completion in {ROUNDS} rounds: the transfer hangs"
    )))
}

/// Lets everything end, then compares all counters and leftovers.
fn settle(lab: &Lab, hosts: &[Host; 2], stop: &Stop) -> Result<()> {
    let mut cycles = 0;
    while !lab.with(|t| t.is_quiet(QUIET)) {
        lab.step()?;
        cycles += 1;
        if cycles % 4096 == 0 {
            stop.check()?;
        }
        if cycles == QUIET_LIMIT {
            return Err(failed(format!(
                "the NICs are not quiet {QUIET_LIMIT} cycles after the last completion"
            )));
        }
    }
    for (nic, host) in hosts.iter().enumerate() {
        let mut values = std::collections::HashMap::new();
        for &counter in Counter::ALL {
            values.insert(counter, host.device.counter(counter)?);
        }
        lab.check_quiet(nic, |counter| values[&counter])?;
    }
    Ok(())
}

fn compare(file: &[u8], receiver: &Host) -> Result<()> {
    let received = receiver.region.read(0..file.len())?;
    match file
        .iter()
        .zip(&received)
        .position(|(sent, got)| sent != got)
    {
        None => Ok(()),
        Some(at) => Err(failed(format!(
            "memory differs from byte {at}: sent {:#04x}, found {:#04x}",
            file[at], received[at]
        ))),
    }
}

type SharedCapture = Rc<RefCell<Option<(Capture, Option<String>)>>>;

fn watch(lab: &Lab, options: &Cosim, partial: &Path) -> Result<SharedCapture> {
    let planes = lab.with(|t| t.planes()[0].len() as u32);
    debug_assert!(options.planes <= planes);
    let capture = Capture::create(partial, planes)
        .with_context(|| format!("can't write {}", partial.display()))?;
    let shared: SharedCapture = Rc::new(RefCell::new(Some((capture, None))));
    let writer = shared.clone();
    lab.with(|t| {
        t.watch(move |sighting| {
            if let Some((capture, error)) = &mut *writer.borrow_mut()
                && error.is_none()
                && let Err(failure) =
                    capture.frame(sighting.nic, sighting.plane, sighting.cycle, sighting.frame)
            {
                *error = Some(failure.to_string());
            }
        })
    });
    Ok(shared)
}

/// A capture counts only if it is whole: it takes its name at the end. An interrupted run leaves none.
fn close(lab: &Lab, shared: SharedCapture, partial: &Path, pcap: &Path, keep: bool) -> Result<()> {
    lab.with(|t| t.watch(|_| {}));
    let (capture, error) = shared
        .borrow_mut()
        .take()
        .expect("a capture is closed once");
    let finished = match error {
        Some(error) => Err(anyhow!("{error}")),
        None => capture.finish().map_err(Into::into),
    };
    let result = finished.and_then(|()| match keep {
        true => Ok(std::fs::rename(partial, pcap)?),
        false => Ok(()),
    });
    if result.is_err() || !keep {
        let _ = std::fs::remove_file(partial);
    }
    result.with_context(|| format!("can't write {}", pcap.display()))
}

fn report(options: &Cosim, lab: &Lab, file: &[u8], began: Instant) -> Report {
    let (cycle, packets, retransmissions) = lab.with(|t| (t.cycle(), t.packets, t.retransmissions));
    let counter = |nic: usize, counter| {
        lab.with(|t| u64::from(t.stations[nic].lockstep().nic().counters().get(counter)))
    };
    Report {
        identical: false,
        lockstep_mismatches: 0,
        failure: None,
        file: options.file.clone().unwrap_or_default(),
        bytes: file.len() as u64,
        planes: options.planes,
        loss: options.loss,
        seed: options.seed,
        stall: options.stall,
        packets,
        retransmissions: retransmissions.all,
        spurious_retransmissions: retransmissions.spurious,
        probes: counter(0, Counter::TxTailProbes) + counter(0, Counter::TxTimeoutProbes),
        acknowledgements: counter(1, Counter::TxAcks),
        marked: counter(1, Counter::RxMarked),
        cycles: cycle,
        events_per_cycle: lab.with(|t| {
            t.stations
                .iter()
                .map(|s| s.lockstep().tally.events)
                .sum::<u64>()
        }) as f64
            / cycle as f64,
        goodput_share: 0.0,
        cycles_per_second: 2.0 * cycle as f64 / began.elapsed().as_secs_f64(),
        pcap: None,
        waves: None,
        gtkwave: None,
        picture: None,
        report: None,
    }
}

impl Report {
    fn finish(&mut self, options: &Cosim, cycles: u64) {
        self.identical = true;
        self.cycles = cycles;
        let mtu = f64::from(1 << metaroce_protocol::constants::MTU_LOG2.default);
        let bytes_per_cycle = f64::from(options.planes) * 8.0;
        let limit =
            bytes_per_cycle * mtu / (mtu + OVERHEAD) * (1.0 - options.loss) * (1.0 - options.stall);
        self.goodput_share = if limit > 0.0 {
            self.bytes as f64 / cycles as f64 / limit
        } else {
            0.0
        };
    }

    fn fail(&mut self, failure: String, mismatches: u32) {
        self.failure = Some(failure);
        self.lockstep_mismatches = mismatches;
    }
}
