//! Broadside.
