//! Who is next in turn.
use rust_hdl::prelude::*;

/// Picks the first requester after `last`, in the order of numbers, going round.
///
/// Purely combinational. `N` requesters, 1..=8. Without a request `found` is low and `pick` is 0.
#[derive(LogicBlock)]
pub struct NextInTurn<const N: usize> {
    /// Bit k: number k asks.
    pub request: Signal<In, Bits<N>>,
    /// Served last.
    pub last: Signal<In, Bits<3>>,
    /// Somebody asks.
    pub found: Signal<Out, Bit>,
    /// Who is next.
    pub pick: Signal<Out, Bits<3>>,
    /// The same, one hot.
    pub grant: Signal<Out, Bits<N>>,
    number: [Constant<Bits<3>>; N],
    low_found: Signal<Local, Bit>,
    low: Signal<Local, Bits<3>>,
    high_found: Signal<Local, Bit>,
    high: Signal<Local, Bits<3>>,
}

impl<const N: usize> Default for NextInTurn<N> {
    fn default() -> Self {
        assert!((1..=8).contains(&N), "1 to 8 requesters");
        Self {
            request: Default::default(),
            last: Default::default(),
            found: Default::default(),
            pick: Default::default(),
            grant: Default::default(),
            number: std::array::from_fn(|i| Constant::new(bits(i as u64))),
            low_found: Default::default(),
            low: Default::default(),
            high_found: Default::default(),
            high: Default::default(),
        }
    }
}

impl<const N: usize> Logic for NextInTurn<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.low_found.next = false;
        self.low.next = bits::<3>(0);
        self.high_found.next = false;
        self.high.next = bits::<3>(0);
        for i in 0..N {
            if self.request.val().get_bit(i) {
                if !self.low_found.val() {
                    self.low_found.next = true;
                    self.low.next = self.number[i].val();
                }
                if !self.high_found.val() & (self.number[i].val() > self.last.val()) {
                    self.high_found.next = true;
                    self.high.next = self.number[i].val();
                }
            }
        }
        self.found.next = self.low_found.val();
        self.pick.next = self.low.val();
        if self.high_found.val() {
            self.pick.next = self.high.val();
        }
        self.grant.next = bits::<N>(0);
        for i in 0..N {
            if self.low_found.val() & (self.pick.val() == self.number[i].val()) {
                self.grant.next = self.grant.val().replace_bit(i, true);
            }
        }
    }
}
