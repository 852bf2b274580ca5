//! `metaroce compliance`: a door to the compliance suite.
use std::fmt;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result};
use clap::Args;
use metaroce_compliance::mutants;
use metaroce_compliance::points::{self, Point};
use metaroce_compliance::report::{MutantResult, Report};
use metaroce_compliance::run::{run_mutant, run_point};
use metaroce_compliance::target::{Lab, MutantLab};
use metaroce_compliance::targets::cosim::CosimLab;
use metaroce_compliance::targets::model::ModelLab;
use metaroce_compliance::targets::soft::SoftLab;

use crate::output::{Output, Progress, Stop, reported, usage, write_whole};

/// Judge an endpoint, rule by rule, against docs/protocol.md.
///
/// Each point prints passed, failed or skipped; skipped says what the target lacks. Exit code 0: nothing failed and no
/// mutant escaped; 1: not so; 2: wrong use.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  metaroce compliance --target model --mutants --junit out/compliance.xml\n  metaroce compliance --target model --point P04 T04\n  metaroce serve --local 127.0.0.1 & metaroce compliance --target soft://127.0.0.1:18515"
)]
pub struct Compliance {
    /// Whom to judge: model, cosim (the verilated NIC), or soft://HOST:PORT of a `metaroce serve` with default constants.
    #[arg(long)]
    target: Target,
    /// Own IPv4 addresses for a software peer, one for each of its planes: UDP port 4791 of each must be free
    /// [default: the one that leads to the peer].
    #[arg(long, value_delimiter = ',', value_name = "ADDRESS,...")]
    local: Vec<Ipv4Addr>,
    /// Run the points against the target (model or cosim) with one thing wrong each, too: every one must be caught. For
    /// cosim some are NICs of their own: about a minute each.
    #[arg(long)]
    mutants: bool,
    /// Write the results to this file as JUnit XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Only these points.
    #[arg(long = "point", value_name = "ID", num_args = 1..)]
    points: Vec<String>,
}

/// Whom to judge.
#[derive(Clone, Debug)]
enum Target {
    Model,
    Cosim,
    /// HOST:PORT.
    Soft(String),
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("soft://")) {
            ("model", _) => Ok(Self::Model),
            (_, Some(server)) if server.contains(':') => Ok(Self::Soft(server.into())),
            ("cosim", _) => Ok(Self::Cosim),
            _ => Err("model, cosim or soft://HOST:PORT".into()),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model => f.write_str("model"),
            Self::Cosim => f.write_str("cosim"),
            Self::Soft(server) => write!(f, "soft://{server}"),
        }
    }
}

impl Compliance {
    /// Runs points, and mutants if asked.
    pub fn run(&self, output: &Output, stop: &Stop) -> Result<()> {
        if let (true, Target::Soft(_)) = (self.mutants, &self.target) {
            return Err(usage("--mutants: a software peer can't be made wrong"));
        }
        let chosen = self.choose()?;
        let mut lab = self.lab()?;
        let mut run = |point: &&'static Point| run_point(point, lab.as_mut());
        let results = each(
            &chosen,
            output.progress(chosen.len() as u64, "points"),
            stop,
            &mut run,
        )?;
        drop(lab);
        let mutants = match self.mutants {
            true => self.run_mutants(&chosen, output, stop)?,
            false => Vec::new(),
        };
        let report = Report::new(&self.target.to_string(), results, mutants);
        if let Some(path) = &self.junit {
            let xml = report
                .junit()
                .context("can't write the results as JUnit XML")?;
            write_whole(path, xml.as_bytes())
                .with_context(|| format!("can't write {}", path.display()))?;
        }
        output.print_lines(&report, || report.lines())?;
        if report.is_good() {
            Ok(())
        } else {
            let (failed, escaped) = (report.failed, report.escaped());
            Err(reported(&format!(
                "{failed} points failed, {escaped} mutants escaped"
            )))
        }
    }

    fn run_mutants(
        &self,
        chosen: &[&'static Point],
        output: &Output,
        stop: &Stop,
    ) -> Result<Vec<MutantResult>> {
        // A cycle of the hardware takes its time: there only the point that is meant for a mutant is asked.
        let (mut lab, only_meant): (Box<dyn MutantLab>, bool) = match &self.target {
            Target::Model => (Box::new(ModelLab), false),
            Target::Cosim => (Box::new(CosimLab::new()?), true),
            // Refused before the points ran.
            Target::Soft(_) => return Ok(Vec::new()),
        };
        let mutants = mutants::meant_for(chosen);
        let progress = output.progress(mutants.len() as u64, "mutants");
        each(&mutants, progress, stop, |mutant| {
            let asked = chosen.iter().copied();
            let asked: Vec<_> = asked.filter(|p| !only_meant || p.id == mutant.by).collect();
            run_mutant(mutant, &asked, lab.as_mut())
        })
    }

    fn choose(&self) -> Result<Vec<&'static Point>> {
        let all = points::all();
        let known = |id: &&String| all.iter().any(|p| p.id == id.as_str());
        if let Some(unknown) = self.points.iter().find(|id| !known(id)) {
            return Err(usage(&format!(
                "no point is named {unknown}: see docs/compliance.md"
            )));
        }
        let wanted = |p: &&Point| self.points.is_empty() || self.points.iter().any(|id| id == p.id);
        Ok(all.into_iter().filter(wanted).collect())
    }

    fn lab(&self) -> Result<Box<dyn Lab>> {
        Ok(match &self.target {
            Target::Model | Target::Cosim if !self.local.is_empty() => {
                return Err(usage("--local is for a software peer"));
            }
            Target::Model => Box::new(ModelLab),
            Target::Cosim => Box::new(CosimLab::new()?),
            Target::Soft(server) => Box::new(SoftLab::new(server, &self.local)?),
        })
    }
}

/// Does something with each item, until ^C.
fn each<T, R>(
    items: &[T],
    mut progress: Progress,
    stop: &Stop,
    mut run: impl FnMut(&T) -> R,
) -> Result<Vec<R>> {
    let step = |(n, item)| {
        stop.check()?;
        progress.set(n);
        Ok(run(item))
    };
    (0..).zip(items).map(step).collect()
}
