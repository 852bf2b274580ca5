//! What the model says comes out, taken instead of compared: for a run that follows commits without the NIC.
use metaroce_protocol::Cqe;

use super::{Lockstep, Mismatch};

impl Lockstep {
    /// Address and bytes of the payload that the newest cycle's receive commit accepted, if it did.
    pub fn accepted(&self) -> Option<(u64, u32)> {
        self.accepted
    }

    /// The next frame of a plane, out of the transmit pipeline's queue of answers or of data.
    pub fn take_frame(&mut self, plane: usize, answer: bool) -> Result<Vec<u8>, Mismatch> {
        let queues = &mut self.planes[plane];
        let (queue, kind) = match answer {
            true => (&mut queues.answers, "answer"),
            false => (&mut queues.data, "data frame"),
        };
        let frame = queue.pop_front();
        frame.ok_or_else(|| {
            let what = format!("plane {plane}: frame");
            self.differs(&what, "no frame", kind).on_plane(plane)
        })
    }

    /// The next completion: where it goes, and its bytes.
    pub fn take_completion(&mut self) -> Result<(u64, [u8; Cqe::BYTES]), Mismatch> {
        let completion = self.completions.pop_front();
        let completion = completion.map(|(address, cqe, _)| (address, cqe));
        completion.ok_or_else(|| self.differs("completion", "none", "one"))
    }

    /// Writes all accepted payload into host memory. `false`: some of it has no place there.
    pub fn place_all(&mut self) -> bool {
        let mut memory = self.memory.borrow_mut();
        let mut whole = true;
        for (address, data) in self.planes.iter_mut().flat_map(|p| p.placements.drain(..)) {
            match memory.bytes_mut(address, data.len()) {
                Some(place) => place.copy_from_slice(&data),
                None => whole = false,
            }
        }
        whole
    }
}
