//! Scenario by scenario.
use super::{Bench, Case, Goal, Group};
use crate::compare;
use crate::outcome::Summary;

/// Seeds of most rows.
const SEEDS: u64 = 10;
/// Bytes of half a bandwidth-delay product: 400 Gb/s, 7.34 us.
const HALF_BDP: f64 = 183_500.0;
/// Paths of a plane while planes are counted.
const PATHS_A_PLANE: u32 = 4;

pub(super) fn percent(rate: f64) -> String {
    format!("{}pct", (rate * 1e6).round() / 1e4)
}

fn mean_makespan(runs: &[Summary]) -> f64 {
    runs.iter().map(|run| run.makespan_us).sum::<f64>() / runs.len() as f64
}

impl Bench {
    pub(super) fn measure(&mut self, group: Group) {
        match group {
            Group::Ring => {
                self.ring("ring-2mb", "2mb", [0.975, 0.91, 0.73], SEEDS);
                self.ring("ring-16mb", "16mb", [0.995, 0.977, 0.87], 3)
            }
            Group::Loss => self.loss(),
            Group::Permutation => self.permutation(),
            Group::Incast => {
                self.incast("incast-32x1mb", "32x1mb");
                self.incast("incast-8x8mb", "8x8mb");
                self.incast_without_hints()
            }
            Group::Asymmetry => self.asymmetry(),
            Group::LongRtt => self.long_rtt(),
            Group::Planes => {
                self.planes();
                self.plane_failure()
            }
            Group::Reorder => self.reorder(),
            Group::Collectives => self.collectives(),
            Group::Rates => self.rates(),
            Group::Sites => self.sites(),
            Group::Connections => self.connections(),
            Group::Victims => self.victims(),
        }
    }

    fn ring(&mut self, name: &'static str, size: &str, goals: [f64; 3], seeds: u64) {
        let base = Case::of(name);
        let lossless = mean_makespan(&self.run(&base.with_loss(0.0), seeds));
        for (rate, goal) in [0.001, 0.01, 0.1].into_iter().zip(goals) {
            let runs = self.run(&base.with_loss(rate), seeds);
            let key = format!("ring_{size}_loss_{}_share", percent(rate));
            let note = format!("of the speed without loss: {lossless:.1} us");
            self.row(key, Goal::at_least(goal), &runs, note, |run| {
                lossless / run.makespan_us
            });
        }
    }

    fn loss(&mut self) {
        let base = Case::of("one-flow");
        let goals = [None, Some(0.9985), Some(0.988), Some(0.8925)];
        for (rate, goal) in compare::LOSSES.into_iter().zip(goals) {
            let runs = self.run(&base.with_loss(rate), SEEDS);
            let note = "of the limit without loss; the wire's bound is 1 - loss";
            let goal = goal.map_or(Goal::none(), Goal::at_least);
            self.row(compare::key("", rate), goal, &runs, note, |run| {
                run.goodput_share
            });
        }
        for baseline in compare::BASELINES {
            let settings = baseline.settings.iter();
            let kind = base.with("transport.kind", baseline.kind);
            let tuned = settings.fold(kind, |case, (field, value)| case.with(field, value));
            for rate in compare::LOSSES {
                let runs = self.run(&tuned.with_loss(rate), 5);
                let (kind, chosen) = (baseline.kind, baseline.chosen);
                let note = format!("{kind}, of its limit without loss{chosen}");
                let key = compare::key(baseline.infix, rate);
                self.row(key, Goal::none(), &runs, note, |run| run.goodput_share);
            }
        }
    }

    fn permutation(&mut self) {
        let runs = self.run(&Case::of("permutation"), SEEDS);
        let note = limit_note(&runs);
        let goal = Goal::at_most(50.0).for_every_seed();
        self.row("permutation_128x2mb_us", goal, &runs, note, |run| {
            run.fct_us.max
        });
    }

