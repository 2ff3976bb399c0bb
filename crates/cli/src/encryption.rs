//! The library of cryptography of all encrypted connections.

/// Has every connection of this process use `ring`. Drivers and clients that bring no choice of their own ask for that of the
/// process; where a second library is compiled in, as by Oracle's driver, one that was not chosen is a panic in the first
/// handshake, which the other end may ask for.
pub fn choose_library() {
    // It fails only where it was chosen before.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

#[cfg(test)]
mod tests {
    use rustls::ClientConfig;
    use rustls::crypto::{CryptoProvider, ring};

    use super::*;

    #[test]
    fn connections_that_ask_for_the_choice_of_the_process_get_one() {
        choose_library();
        let chosen = CryptoProvider::get_default().unwrap();
        let expected = ring::default_provider();
        assert_eq!(format!("{:?}", chosen.secure_random), format!("{:?}", expected.secure_random));
        // Without a choice it panics where two libraries are compiled in.
        drop(ClientConfig::builder());
        choose_library();
    }
}
