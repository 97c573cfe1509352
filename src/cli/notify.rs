//! The notification protocol of systemd services with `Type=notify` (sd_notify(3)): a datagram to the socket in
//! `NOTIFY_SOCKET`. Implemented here because a crate would be larger, and the available one does not support abstract sockets.
//! Does nothing without the variable. The program starts no child processes that could inherit it.

use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// How long sending a message may block.
const PATIENCE: Duration = Duration::from_secs(1);

/// The connection to the service manager.
#[derive(Default)]
pub struct Manager {
    socket: Option<UnixDatagram>,
    /// The watchdog interval of the service manager.
    watchdog: Option<Duration>,
}

impl Manager {
    /// Connects to the socket in the environment. Logs a socket that cannot be connected to.
    pub fn from_environment() -> Manager {
        let Some(name) = std::env::var_os("NOTIFY_SOCKET").filter(|name| !name.is_empty()) else {
            return Manager::default();
        };
        let socket = connect(&name).inspect_err(|error| {
            log::warn!("NOTIFY_SOCKET {}: {error}", name.display());
        });
        let given = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
        // It may be for another process of the service.
        let ours = std::env::var_os("WATCHDOG_PID").is_none()
            || given("WATCHDOG_PID") == Some(std::process::id().into());
        let usec = given("WATCHDOG_USEC").filter(|usec| *usec > 0 && ours);
        Manager {
            socket: socket.ok(),
            watchdog: usec.map(Duration::from_micros),
        }
    }

    /// The ping interval: half the watchdog interval.
    pub fn ping_every(&self) -> Option<Duration> {
        self.watchdog.map(|patience| patience / 2)
    }

    /// Reports that requests are answered.
    pub fn ready(&self, status: &str) {
        self.tell(&format!("READY=1\nSTATUS={status}\n"));
    }

    /// Reports a short status.
    pub fn status(&self, status: &str) {
        self.tell(&format!("STATUS={status}\n"));
    }

    /// Reports that the server is stopping.
    pub fn stopping(&self) {
        self.tell("STOPPING=1\nSTATUS=stopping\n");
    }

    /// Reports that the server is healthy.
    pub fn ping(&self) {
        self.tell("WATCHDOG=1\n");
    }

    fn tell(&self, message: &str) {
        let Some(socket) = &self.socket else { return };
        if let Err(error) = socket.send(message.as_bytes()) {
            log::debug!("cannot notify the service manager: {error}");
        }
    }
}

fn connect(name: &OsStr) -> io::Result<UnixDatagram> {
    let address = match name.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
        _ => SocketAddr::from_pathname(name)?,
    };
    let socket = UnixDatagram::unbound()?;
    socket.connect_addr(&address)?;
    // A manager that does not read must not block the server for long.
    socket.set_write_timeout(Some(PATIENCE))?;
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abstract_sockets_are_reached_too() {
        let name = format!("rota-test-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).expect("a name");
        let heard = UnixDatagram::bind_addr(&address).expect("a socket");
        let socket = connect(OsStr::new(&format!("@{name}"))).expect("a way to it");
        let manager = Manager {
            socket: Some(socket),
            watchdog: None,
        };
        manager.ready("listening");
        let mut text = [0; 100];
        let length = heard.recv(&mut text).expect("a datagram");
        assert_eq!(&text[..length], b"READY=1\nSTATUS=listening\n");
    }
}
