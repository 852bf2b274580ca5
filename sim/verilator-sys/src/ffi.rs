//! Loads built models. All `unsafe` is here.

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{self, NonNull};
use std::sync::Mutex;

use libloading::Library;

use crate::{Artefact, Direction, ModelError, Port};

/// Room for the message of a failing constructor.
const MESSAGE_BYTES: usize = 1024;

/// A row of the shim's port table.
#[repr(C)]
struct RawPort {
    name: *const c_char,
    width: u32,
    is_output: u32,
}

type Handle = *mut c_void;

/// The shim's functions, and what is the same for all instances.
struct Loaded {
    path: PathBuf,
    create: unsafe extern "C" fn(c_int, c_int, *mut c_char, usize) -> Handle,
    destroy: unsafe extern "C" fn(Handle),
    port_data: unsafe extern "C" fn(Handle, *mut *mut c_void),
    eval: unsafe extern "C" fn(Handle) -> c_int,
    message: unsafe extern "C" fn(Handle) -> *const c_char,
    finished: unsafe extern "C" fn(Handle) -> c_int,
    time: unsafe extern "C" fn(Handle, u64),
    trace_open: unsafe extern "C" fn(Handle, *const c_char, c_int) -> c_int,
    trace_dump: unsafe extern "C" fn(Handle, u64) -> c_int,
    trace_close: unsafe extern "C" fn(Handle),
    traced: bool,
    ports: Vec<Port>,
}

/// Loads a shared object once a process. It stays: its run time has thread-local
/// and static state which must outlive every thread that evaluated a model.
fn load(path: &Path) -> Result<&'static Loaded, ModelError> {
    static KNOWN: Mutex<Option<HashMap<PathBuf, &'static Loaded>>> = Mutex::new(None);
    let mut known = KNOWN
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let known = known.get_or_insert_with(HashMap::new);
    if let Some(loaded) = known.get(path) {
        return Ok(loaded);
    }
    let failed = |error: libloading::Error| ModelError::Load {
        path: path.into(),
        reason: error.to_string(),
    };
    let loaded: &'static Loaded = Box::leak(Box::new(open(path).map_err(failed)?));
    known.insert(path.into(), loaded);
    Ok(loaded)
}

fn open(path: &Path) -> Result<Loaded, libloading::Error> {
    // SAFETY: the object was built by this crate from its own shim; its
    // initialisers are the verilated run time's, which touch only their own state.
    let library = Box::leak(Box::new(unsafe { Library::new(path)? }));
    macro_rules! function {
        ($name:literal) => {
            // SAFETY: the shim defines this function with this very signature,
            // and the shim's text is part of the cache's key. The leaked library
            // keeps it valid.
            *unsafe { library.get($name)? }
        };
    }
    let ports: unsafe extern "C" fn() -> *const RawPort = function!(b"vsys_ports\0");
    let traced: unsafe extern "C" fn() -> c_int = function!(b"vsys_traced\0");
    Ok(Loaded {
        path: path.into(),
        create: function!(b"vsys_create\0"),
        destroy: function!(b"vsys_destroy\0"),
        port_data: function!(b"vsys_port_data\0"),
        eval: function!(b"vsys_eval\0"),
        message: function!(b"vsys_message\0"),
        finished: function!(b"vsys_finished\0"),
        time: function!(b"vsys_time\0"),
        trace_open: function!(b"vsys_trace_open\0"),
        trace_dump: function!(b"vsys_trace_dump\0"),
        trace_close: function!(b"vsys_trace_close\0"),
        // SAFETY: takes nothing and returns a constant.
        traced: unsafe { traced() } != 0,
        // SAFETY: takes nothing and returns the address of a constant table.
        ports: read_ports(unsafe { ports() }),
    })
}

