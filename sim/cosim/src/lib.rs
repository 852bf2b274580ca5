//! Co-simulation: bus drivers and monitors, scoreboard against the model, waveforms of a failure.
