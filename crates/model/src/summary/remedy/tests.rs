//! Gains by hand, and bounds of gains against exact mean values of closed networks.

mod by_hand;
mod by_network;
