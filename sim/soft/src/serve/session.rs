//! One client of a server.
use std::time::Instant;

use metaroce_verbs::{Connection, ConnectionAttributes, Peer, WorkCompletion};

use super::ServeOptions;
use super::work::Service;
use crate::device::Device;
use crate::error::SoftError;
use crate::setup::{self, First, Hello, Lines, Reply, Request, VERSION, unfit};

/// What exists once a client has said what it wants.
struct Established {
    connection: Connection,
    service: Service,
}

/// How a session ended.
pub(super) enum End {
    /// A client's work is over.
    Client(Result<(), SoftError>),
    /// Somebody asked and was answered.
    Asked,
}

/// A client, from its first byte to its last.
pub(super) struct Session {
    lines: Lines,
    established: Option<Established>,
    last_sign: Instant,
    last_received: u32,
    failure: Option<SoftError>,
    over: bool,
}

impl Session {
    pub(super) fn new(lines: Lines) -> Self {
        Self {
            lines,
            established: None,
            last_sign: Instant::now(),
            last_received: 0,
            failure: None,
            over: false,
        }
    }

    pub(super) fn name(&self) -> &str {
        self.lines.name()
    }

    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Index of its connection on the device.
    pub(super) fn connection(&self) -> Option<u32> {
        Some(self.established.as_ref()?.connection.index())
    }

    /// Something on its connection ended. A failure is the session's.
    pub(super) fn on_completion(&mut self, done: &WorkCompletion) {
        let Some(Established {
            connection,
            service,
        }) = &mut self.established
        else {
            return;
        };
        let checked = done.check().map_err(SoftError::from);
        let result = checked.and_then(|()| service.on_completion(connection, done));
        self.note(result);
    }

    /// Whether it must be looked at often.
    pub(super) fn is_quick(&self) -> bool {
        let established = self.established.as_ref();
        established.is_some_and(|e| e.service.is_quick())
    }

    /// Writes back, if the client has written.
    pub(super) fn answer(&mut self) {
        if let Some(Established {
            connection,
            service,
        }) = &mut self.established
        {
            let result = service.answer(connection);
            self.note(result);
        }
    }

    /// The first failure ends the session, at its next step.
    fn note(&mut self, result: Result<(), SoftError>) {
        if let Err(error) = result {
            self.failure.get_or_insert(error);
        }
    }

    /// Listens to the client: `Some` when it is over.
    pub(super) fn step(
        &mut self,
        device: &Device,
        options: &ServeOptions,
        now: Instant,
    ) -> Option<End> {
        let result = match self.failure.take() {
            Some(error) => Err(error),
            None => self.listen(device, options, now),
        };
        let end = match result {
            Ok(None) => return None,
            Ok(Some(end)) => end,
            Err(error) => {
                // The client may be gone, and then hears nothing.
                let _ = self.lines.say(&Reply::Refused {
                    reason: error.to_string(),
                });
                End::Client(Err(error))
            }
        };
        self.over = true;
        self.established = None;
        Some(end)
    }

    fn listen(
        &mut self,
        device: &Device,
        options: &ServeOptions,
        now: Instant,
    ) -> Result<Option<End>, SoftError> {
        match &mut self.established {
            None => match self.lines.poll::<First>()? {
                Some(First::Hello(hello)) => {
                    self.last_sign = now;
                    let established = Established::new(&hello, device, options)?;
                    self.lines.say(&established.ready())?;
                    self.established = Some(established);
                }
                Some(First::Query(_)) => {
                    self.lines.say(&Reply::Device(Box::new(device.info())))?;
                    return Ok(Some(End::Asked));
                }
                None => {}
            },
            Some(established) => {
                if let Some(request) = self.lines.poll::<Request>()? {
                    self.last_sign = now;
                    let reply = established.handle(&request, device)?;
                    self.lines.say(&reply)?;
                    return Ok((request == Request::Done).then_some(End::Client(Ok(()))));
                }
                let received = device.frames_received(established.connection.index());
                if received != self.last_received {
                    (self.last_received, self.last_sign) = (received, now);
                }
            }
        }
        if now.saturating_duration_since(self.last_sign) > options.patience {
            let (name, patience) = (self.name(), options.patience);
            return Err(SoftError::PeerGone(format!(
                "{name} said and sent nothing for {patience:?}"
            )));
        }
        Ok(None)
    }
}

impl Established {
    fn new(hello: &Hello, device: &Device, options: &ServeOptions) -> Result<Self, SoftError> {
        let Hello {
            version,
            end,
            paths,
            work,
        } = hello;
        if *version != VERSION {
            return Err(unfit(&format!("version {VERSION}"), &version.to_string()));
        }
        let peer = Peer::try_from(end)?;
        if device.knows_peer(peer.qp, &peer.addresses) {
            return Err(SoftError::Identity {
                qp: peer.qp,
                addresses: peer.addresses,
            });
        }
        let service = Service::new(work, device, options)?;
        let mut connection = device.create_connection(ConnectionAttributes::random())?;
        connection.connect(&peer, paths)?;
        service.start(&mut connection)?;
        Ok(Self {
            connection,
            service,
        })
    }

    fn ready(&self) -> Reply {
        Reply::Ready {
            end: setup::End::from(&self.connection.local()),
            region: self.service.region(),
        }
    }

    fn handle(&mut self, request: &Request, device: &Device) -> Result<Reply, SoftError> {
        match request {
            Request::Piece { bytes } => {
                self.service.take_piece(*bytes)?;
                Ok(Reply::Taken)
            }
            Request::Done => {
                let counters = device.connection_counters(self.connection.index());
                let named = counters.into_iter().map(|(name, n)| (name.into(), n));
                Ok(Reply::Summary {
                    sha256: self.service.finish()?,
                    counters: named.collect(),
                })
            }
        }
    }
}
