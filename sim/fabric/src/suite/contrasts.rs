//! Rows that show two things beside each other.
use super::rows::{limit_note, percent};
use super::{Bench, Case, Goal};
use crate::outcome::Summary;

/// Seeds of these rows.
const SEEDS: u64 = 5;

/// Goodput of a flow in Gb/s; none: the row has no value.
fn gigabits(run: &Summary, flow: usize, bytes: f64) -> f64 {
    let time = run.flows.get(flow).copied().flatten();
    time.map_or(f64::NAN, |time| bytes * 8.0 / time.us / 1_000.0)
}

/// The smallest share of what each would have alone, of some flows.
fn worst_share(run: &Summary, flows: std::ops::Range<usize>) -> f64 {
    let shares = flows.map(|flow| run.flows.get(flow).copied().flatten());
    let shares = shares.map(|time| time.map_or(f64::NAN, |time| time.share));
    shares.reduce(f64::min).unwrap_or(f64::NAN)
}

impl Bench {
    /// Both collectives, both transports, each against its own speed without loss.
    pub(super) fn collectives(&mut self) {
        for (name, key) in [
            ("all-reduce-loss", "all_reduce"),
            ("all-to-all-loss", "all_to_all"),
        ] {
            for (kind, infix) in [("metaroce", ""), ("go-back-n", "_go_back_n")] {
                let base = Case::of(name).with("transport.kind", kind);
                let lossless = self.run(&base.with_loss(0.0), SEEDS);
                let note = format!("{kind}, no loss; {}", limit_note(&lossless));
                let us = format!("{key}{infix}_us");
                self.row(us, Goal::none(), &lossless, note, |run| run.makespan_us);
                let without_loss = |seed: u64| {
                    let same = lossless.iter().find(|run| run.seed == seed);
                    same.map_or(f64::NAN, |run| run.makespan_us)
                };
                for rate in [0.001, 0.01] {
                    let runs = self.run(&base.with_loss(rate), SEEDS);
                    let row = |what: &str| format!("{key}{infix}_loss_{}_{what}", percent(rate));
                    self.row(row("us"), Goal::none(), &runs, kind, |run| run.makespan_us);
                    let note = format!("{kind}, each seed of its own speed without loss");
                    self.row(row("share"), Goal::none(), &runs, note, |run| {
                        without_loss(run.seed) / run.makespan_us
                    });
                }
            }
        }
    }

    /// What 32 senders do that know no share of the receiver's line: with fixed windows, and with windows that marks move.
    pub(super) fn incast_without_hints(&mut self) {
        let base = Case::of("incast-32x1mb").with("transport.hints", "off");
        let marks = base
            .with("transport.law", "aimd")
            .with("transport.first_window", "2");
        for (case, what) in [(base, "fixed"), (marks, "aimd")] {
            let runs = self.run(&case, SEEDS);
            let key = |value: &str| format!("incast_32x1mb_no_hints_{what}_{value}");
            let note = format!("no rate hints, windows: {what}; {}", limit_note(&runs));
            self.row(key("us"), Goal::none(), &runs, &note, |run| run.fct_us.max);
            self.row(key("dropped_packets"), Goal::none(), &runs, &note, |run| {
                run.dropped as f64
            });
            let note = "last less first, of the last";
            self.row(
                key("first_against_last_share"),
                Goal::none(),
                &runs,
                note,
                |run| (run.fct_us.max - run.fct_us.min) / run.fct_us.max,
            );
        }
    }

    /// The same permutation over slower and faster links, without and with loss.
    pub(super) fn rates(&mut self) {
        for rate in ["100", "400"] {
            let base = Case::of("link-rates").with("fabric.link.rate", &format!("{rate}Gbps"));
            for loss in [0.0, 0.01] {
                let runs = self.run(&base.with_loss(loss), SEEDS);
                let key = format!("links_{rate}g_loss_{}_share", percent(loss));
                self.row(key, Goal::none(), &runs, limit_note(&runs), |run| {
                    run.goodput_share
                });
            }
        }
    }

    /// Flows inside a site beside flows across: neither may cost the other anything, so each is held to what it has alone.
    pub(super) fn sites(&mut self) {
        let base = Case::of("two-sites");
        for loss in [0.0, 0.001] {
            let runs = self.run(&base.with_loss(loss), SEEDS);
            for (key, flows) in [("short", 0..2), ("long", 2..4)] {
                // Nothing but its own headers costs a flow of these anything.
                let goal = if loss > 0.0 {
                    Goal::none()
                } else {
                    Goal::at_least(0.99)
                };
                let key = format!("sites_{key}_rtt_loss_{}_share", percent(loss));
                let note = "slower of the two flows, of its speed alone without loss";
                self.row(key, goal, &runs, note, |run| {
                    worst_share(run, flows.clone())
                });
            }
        }
    }

    /// One receiver with 4,000 connections.
    pub(super) fn connections(&mut self) {
        let runs = self.run(&Case::of("connections-4000"), 3);
        let note = limit_note(&runs);
        self.row(
            "connections_4000_share",
            Goal::none(),
            &runs,
            &note,
            |run| run.goodput_share,
        );
        let note = "a port's buffer holds 32 MB: two packets of each sender";
        self.row(
            "connections_4000_dropped_packets",
            Goal::none(),
            &runs,
            note,
            |run| run.dropped as f64,
        );
        let note = "Jain's index of the 4,000 flows' goodputs";
        self.row("connections_4000_jain", Goal::none(), &runs, note, |run| {
            run.jain
        });
    }

    /// Seven fast flows beside one to a slow receiver, over the same leaves: ours, and RoCEv2 with pauses.
    pub(super) fn victims(&mut self) {
        let ours = Case::of("slow-receiver");
        let fast = |run: &Summary| worst_share(run, 1..8);
        let row = |bench: &mut Self, case: &Case, key: &str, goal: Goal, note: &str, rate| {
            let runs = bench.run(case, SEEDS);
            bench.row(
                format!("slow_receiver_{key}_fast_share"),
                goal,
                &runs,
                note,
                fast,
            );
            let slow = |run: &Summary| gigabits(run, 0, 8e6);
            let key = format!("slow_receiver_{key}_slow_gbps");
            let note = format!("goodput of the flow to host 8, which takes {rate} Gb/s");
            bench.row(key, Goal::none(), &runs, note, slow);
        };
        let note = "slowest of seven fast flows, of its speed alone";
        row(self, &ours, "metaroce", Goal::at_least(0.99), note, 25);
        let even = |case: &Case| case.with("slow.0.rate", "400Gbps");
        let note = "the same with no receiver slow: what the fast flows lose to each other";
        row(self, &even(&ours), "absent", Goal::none(), note, 400);
        let paused = ours
            .with("transport.kind", "go-back-n")
            .with("transport.dcqcn", "false")
            .with("fabric.ecn", "off")
            .with("fabric.pfc", "{ stop = '300kB', go = '250kB' }");
        let note = "go-back-N with PFC, without DCQCN, ecn = off: pauses spread";
        row(self, &paused, "pfc", Goal::none(), note, 25);
        let note = "go-back-N with PFC, without DCQCN, ecn = off, no receiver slow";
        row(self, &even(&paused), "absent_pfc", Goal::none(), note, 400);
    }
}
