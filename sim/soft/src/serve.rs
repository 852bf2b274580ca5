//! A server: any number of clients set up connections, work, and leave; others only ask.
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use metaroce_verbs::WorkCompletion;

use crate::device::Device;
use crate::error::SoftError;
use crate::setup::{Lines, Reply};

mod session;
mod store;
mod work;

use session::{End, Session};

/// What a server grants.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Where set-ups are taken.
    pub listen: SocketAddr,
    /// Largest region of a client, in bytes.
    pub max_region: u64,
    /// Largest sum of all clients' regions, in bytes.
    pub max_memory: u64,
    /// Where files are kept; without, they are only hashed.
    pub folder: Option<PathBuf>,
    /// A client that says nothing and sends nothing for so long is gone.
    pub patience: Duration,
    /// Ends after so many clients, 0: never.
    pub clients: u64,
}

impl ServeOptions {
    /// Regions of up to 1 GiB, 4 GiB in all, half a minute's patience, no end.
    pub fn new(listen: SocketAddr) -> Self {
        Self {
            listen,
            max_region: 1 << 30,
            max_memory: 4 << 30,
            folder: None,
            patience: Duration::from_secs(30),
            clients: 0,
        }
    }
}

/// What became of a client.
#[derive(Debug)]
pub struct Served {
    /// Who it was.
    pub client: String,
    /// How it went.
    pub result: Result<(), SoftError>,
}

/// A server that listens.
pub struct Server {
    device: Device,
    listener: TcpListener,
    options: ServeOptions,
    sessions: Vec<Session>,
}

/// Rounds of the device between looks at the set-up connections.
const ROUNDS: u32 = 64;

impl Server {
    /// Listens.
    pub fn new(device: Device, options: ServeOptions) -> Result<Self, SoftError> {
        let failed = |cause| SoftError::Listen {
            address: options.listen,
            cause,
        };
        let listener = TcpListener::bind(options.listen).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        Ok(Self {
            device,
            listener,
            options,
            sessions: Vec::new(),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> Option<SocketAddr> {
        self.listener.local_addr().ok()
    }

    /// Serves until `stop` says so, or as many clients as the options say have come and gone. Every client's end is told.
    pub fn run(
        &mut self,
        stop: impl Fn() -> bool,
        mut told: impl FnMut(&Served),
    ) -> Result<u64, SoftError> {
        let mut served = 0;
        let mut round = 0;
        let queue = self.device.completion_queue();
        while !stop() && (self.options.clients == 0 || served < self.options.clients) {
            while let Some(done) = queue.poll()? {
                self.complete(&done);
            }
            self.device.advance()?;
            round += 1;
            if round < ROUNDS && self.sessions.iter().any(Session::is_quick) {
                self.answer();
                continue;
            }
            round = 0;
            self.accept();
            for end in self.step() {
                told(&end);
                served += 1;
            }
        }
        Ok(served)
    }

    /// What ended is its session's.
    fn complete(&mut self, done: &WorkCompletion) {
        let mut sessions = self.sessions.iter_mut();
        if let Some(session) = sessions.find(|s| s.connection() == Some(done.connection)) {
            session.on_completion(done);
        }
    }

    /// Sessions that wait for a write answer at once.
    fn answer(&mut self) {
        for session in &mut self.sessions {
            session.answer();
        }
    }

    fn accept(&mut self) {
        // Whatever fails here fails the client, not the server.
        let Ok((stream, _)) = self.listener.accept() else {
            return;
        };
        let Ok(mut lines) = Lines::new(stream) else {
            return;
        };
        if self.sessions.len() == crate::device::CONNECTIONS {
            let reason = format!("all {} connections are in use", self.sessions.len());
            let _ = lines.say(&Reply::Refused { reason });
            return;
        }
        self.sessions.push(Session::new(lines));
    }

    fn step(&mut self) -> Vec<Served> {
        let mut ends = Vec::new();
        let now = Instant::now();
        for session in &mut self.sessions {
            session.answer();
            if let Some(End::Client(result)) = session.step(&self.device, &self.options, now) {
                ends.push(Served {
                    client: session.name().to_string(),
                    result,
                });
            }
        }
        self.sessions.retain(|session| !session.is_over());
        ends
    }
}
