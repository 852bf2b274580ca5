//! A client's side of the set-up exchange: a JSON object a line, over TCP.
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::setup::{REGION_BYTES, Setup};

/// Version of the exchange.
const VERSION: u32 = 1;
/// A peer that says nothing for so long is gone.
const PATIENCE: Duration = Duration::from_secs(30);

/// A session.
pub struct Exchange {
    lines: BufReader<TcpStream>,
}

/// What the peer says of itself.
pub struct Ready {
    pub tester_qp: u32,
    pub qp: u32,
    pub first_psn: u32,
    pub first_tsn: u32,
    pub addresses: Vec<Ipv4Addr>,
    pub address: u64,
    pub r_key: u32,
}

#[derive(Deserialize)]
struct End {
    qp: u32,
    first_psn: u32,
    first_tsn: u32,
    addresses: Vec<Ipv4Addr>,
}

#[derive(Deserialize)]
struct Region {
    address: u64,
    r_key: u32,
    length: u64,
}

impl Exchange {
    /// Asks for a connection and for a region whose hash can be asked for: a file of one piece.
    pub fn begin(
        server: &str,
        tester_qp: u32,
        setup: &Setup,
        local: &[Ipv4Addr],
    ) -> io::Result<(Self, Ready)> {
        let stream = TcpStream::connect(server)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut exchange = Self {
            lines: BufReader::new(stream),
        };
        let path = |path| {
            let plane = usize::from(setup.plane(path)) % local.len();
            json!({"plane": plane, "entropy": setup.entropy(path)})
        };
        let mut reply = exchange.ask(&json!({
            "version": VERSION,
            "end": {
                "qp": tester_qp,
                "first_psn": setup.first_psn.get(),
                "first_tsn": setup.first_tsn.get(),
                "addresses": local,
            },
            "paths": (0..setup.paths).map(path).collect::<Vec<_>>(),
            "work": {"file": {
                "name": "compliance",
                "bytes": REGION_BYTES,
                "piece": REGION_BYTES,
            }},
        }))?;
        let ready = &mut reply["ready"];
        let End {
            qp,
            first_psn,
            first_tsn,
            addresses,
        } = serde_json::from_value(ready["end"].take())?;
        let Region {
            address,
            r_key,
            length,
        } = serde_json::from_value(ready["region"].take())?;
        if length != u64::from(REGION_BYTES) {
            return Err(unexpected(&format!("a region of {length} bytes")));
        }
        let ready = Ready {
            tester_qp,
            qp,
            first_psn,
            first_tsn,
            addresses,
            address,
            r_key,
        };
        Ok((exchange, ready))
    }

    /// Ends the session: SHA-256 of the region, in hexadecimal.
    pub fn hash(&mut self, bytes: u32) -> io::Result<String> {
        let taken = self.ask(&json!({"piece": {"bytes": bytes}}))?;
        if taken != "taken" {
            return Err(unexpected(&taken.to_string()));
        }
        let end = self.ask(&json!("done"))?;
        let hash = end["summary"]["sha256"].as_str();
        hash.map(str::to_string)
            .ok_or_else(|| unexpected(&end.to_string()))
    }

    fn ask(&mut self, line: &Value) -> io::Result<Value> {
        let mut text = line.to_string();
        text.push('\n');
        self.lines.get_mut().write_all(text.as_bytes())?;
        let mut answer = String::new();
        if self.lines.read_line(&mut answer)? == 0 {
            return Err(unexpected("the end of the session"));
        }
        let answer: Value = serde_json::from_str(&answer)?;
        match answer["refused"]["reason"].as_str() {
            Some(reason) => Err(unexpected(&format!("refused: {reason}"))),
            None => Ok(answer),
        }
    }
}

fn unexpected(what: &str) -> io::Error {
    io::Error::other(format!("the peer says {what:.200}"))
}