fn read_ports(table: *const RawPort) -> Vec<Port> {
    let mut ports = Vec::new();
    for index in 0.. {
        // SAFETY: the table ends with a row without a name, at which we stop.
        let row = unsafe { &*table.add(index) };
        if row.name.is_null() {
            break;
        }
        // SAFETY: a name is a string literal of the shim.
        let name = unsafe { CStr::from_ptr(row.name) }
            .to_string_lossy()
            .into_owned();
        let direction = if row.is_output != 0 {
            Direction::Output
        } else {
            Direction::Input
        };
        ports.push(Port {
            name,
            width: row.width,
            direction,
        });
    }
    ports
}

/// Where a port's value is kept. Verilator's storage follows from the width.
#[derive(Clone, Copy)]
enum Storage {
    Byte(NonNull<u8>),
    Half(NonNull<u16>),
    Word(NonNull<u32>),
    Double(NonNull<u64>),
    /// 32-bit words, the least significant first.
    Wide(NonNull<u32>, usize),
}

impl Storage {
    fn new(width: u32, data: NonNull<c_void>) -> Self {
        match width {
            0..=8 => Storage::Byte(data.cast()),
            9..=16 => Storage::Half(data.cast()),
            17..=32 => Storage::Word(data.cast()),
            33..=64 => Storage::Double(data.cast()),
            _ => Storage::Wide(data.cast(), width.div_ceil(32) as usize),
        }
    }
}

/// What registers and memories without an initial value start with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Initial {
    /// All zeros.
    #[default]
    Zero,
    /// Random by this seed: shows what relies on memory that nobody wrote.
    Random(u32),
}

/// One instance of a model. Ports are numbered as in [`RawModel::ports`].
///
/// Setting an output, or a value wider than its port, is a mistake in the
/// testbench and panics.
pub struct RawModel {
    loaded: &'static Loaded,
    handle: NonNull<c_void>,
    storage: Vec<Storage>,
}

// SAFETY: an instance owns its context and model; nothing else points into it, and
// each call sets the thread's context first. It is not `Sync`.
unsafe impl Send for RawModel {}

impl RawModel {
    /// Loads a built model and makes an instance of it.
    pub fn create(artefact: &Artefact, initial: Initial) -> Result<Self, ModelError> {
        let loaded = load(&artefact.library)?;
        // Verilator's numbers: 0 zeros, 2 random; a seed of 0 would be the clock's.
        let (reset, seed) = match initial {
            Initial::Zero => (0, 1),
            Initial::Random(seed) => (2, (seed & 0x7fff_ffff).max(1) as c_int),
        };
        let mut text = [0; MESSAGE_BYTES];
        // SAFETY: the shim writes at most `text.len()` bytes, ending with a zero.
        let handle = unsafe { (loaded.create)(reset, seed, text.as_mut_ptr(), text.len()) };
        let Some(handle) = NonNull::new(handle) else {
            // SAFETY: the shim ended the text with a zero, inside the array.
            let message = unsafe { CStr::from_ptr(text.as_ptr()) }
                .to_string_lossy()
                .into_owned();
            return Err(ModelError::Create { message });
        };
        let mut data = vec![ptr::null_mut(); loaded.ports.len()];
        // SAFETY: the shim writes one pointer a port of the same table.
        unsafe { (loaded.port_data)(handle.as_ptr(), data.as_mut_ptr()) };
        let pointers = data.into_iter().zip(&loaded.ports);
        let storage = pointers.map(|(data, port)| {
            Storage::new(
                port.width,
                NonNull::new(data).expect("a port is a member of a live object"),
            )
        });
        let mut model = RawModel {
            loaded,
            handle,
            storage: storage.collect(),
        };
        // Random values are for what nobody drives; inputs are the testbench's.
        for (number, port) in loaded.ports.iter().enumerate() {
            if port.direction == Direction::Input {
                model.set(number, 0);
            }
        }
        Ok(model)
    }

