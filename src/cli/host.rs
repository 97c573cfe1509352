//! The listening socket of a process. Who answers on it may change while it runs: a standby takes over, a server gives way.

use super::Failure;
use super::outgoing::LISTEN;
use crate::config::Config;
use crate::runtime::heartbeat::Heartbeat;
use crate::server::{Limits, Server, Service, Stopper, Switch, TrustedProxies};
use crate::standby::peers::Peer;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// How long running requests may take after a stop is requested.
pub const GRACE: Duration = Duration::from_secs(10);

/// What ends the part of a server: that of the one that writes, or that of a standby.
pub enum Change {
    /// No request is answered any more.
    Ended,
    /// Another server writes the database.
    GaveWay(Peer),
    /// The standby is to take over.
    Promoted,
}

/// A bound address, and what answers on it.
pub struct Host {
    address: SocketAddr,
    stopper: Stopper,
    heartbeat: Heartbeat,
    /// `None` once it answers.
    server: Option<Server>,
    switch: Option<Arc<Switch>>,
    changes: (Sender<Change>, Receiver<Change>),
}

impl Host {
    /// Binds the configured address.
    pub fn bind(config: &Config) -> Result<Host, Failure> {
        let listen = config.listen.as_ref();
        let listen = listen.map_or(LISTEN.into(), ToString::to_string);
        let proxies = TrustedProxies::new(config.http.trusted_proxies());
        let server = Server::bind(&listen, Limits::default(), proxies).map_err(|error| {
            format!("cannot listen on {listen}: {error}; --listen HOST:PORT names another address")
        })?;
        Ok(Host {
            address: server.local_addr(),
            stopper: server.stopper(),
            heartbeat: server.heartbeat(),
            server: Some(server),
            switch: None,
            changes: channel(),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address as a URL on this machine.
    pub fn url(&self) -> String {
        url(self.address)
    }

    /// Ends it from another thread.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// The heartbeat of the accept loop.
    pub fn heartbeat(&self) -> Heartbeat {
        self.heartbeat.clone()
    }

    /// Has requests from now on answered by a service. Returns what puts others in its place.
    pub fn answer(&mut self, service: Arc<dyn Service>) -> Result<Arc<Switch>, Failure> {
        if let Some(switch) = &self.switch {
            switch.set(service);
            return Ok(Arc::clone(switch));
        }
        let switch = Arc::new(Switch::new(service));
        self.switch = Some(Arc::clone(&switch));
        if let Some(server) = self.server.take() {
            let (answering, ended) = (Arc::clone(&switch), self.changes.0.clone());
            let thread = std::thread::Builder::new().name("accept".into());
            let started = thread.spawn(move || {
                server.run(answering, GRACE);
                // Without a receiver the process is ending.
                drop(ended.send(Change::Ended));
            });
            started.map_err(|error| format!("the accept loop: {error}"))?;
        }
        Ok(switch)
    }

    /// Where a change is reported.
    pub fn changes(&self) -> Sender<Change> {
        self.changes.0.clone()
    }

    /// Waits for the next change.
    pub fn wait(&self) -> Change {
        self.changes.1.recv().unwrap_or(Change::Ended)
    }
}

/// The address as a URL; an unspecified one listens on loopback too.
pub fn url(mut address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        });
    }
    format!("http://{address}")
}
