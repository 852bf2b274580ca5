//! Paths that are marked far more than their siblings take another entropy, so that the paths of a connection find the
//! spines that have room. (ours)
use super::plane::next_entropy;
use super::{Extra, Nic, PathState};

/// One, in the fixed point of a share.
const WHOLE: u32 = 1 << 16;
/// Times its siblings' share of marks that make a path an outlier (ours): equal paths differ by less over a period.
const OUTLIER: u32 = 2;
/// And so much more than theirs (ours), 1/32: where nobody is marked, a single mark says nothing.
const MARGIN: u32 = WHOLE / 32;

/// Marks of a path, period by period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    delivered: u32,
    marked: u32,
    /// Share of the last whole period, in 1/65,536.
    share: Option<u32>,
}

impl Marks {
    /// Counts an ACK; `true` at the end of a period of so many deliveries.
    fn count(&mut self, delivered: u32, marked: u32, period: u32) -> bool {
        self.delivered += delivered;
        self.marked += marked;
        if self.delivered < period {
            return false;
        }
        let share = u64::from(self.marked) * u64::from(WHOLE) / u64::from(self.delivered);
        self.share = Some(share as u32);
        (self.delivered, self.marked) = (0, 0);
        true
    }
}

impl Nic {
    /// An ACK says how many packets of a path were delivered and marked: at the end of a period the path is judged.
    pub(super) fn on_marks(&mut self, path: u32, delivered: u32, marked: u32) {
        let period = self.options.reroute_marked;
        if period == 0 || !self.path(path).is_open() {
            return;
        }
        let ended = self.path_mut(path).marks.count(delivered, marked, period);
        if ended && self.is_outlier(path) {
            let entropy = self.path(path).config.entropy;
            if self.reroute(path, next_entropy(entropy)) {
                self.path_mut(path).marks = Marks::default();
                self.extra.count(Extra::PathsSteered);
            }
        }
    }

    /// Far more marked than its siblings, none of which is about to change.
    fn is_outlier(&self, path: u32) -> bool {
        let first = self.connection_of(path) * self.size.paths;
        let siblings = first..first + self.size.paths;
        let others = siblings.filter(|&p| p != path);
        let others: Vec<&PathState> = others
            .filter_map(|p| self.paths[p as usize].as_ref())
            .collect();
        let shares: Vec<u32> = others.iter().filter_map(|p| p.marks.share).collect();
        // A sibling whose first period is not over, or whose epoch ends, says nothing yet.
        if others.iter().any(|p| !p.is_open()) || 2 * shares.len() < others.len().max(1) {
            return false;
        }
        let mean = shares.iter().sum::<u32>() / shares.len() as u32;
        let own = self.path(path).marks.share.unwrap_or(0);
        own > OUTLIER * mean && own > mean + MARGIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_ends_with_its_share() {
        let mut marks = Marks::default();
        assert!(!marks.count(20, 5, 64));
        assert!(marks.count(44, 27, 64));
        assert_eq!(marks.share, Some(WHOLE / 2));
        assert!(!marks.count(63, 0, 64));
        assert_eq!(marks.share, Some(WHOLE / 2), "the last whole one's");
    }
}
