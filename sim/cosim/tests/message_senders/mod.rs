//! Senders of messages, honest ones and liars, for the tests of what receives them.
#![allow(dead_code)] // each test file uses a part
use metaroce_model::tracker::Part;
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// A message as its honest sender sees it.
struct Message {
    claims: Part,
    /// Offset and bytes of what was not yet accepted.
    chunks: Vec<(u32, u32)>,
}

/// The sender's side of a stream: WRITE, WRITE_IMM, SEND and SEND_IMM, in packets of any size up to 4,096 bytes.
#[derive(Default)]
pub struct Sender {
    next_message: u16,
    next_receive: u32,
    open: Vec<Message>,
}

impl Sender {
    fn open_message(&mut self, rng: &mut ChaCha8Rng, longest: u32) {
        let length = match rng.random_range(0..4) {
            0 => 0,
            1 => rng.random_range(0..=4.min(longest)),
            _ => rng.random_range(0..=longest),
        };
        let verb = rng.random_range(0..4);
        let takes = verb > 0;
        let claims = Part {
            message: self.next_message,
            offset: 0,
            payload: 0,
            length,
            receive: takes.then_some(self.next_receive),
            into_buffer: verb > 1,
            immediate: [1, 3].contains(&verb).then(|| rng.random()),
        };
        self.next_message = self.next_message.wrapping_add(1);
        self.next_receive = self.next_receive.wrapping_add(takes.into());
        let mut chunks = vec![];
        let mut offset = 0;
        while offset < length {
            let payload = rng.random_range(1..=4_096).min(length - offset);
            chunks.push((offset, payload));
            offset += payload;
        }
        if chunks.is_empty() {
            chunks.push((0, 0));
        }
        self.open.push(Message { claims, chunks });
    }

    /// A packet that is neither accepted nor `under_way`, of one of the next `messages`; if there is one.
    pub fn packet(
        &mut self,
        rng: &mut ChaCha8Rng,
        messages: u16,
        longest: u32,
        under_way: &[Part],
    ) -> Option<Part> {
        self.open.retain(|m| !m.chunks.is_empty());
        while self.open.len() < messages.into() {
            self.open_message(rng, longest);
        }
        let message = if rng.random_bool(0.6) {
            &self.open[0]
        } else {
            self.open.choose(rng)?
        };
        let left = |&&(offset, payload): &&(u32, u32)| {
            !under_way.iter().any(|p| {
                (p.message, p.offset, p.payload) == (message.claims.message, offset, payload)
            })
        };
        let &(offset, payload) = message.chunks.iter().find(left)?;
        Some(Part {
            offset,
            payload,
            ..message.claims
        })
    }

    /// A packet was accepted.
    pub fn delivered(&mut self, part: &Part) {
        let mut open = self.open.iter_mut();
        if let Some(message) = open.find(|m| m.claims.message == part.message) {
            message
                .chunks
                .retain(|&chunk| chunk != (part.offset, part.payload));
        }
    }
}

/// Makes a packet say something that its sender would not, but its opcode can.
pub fn lie(rng: &mut ChaCha8Rng, part: &mut Part) {
    let few: u16 = rng.random_range(1..6);
    match rng.random_range(0..9) {
        0 => part.message = part.message.wrapping_sub(few),
        1 => part.message = part.message.wrapping_add(few),
        2 => part.message = rng.random(),
        3 => {
            let lengths = [part.length ^ 1, u32::MAX, rng.random(), part.payload];
            part.length = *lengths.choose(rng).expect("lengths");
        }
        4 => part.offset = *[part.offset ^ 1, u32::MAX].choose(rng).expect("offsets"),
        5 => part.payload = *[0, part.payload ^ 1, 4_096].choose(rng).expect("payloads"),
        6 => {
            let by = rng.random_range(0..8);
            part.receive = part.receive.map(|r| r.wrapping_add(by).wrapping_sub(4));
        }
        7 if part.receive.is_none() => part.receive = Some(rng.random_range(0..4)),
        7 => part.receive = None,
        _ => part.receive = part.receive.map(|_| rng.random()),
    }
    part.payload = part.payload.min(4_096);
    match part.receive {
        None => (part.into_buffer, part.immediate) = (false, None),
        Some(_) if !part.into_buffer => part.immediate = part.immediate.or(Some(7)),
        Some(_) => {}
    }
}
