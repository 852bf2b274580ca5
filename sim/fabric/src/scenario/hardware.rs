//! Hosts that are hardware: what a scenario may ask of them.
use super::check::{Checked, fail};
use super::locate::Field;
use super::{Hints, Kind, Law, Problem, Scenario};
use crate::packet::HostId;
use crate::units::Duration;

impl Scenario {
    /// These hosts are hardware, instead of the scenario's. Says which field does not go with it.
    pub fn set_hardware(&mut self, hosts: Vec<HostId>) -> Result<(), (String, Problem)> {
        self.hardware = hosts;
        let checked = self.check_hardware();
        checked.map_err(|found| (found.field.to_string(), found.problem))
    }

    pub(super) fn check_hardware(&self) -> Checked {
        let hosts = self.fabric.hosts();
        for (place, &host) in self.hardware.iter().enumerate() {
            let at = Field::of("hardware").place(place);
            if u64::from(host) >= hosts {
                return fail(at, Problem::NoHost { host, hosts });
            }
            if self.hardware[..place].contains(&host) {
                return fail(at, Problem::Contradiction(format!("host {host} twice")));
            }
        }
        if self.hardware.is_empty() {
            return Ok(());
        }
        self.check_written_profile()
    }

    /// Today's hardware writes, over paths of a fixed window, with the time-out of its register.
    fn check_written_profile(&self) -> Checked {
        let t = &self.transport;
        let beyond = [
            ("kind", t.kind != Kind::Metaroce),
            ("law", t.law != Law::Fixed),
            ("hints", t.hints != Hints::Off),
            ("rto_floor", t.rto_floor != Duration(0)),
            ("connection_window", t.connection_window != 0),
            ("ack_only_skips", t.ack_only_skips),
            ("max_allowance", t.max_allowance != 0),
            ("idle_copies", t.idle_copies),
            ("retransmission_copies", t.retransmission_copies),
            ("extra_tail_probes", t.extra_tail_probes != 0),
            ("reroute_after", t.reroute_after != 0),
            ("suspect_paths", t.suspect_paths != 0),
        ];
        match beyond.into_iter().find(|&(_, is)| is) {
            None => Ok(()),
            Some((name, _)) => {
                let why = match name {
                    "rto_floor" => "must be \"0s\" where hosts are hardware: its time-out is fixed",
                    _ => "the hardware does not do that: leave it out where hosts are hardware",
                };
                let field = Field::of("transport").name(name);
                fail(field, Problem::Contradiction(why.into()))
            }
        }
    }
}
