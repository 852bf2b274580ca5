//! The model as the peer of a NIC: it sends what it is given, over lossy planes.
use metaroce_cosim::planes::{Faults, Plane};
use metaroce_model::config::{Options, Size, Tunables};
use metaroce_model::endpoint::Endpoint;
use metaroce_model::nic::Nic;
use metaroce_model::wire::Incoming;
use metaroce_protocol::frame::parse_as;
use metaroce_protocol::{Profile, Wqe};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Bytes that messages are cut out of; host addresses from 0.
pub const SOURCE: usize = 1 << 16;
/// Frames that may wait in front of the NIC.
const WAITING: usize = 3;

pub struct Peer {
    pub endpoint: Endpoint,
    pub source: Vec<u8>,
    /// By plane: to the NIC, and from it.
    to: Vec<Plane>,
    from: Vec<Plane>,
}

impl Peer {
    pub fn new(size: Size, tunables: Tunables, faults: Faults, seed: u64) -> Self {
        let options = Options {
            profile: Profile::Messages,
            // It tries again for as long as it takes.
            not_ready_ticks: 1 << 30,
            ..Options::default()
        };
        let mut source = vec![0; SOURCE];
        ChaCha8Rng::seed_from_u64(seed).fill(&mut source[..]);
        let planes = |first: u64| {
            let plane = |k| Plane::new(faults, seed.wrapping_mul(64) + first + k);
            (0..u64::from(size.planes)).map(plane).collect()
        };
        Self {
            endpoint: Endpoint::new(Nic::with_options(size, tunables, options)),
            source,
            to: planes(0),
            from: planes(32),
        }
    }

    /// What a message sends.
    pub fn bytes(&self, wqe: &Wqe) -> Vec<u8> {
        let at = wqe.local_address as usize;
        self.source[at..at + wqe.length as usize].to_vec()
    }

    /// A frame left the NIC.
    pub fn hear(&mut self, plane: usize, frame: Vec<u8>, cycle: u64) {
        self.from[plane].enter(frame, cycle);
    }

    /// One cycle; `waiting`: frames in front of the NIC, by plane. Gives the frames that arrive there.
    pub fn cycle(&mut self, cycle: u64, waiting: &[usize]) -> Vec<(usize, Vec<u8>)> {
        let now = cycle as u32;
        for plane in &mut self.from {
            while let Some(bytes) = plane.arrived(cycle) {
                if let Ok(frame) = parse_as(&bytes, Profile::Messages) {
                    self.endpoint.handle(&Incoming::from(&frame), now);
                }
            }
        }
        let busy = |(plane, waiting): (&Plane, &usize)| waiting + plane.in_flight() > WAITING + 8;
        if !self.to.iter().zip(waiting).any(busy)
            && let Some(out) = self.endpoint.poll_transmit(now)
        {
            let at = out.local_address as usize;
            let payload = &self.source[at..at + out.payload_length() as usize];
            let bytes = out.frame(payload).encode().expect("a frame");
            self.to[out.plane as usize].enter(bytes, cycle);
        }
        let mut arrived = Vec::new();
        for (k, plane) in self.to.iter_mut().enumerate() {
            if waiting[k] < WAITING {
                arrived.extend(plane.arrived(cycle).map(|frame| (k, frame)));
            }
        }
        arrived
    }

    /// Nothing is under way.
    pub fn is_quiet(&self) -> bool {
        self.to.iter().chain(&self.from).all(|p| p.in_flight() == 0)
    }
}
