//! Nobody else can tell whether a seat has standing orders.
