/** Constants shared by the host and the writer of frames. */

// ── texts of a city in one encoding: words, then the index of its runs, then their bytes ─────────
// A run is a piece of a frame that never changes; an entry of the index is its offset, from the
// index, and
// its length in bytes. Behind the last run are RUN_STEP more bytes.
export const X_TAILS = 0; // run of a vehicle's end: + status × FLAG_COMBINATIONS + flags
export const X_ROADS = 4; // + road index
export const X_JUNCTIONS = 8; // + junction index
export const X_LIGHTS = 12; // + light index × LIGHT_STATE_COUNT + state
export const X_HAZARDS = 16; // + hazard index × 2 + active
export const X_RESTING = 20; // + hazard index
export const X_PLACES = 24; // offset, from the words, of each hazard's place at rest: x and y, cm
export const X_INDEX = 32;
/** Combinations of the four FLAG_ bits. */
export const FLAG_COMBINATIONS = 16;
export const LIGHT_STATE_COUNT = 4;

// The first runs of a city, in their order.
export const R_TIME = 0;
export const R_VEHICLES = 1;
export const R_Y = 2;
export const R_HEADING = 3;
export const R_SPEED = 4;
export const R_LIGHTS = 5;
export const R_HAZARDS = 6;
export const R_LENGTH = 7;
export const R_WIDTH = 8;
export const R_HAZARD_END = 9;
export const R_END = 10;
export const FIXED_RUNS = 11;

// ── texts of a world: the index of its runs, then their bytes ────────────────────────────────────
// Per car up to the value of x; behind them the head of the frame up to the tick.
export const WORLD_RUNS = 21;

/** Runs are copied in steps of so many bytes, the last one too. */
export const RUN_STEP = 16;
/** Greatest length of a number in either encoding. */
export const NUMBER_BYTES_MAX = 12;
