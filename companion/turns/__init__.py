"""From an event in a lane to what is answered and kept."""
