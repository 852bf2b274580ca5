//! A device: opened by its driver, then shared by what lives on it.
use std::cell::RefCell;
use std::rc::Rc;

use metaroce_protocol::Counter;

use crate::capabilities::Capabilities;
use crate::completion::CompletionQueue;
use crate::connection::Connection;
use crate::error::VerbsError;
use crate::memory::MemoryRegion;
use crate::peer::ConnectionAttributes;
use crate::provider::Provider;

pub(crate) type Shared = Rc<RefCell<dyn Provider>>;

/// An open device (ibv_context). Clones are the same device.
#[derive(Clone)]
pub struct Device(Shared);

impl Device {
    /// Takes over what a driver has opened.
    pub fn new(provider: Rc<RefCell<dyn Provider>>) -> Self {
        Self(provider)
    }

    /// What it can do (ibv_query_device).
    pub fn capabilities(&self) -> Capabilities {
        self.0.borrow().capabilities()
    }

    /// Makes memory of `length` bytes and opens it to the peers (ibv_reg_mr).
    pub fn register_memory(&self, length: usize) -> Result<MemoryRegion, VerbsError> {
        let region = self.0.borrow_mut().register_memory(length)?;
        Ok(MemoryRegion::new(self.0.clone(), region))
    }

    /// Makes a connection without a peer (ibv_create_qp).
    pub fn create_connection(
        &self,
        attributes: ConnectionAttributes,
    ) -> Result<Connection, VerbsError> {
        attributes.check()?;
        Connection::new(self.0.clone(), attributes)
    }

    /// The device's completion queue.
    pub fn completion_queue(&self) -> CompletionQueue {
        CompletionQueue::new(self.0.clone())
    }

    /// Lets the device work while the application waits.
    pub fn advance(&self) -> Result<(), VerbsError> {
        self.0.borrow_mut().advance()
    }

    /// Reads a counter: all connections; 32 bits that wrap.
    pub fn counter(&self, counter: Counter) -> Result<u32, VerbsError> {
        self.0.borrow_mut().counter(counter)
    }
}
