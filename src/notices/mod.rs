//! What goes out of the house by itself when an account has heard of something. It is made of the account's log of events alone ([`crate::events`]), so nothing
//! leaves that the account couldn't read there; and it is sent beside the requests, so nobody waits for somebody else's server.

pub mod mail;
