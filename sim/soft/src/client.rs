//! The side that sets a connection up.
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use metaroce_verbs::{Connection, ConnectionAttributes, PathAttributes, Peer, WorkCompletion};

use crate::device::{Device, DeviceInfo};
use crate::error::SoftError;
use crate::setup::{
    End, Hello, Lines, Query, Question, Region, Reply, Request, VERSION, Work, unfit,
};

/// How long a server may think about a line.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a set-up port may take to answer, or a server that is only asked.
const CONNECT: Duration = Duration::from_secs(5);
/// A message may take so long without any sign: longer than any run of time-outs.
const MESSAGE: Duration = Duration::from_secs(120);

/// First source port of a client's paths: above the range from which Linux takes ports by itself.
pub const FIRST_ENTROPY: u16 = 61_000;

/// So many paths, over the planes in turn, with source ports from `first` on.
///
/// Fewer if the port numbers end before.
pub fn spread(count: u16, planes: usize, first: u16) -> Vec<PathAttributes> {
    let planes = planes.max(1) as u32;
    (0..u32::from(count))
        .zip(first..=u16::MAX)
        .map(|(n, entropy)| PathAttributes {
            plane: n % planes,
            entropy,
        })
        .collect()
}

/// A connection to a server, and what the server offers.
pub struct Client {
    device: Device,
    lines: Lines,
    /// The connection.
    pub connection: Connection,
    /// The server's memory.
    pub region: Region,
}

/// What the server said at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// SHA-256 of the file.
    pub sha256: Option<String>,
    /// The server's counters of the connection, by name.
    pub counters: Vec<(String, u32)>,
}

impl Client {
    /// Asks a server for a connection.
    pub fn connect(
        device: &Device,
        server: &str,
        paths: &[PathAttributes],
        work: Work,
    ) -> Result<Self, SoftError> {
        let mut lines = Lines::new(reach(server)?)?;
        let mut connection = device.create_connection(ConnectionAttributes::random())?;
        lines.say(&Hello {
            version: VERSION,
            end: End::from(&connection.local()),
            paths: paths.to_vec(),
            work,
        })?;
        match lines.wait(PATIENCE, || Ok(device.advance()?))? {
            Reply::Ready { end, region } => {
                connection.connect(&Peer::try_from(&end)?, paths)?;
                Ok(Self {
                    device: device.clone(),
                    lines,
                    connection,
                    region,
                })
            }
            other => Err(unexpected("ready", other)),
        }
    }

    /// Waits for the next completion; fails with it, or if the server gives up.
    pub fn complete(&mut self) -> Result<WorkCompletion, SoftError> {
        let done = self.device.completion_queue().wait(MESSAGE)?;
        match done.check() {
            Ok(()) => Ok(done),
            // The server's own reason, if it had time to give one, says more than silence does.
            Err(error) => match self.lines.poll::<Reply>() {
                Ok(Some(Reply::Refused { reason })) => Err(SoftError::Refused(reason)),
                Err(SoftError::PeerGone(why)) => {
                    Err(SoftError::PeerGone(format!("{why}; {error}")))
                }
                _ => Err(error.into()),
            },
        }
    }

    /// A piece of the file is written: waits until the region is free again.
    pub fn piece(&mut self, bytes: u64) -> Result<(), SoftError> {
        match self.ask(&Request::Piece { bytes })? {
            Reply::Taken => Ok(()),
            other => Err(unexpected("taken", other)),
        }
    }

    /// Ends the work.
    pub fn finish(mut self) -> Result<Summary, SoftError> {
        match self.ask(&Request::Done)? {
            Reply::Summary { sha256, counters } => Ok(Summary { sha256, counters }),
            other => Err(unexpected("summary", other)),
        }
    }

    fn ask(&mut self, request: &Request) -> Result<Reply, SoftError> {
        self.lines.say(request)?;
        let device = &self.device;
        self.lines.wait(PATIENCE, || Ok(device.advance()?))
    }
}

/// Asks a server what its device can do, and what it has counted.
pub fn ask_device(server: &str) -> Result<DeviceInfo, SoftError> {
    let mut lines = Lines::new(reach(server)?)?;
    let query = Question::Device;
    lines.say(&Query {
        version: VERSION,
        query,
    })?;
    let rest = || {
        std::thread::sleep(Duration::from_millis(1));
        Ok(())
    };
    match lines.wait(CONNECT, rest)? {
        Reply::Device(info) => Ok(*info),
        other => Err(unexpected("device", other)),
    }
}

fn reach(server: &str) -> Result<TcpStream, SoftError> {
    let failed = |cause| SoftError::Unreachable {
        address: server.into(),
        cause,
    };
    let mut last = std::io::Error::new(std::io::ErrorKind::NotFound, "the name has no address");
    for address in server.to_socket_addrs().map_err(failed)? {
        match TcpStream::connect_timeout(&address, CONNECT) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(failed(last))
}

fn unexpected(needed: &str, found: Reply) -> SoftError {
    match found {
        Reply::Refused { reason } => SoftError::Refused(reason),
        other => unfit(&format!("`{needed}`"), &format!("{other:?}")),
    }
}