    /// The ports of the top, in the order of their numbers.
    pub fn ports(&self) -> &'static [Port] {
        &self.loaded.ports
    }

    /// The shared object that this is an instance of.
    pub fn library(&self) -> &Path {
        &self.loaded.path
    }

    /// Whether waves can be written.
    pub fn traced(&self) -> bool {
        self.loaded.traced
    }

    /// Settles the logic after inputs changed.
    #[inline]
    pub fn eval(&mut self) -> Result<(), ModelError> {
        // SAFETY: the handle is live, and the exclusive borrow keeps others out.
        match unsafe { (self.loaded.eval)(self.handle.as_ptr()) } {
            0 => Ok(()),
            _ => Err(self.failure()),
        }
    }

    /// Whether the model called `$finish`.
    pub fn finished(&self) -> bool {
        // SAFETY: the handle is live.
        unsafe { (self.loaded.finished)(self.handle.as_ptr()) != 0 }
    }

    /// Sets the model's `$time`.
    pub fn set_time(&mut self, time: u64) {
        // SAFETY: the handle is live, and the exclusive borrow keeps others out.
        unsafe { (self.loaded.time)(self.handle.as_ptr(), time) }
    }

    #[cold]
    fn failure(&self) -> ModelError {
        // SAFETY: the message is the instance's own string, which changes in no
        // call that could run while we copy it.
        let message = unsafe { CStr::from_ptr((self.loaded.message)(self.handle.as_ptr())) };
        ModelError::Fatal {
            message: message.to_string_lossy().into_owned(),
        }
    }

    /// The low 64 bits of a port.
    #[inline]
    pub fn get(&self, port: usize) -> u64 {
        // SAFETY: the pointers are to members of the live model, of the type that
        // the width says; nobody writes while we borrow the instance.
        unsafe {
            match self.storage[port] {
                Storage::Byte(data) => data.read().into(),
                Storage::Half(data) => data.read().into(),
                Storage::Word(data) => data.read().into(),
                Storage::Double(data) => data.read(),
                Storage::Wide(data, _) => {
                    u64::from(data.read()) | u64::from(data.add(1).read()) << 32
                }
            }
        }
    }

    /// Sets an input; of a wide one the low 64 bits, and the rest to zero.
    #[inline]
    pub fn set(&mut self, port: usize, value: u64) {
        self.check_input(port);
        let width = self.loaded.ports[port].width;
        if width < 64 && value >> width != 0 {
            self.refuse_value(port, value);
        }
        // SAFETY: as in `get`; the exclusive borrow lets us write, and the value
        // fits, as Verilator requires of unused bits.
        unsafe {
            match self.storage[port] {
                Storage::Byte(data) => data.write(value as u8),
                Storage::Half(data) => data.write(value as u16),
                Storage::Word(data) => data.write(value as u32),
                Storage::Double(data) => data.write(value),
                Storage::Wide(data, words) => {
                    data.write_bytes(0, words);
                    data.write(value as u32);
                    data.add(1).write((value >> 32) as u32);
                }
            }
        }
    }

    /// The value as bytes, the least significant first; `bytes` may be shorter or
    /// longer than the port.
    pub fn get_bytes(&self, port: usize, bytes: &mut [u8]) {
        let Storage::Wide(data, words) = self.storage[port] else {
            let value = self.get(port).to_le_bytes();
            copy_padded(&value, bytes);
            return;
        };
        // SAFETY: a wide port is this many words of the live model, and nobody
        // writes them while we borrow the instance.
        let words = unsafe { std::slice::from_raw_parts(data.as_ptr(), words) };
        let (chunks, rest) = bytes.as_chunks_mut::<4>();
        for (index, chunk) in chunks.iter_mut().enumerate() {
            *chunk = words.get(index).copied().unwrap_or(0).to_le_bytes();
        }
        copy_padded(
            &words.get(chunks.len()).copied().unwrap_or(0).to_le_bytes(),
            rest,
        );
    }

    /// Sets an input from bytes, the least significant first; missing ones are zero.
    pub fn set_bytes(&mut self, port: usize, bytes: &[u8]) {
        let width = self.loaded.ports[port].width as usize;
        let beyond = bytes.iter().enumerate().skip(width / 8);
        for (index, byte) in beyond {
            let room = width.saturating_sub(8 * index).min(8);
            assert!(
                u32::from(*byte) >> room == 0,
                "{} bytes do not fit port `{}` of {width} bits",
                bytes.len(),
                self.loaded.ports[port].name
            );
        }
        let mut low = [0; 8];
        copy_padded(bytes, &mut low);
        // Also zeroes all of a wide port.
        self.set(port, u64::from_le_bytes(low));
        let Storage::Wide(data, words) = self.storage[port] else {
            return;
        };
        // SAFETY: as in `get_bytes`; the exclusive borrow lets us write.
        let words = unsafe { std::slice::from_raw_parts_mut(data.as_ptr(), words) };
        for (word, chunk) in words.iter_mut().zip(bytes.chunks(4)) {
            let mut padded = [0; 4];
            padded[..chunk.len()].copy_from_slice(chunk);
            *word = u32::from_le_bytes(padded);
        }
    }

    #[inline]
    fn check_input(&self, port: usize) {
        let Port {
            name, direction, ..
        } = &self.loaded.ports[port];
        assert!(
            *direction == Direction::Input,
            "port `{name}` is an output of the model"
        );
    }

    #[cold]
    fn refuse_value(&self, port: usize, value: u64) -> ! {
        let Port { name, width, .. } = &self.loaded.ports[port];
        panic!("{value:#x} does not fit port `{name}` of {width} bits");
    }

    /// Starts to write waves, of all levels of the hierarchy down to `depth`.
    pub fn trace_open(&mut self, path: &Path, depth: u32) -> Result<(), ModelError> {
        if !self.loaded.traced {
            return Err(ModelError::NotTraced { path: path.into() });
        }
        let refused = |reason: &str| ModelError::Trace {
            path: path.into(),
            reason: reason.into(),
        };
        // Verilator itself is silent about a folder that is not there.
        std::fs::File::create(path).map_err(|e| refused(&e.to_string()))?;
        let text = path.to_str().and_then(|text| CString::new(text).ok());
        let text = text.ok_or_else(|| refused("the name is not plain text"))?;
        let depth = depth.clamp(1, 99) as c_int;
        // SAFETY: the handle is live; the shim copies the text.
        match unsafe { (self.loaded.trace_open)(self.handle.as_ptr(), text.as_ptr(), depth) } {
            0 => Ok(()),
            1 => Err(self.failure()),
            _ => Err(refused("Verilator's FST writer did not open it")),
        }
    }

    /// Writes the present values, at a time later than the last. Does nothing
    /// without an open wave file.
    #[inline]
    pub fn trace_dump(&mut self, time: u64) -> Result<(), ModelError> {
        // SAFETY: the handle is live, and the exclusive borrow keeps others out.
        match unsafe { (self.loaded.trace_dump)(self.handle.as_ptr(), time) } {
            0 => Ok(()),
            _ => Err(self.failure()),
        }
    }

    /// Ends the wave file, also of a failed model.
    pub fn trace_close(&mut self) {
        // SAFETY: the handle is live, and the exclusive borrow keeps others out.
        unsafe { (self.loaded.trace_close)(self.handle.as_ptr()) }
    }
}

impl Drop for RawModel {
    fn drop(&mut self) {
        // SAFETY: the handle is live, and this is its last use.
        unsafe { (self.loaded.destroy)(self.handle.as_ptr()) }
    }
}

fn copy_padded(from: &[u8], to: &mut [u8]) {
    let count = from.len().min(to.len());
    to[..count].copy_from_slice(&from[..count]);
    to[count..].fill(0);
}