    fn incast(&mut self, name: &'static str, size: &str) {
        let runs = self.run(&Case::of(name), SEEDS);
        let key = |what: &str| format!("incast_{size}_{what}");
        let note = limit_note(&runs);
        let every = |goal: Goal| goal.for_every_seed();
        self.row(
            key("share"),
            Goal::none().for_least_seed(),
            &runs,
            format!("the same as `{}`", key("us")),
            |run| run.goodput_share,
        );
        let goal = every(Goal::at_most(runs[0].limit_us / 0.99));
        self.row(key("us"), goal, &runs, &note, |run| run.fct_us.max);
        let goal = every(Goal::at_most(0.01));
        let note = "last less first, of the last";
        self.row(key("first_against_last_share"), goal, &runs, note, |run| {
            (run.fct_us.max - run.fct_us.min) / run.fct_us.max
        });
        let goal = every(Goal::at_most(HALF_BDP));
        let note = "half a bandwidth-delay product";
        self.row(key("peak_queue_bytes"), goal, &runs, note, |run| {
            run.peak_queue_bytes as f64
        });
        let goal = every(Goal::at_most(0.0));
        let note = "a port's buffer holds one bandwidth-delay product";
        self.row(key("dropped_packets"), goal, &runs, note, |run| {
            run.dropped as f64
        });
    }

    fn asymmetry(&mut self) {
        let runs = self.run(&Case::of("asymmetry"), 50);
        let note = limit_note(&runs);
        let goal = Goal::at_most(2_100.0).for_every_seed();
        self.row("asymmetry_2x64mb_us", goal, &runs, note, |run| {
            run.fct_us.max
        });
        self.asymmetry_row("first_against_last_share", &runs);
        let random = Case::of("asymmetry").with("transport.entropy", "random");
        let random = random.with("transport.increase", "1");
        let rerouted = random.with("transport.reroute_marked", "32");
        let coupled = Case::of("asymmetry")
            .with("transport.entropy", "random")
            .with("transport.increase", "4")
            .with("transport.coupled", "true")
            .with("transport.reroute_marked", "64");
        for (case, what) in [
            (random, "random"),
            (rerouted, "random_rerouted"),
            (coupled, "random_rerouted_coupled"),
        ] {
            let runs = self.run(&case, 50);
            let goal = Goal::none().for_every_seed();
            let key = format!("asymmetry_2x64mb_{what}_us");
            let note = format!("source ports at random; {}", limit_note(&runs));
            self.row(key, goal, &runs, note, |run| run.fct_us.max);
            self.asymmetry_row(&format!("{what}_first_against_last_share"), &runs);
        }
    }

    /// How uneven both flows are.
    fn asymmetry_row(&mut self, what: &str, runs: &[Summary]) {
        let key = format!("asymmetry_2x64mb_{what}");
        let (goal, note) = (
            Goal::none().for_every_seed(),
            "last less first, of the last",
        );
        self.row(key, goal, runs, note, |run| {
            (run.fct_us.max - run.fct_us.min) / run.fct_us.max
        });
    }

    fn long_rtt(&mut self) {
        let base = Case::of("long-rtt");
        let lossless = self.run(&base.with_loss(0.0), 1);
        let note = limit_note(&lossless);
        self.row(
            "long_rtt_256mb_share",
            Goal::at_least(0.99),
            &lossless,
            note,
            |run| run.goodput_share,
        );
        let lossless = mean_makespan(&lossless);
        for (copies, key, goal) in [
            (false, "long_rtt_256mb_loss_1pct_share", 0.875),
            (true, "long_rtt_256mb_copies_loss_1pct_share", 0.92),
        ] {
            let case = base
                .with_loss(0.01)
                .with("transport.idle_copies", &copies.to_string())
                .with("transport.retransmission_copies", "true");
            let runs = self.run(&case, SEEDS);
            let note = format!("of the speed without loss: {lossless:.1} us");
            self.row(key, Goal::at_least(goal), &runs, note, |run| {
                lossless / run.makespan_us
            });
        }
    }

