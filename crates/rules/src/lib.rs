//! The rules of the naval-battle games.
#![no_std]
extern crate alloc;