    fn planes(&mut self) {
        let base = Case::of("planes");
        let mut one_plane = f64::NAN;
        for planes in [1, 2, 4, 8] {
            let case = base
                .with("fabric.planes", &planes.to_string())
                .with("transport.paths", &(PATHS_A_PLANE * planes).to_string());
            let runs = self.run(&case, 3);
            if planes == 1 {
                one_plane = mean_makespan(&runs);
            }
            // One plane is what the others are measured by: its rows can't miss.
            let goal = |goal: Goal| if planes == 1 { Goal::none() } else { goal };
            let note = format!("of {planes} times one plane's throughput");
            let key = format!("planes_{planes}_linear_share");
            self.row(key, goal(Goal::at_least(0.98)), &runs, note, |run| {
                one_plane / run.makespan_us / f64::from(planes)
            });
            let key = format!("planes_{planes}_uneven_share");
            let note = "largest distance of a plane's bytes from the mean";
            self.row(key, goal(Goal::at_most(0.01)), &runs, note, |run| {
                let distance = run.plane_share.iter().map(|share| (share - 1.0).abs());
                distance.fold(0.0, f64::max)
            });
        }
    }

    fn plane_failure(&mut self) {
        let runs = self.run(&Case::of("plane-failure"), 3);
        let time = |pick: fn(&crate::outcome::Recovery) -> Option<f64>| {
            move |run: &Summary| run.recovery.as_ref().and_then(pick).unwrap_or(f64::NAN)
        };
        let every = |limit: f64| Goal::at_most(limit).for_every_seed();
        let note = "from the failure to the last sender that moved its load";
        self.row(
            "plane_failure_noticed_us",
            every(200.0),
            &runs,
            note,
            time(|r| r.noticed_last_us),
        );
        let note = "from the failure to 95 % of the other planes' line rate, two samples of 10 us in a row; the method gives 20 us or more";
        let rest = time(|r| r.rest_at_line_rate_us);
        self.row(
            "plane_failure_rest_at_line_rate_us",
            every(1_000.0),
            &runs,
            note,
            rest,
        );
        let note =
            "from the return to 95 % of all planes' line rate, two samples of 10 us in a row";
        let all = time(|r| r.all_at_line_rate_us);
        self.row(
            "plane_return_all_at_line_rate_us",
            every(5_000.0),
            &runs,
            note,
            all,
        );
    }

    fn reorder(&mut self) {
        for (name, size, goal) in [("reorder", "64mb", 0.001), ("reorder-2mb", "2mb", 0.002)] {
            let runs = self.run(&Case::of(name), 3);
            let key = |what: &str| format!("reorder_{size}_{what}");
            let note = "of the data packets";
            self.row(
                key("spurious_share"),
                Goal::at_most(goal),
                &runs,
                note,
                |run| run.spurious_retransmissions as f64 / run.packets as f64,
            );
            if name == "reorder" {
                let note = limit_note(&runs);
                self.row(
                    key("goodput_share"),
                    Goal::at_least(0.99),
                    &runs,
                    note,
                    |run| run.goodput_share,
                );
            }
        }
        let ring = Case::of("ring-2mb")
            .with("fabric.load_balancing", "packet")
            .with("transport.max_allowance", "16")
            .with("transport.first_allowance", "4")
            .with("transport.allowance_calm", "8192");
        let lossless = mean_makespan(&self.run(&ring.with_loss(0.0), SEEDS));
        let runs = self.run(&ring.with_loss(0.01), SEEDS);
        let note = format!("of the speed without loss: {lossless:.1} us");
        let key = "reorder_ring_2mb_loss_1pct_share";
        self.row(key, Goal::at_least(0.88), &runs, note, |run| {
            lossless / run.makespan_us
        });
    }
}

pub(super) fn limit_note(runs: &[Summary]) -> String {
    format!("the limit by wire bytes is {:.1} us", runs[0].limit_us)
}
