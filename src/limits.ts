import { TICK_MS } from '../assembly/layout.ts';

/** Every limit of a node, with the relations between them checked when this file is loaded. */

/** Worlds are grouped in partitions by the top 6 bits of their number. */
export const PARTITION_COUNT = 64;

/** Time between two frames, ms. */
export const FRAME_MS = 80;
/** A WebSocket drops what it is to send while more bytes than this wait for their reader. */
export const BACKPRESSURE_BYTES_MAX = 64 * 1024;
/** Time between two pulses of a lockstep stream, ms. */
export const LOCKSTEP_PULSE_MS = 15_000;
/** Length of a slice at most. */
export const SLICE_MS = 2;
/** Images are taken at world ticks divisible by this: every 8 s. */
export const IMAGE_TICKS = 400;
/** Images that a world keeps in memory while it is stepped: the oldest is 16 to 24 s old. */
export const IMAGES_KEPT = 3;
/** A watched world has an image stored once in so many ticks: every 16 s. */
export const STORED_IMAGE_TICKS = 800;
/** After a burst longer than this an image is stored. */
export const BURST_IMAGE_TICKS = 3000;
/**
 * Images of watched worlds that a shard has stored at one heartbeat, at most: 300 a second. More wait for the next
 * heartbeat, since the main thread sends no frame while it stores them.
 */
export const IMAGES_PER_HEARTBEAT = 75;
/** A hot world further behind than this catches up in a burst, without frames on the way. */
export const BEHIND_TICKS = 64;
/**
 * A hot world that is behind by at most this makes each frame it has missed, one after the other: its thread or the
 * main thread stood still for a moment. One that is further behind goes on with the newest frame, since a shard that
 * is too slow would never catch up.
 */
export const OWED_TICKS_MAX = 24;
/**
 * A copy of a moving world is of use for so long: together with what it may stand still it must be less than
 * BEHIND_TICKS, or the next node would leave frames out.
 */
export const COPY_TICKS_MAX = 20;
/** Worlds in one frame batch. */
export const FRAME_BATCH_WORLDS = 256;
/**
 * A shard accepts hot worlds while their frames are in time, until they take this share of its thread, per
 * mille, at most: bursts may take a fifth, and loading worlds needs some.
 */
export const ADMISSION_PER_MILLE = 750;
/** Share of the processors that all shards and the main thread together take at most, per mille. */
export const PROCESSORS_PER_MILLE = 900;
/** A world ends at this tick, after 496 days: ticks are written as i32 in many places. */
export const LIFE_TICKS = 2 ** 31 - 2 ** 22;
/** A world that is stepped in the background lets the next one go first after so many ticks. */
export const CATCH_UP_TICKS = 225_000;
/** Share of a shard's time for that. */
export const CATCH_UP_SHARE = 0.1;
/**
 * A world that is in use but nobody asks for its state is brought to now when it is so far behind, 15 min; one
 * that is watched, but only by clients that live it themselves, an hour.
 */
export const LAG_TICKS = 45_000;
export const LOCKSTEP_LAG_TICKS = 180_000;
/** Of these worlds one in so many is brought to now each time it is so far behind, 1 min, to tell its hash. */
export const AUDITED_ONE_IN = 1000;
export const AUDIT_TICKS = 3000;
/** While a node starts, the store may take this long: no request waits, and all else may start as well. */
export const START_WAIT_MS = 20_000;
/** A request that would wait longer than this for its world is refused, but the work is done. */
export const WAIT_MS_MAX = 5000;
/** A request waits no longer for the store; the write goes on. */
export const STORE_WAIT_MS = 1000;
/** The same for a write to the embedded store. */
export const DISK_WAIT_MS = 4000;
/** A request whose world would take longer than this is refused; no work is done. */
export const WORK_MS_MAX = 60_000;
/** Period of slices for the oldest burst; the others are for the shortest burst. */
export const OLDEST_TURN = 4;
/** The newest frame of a hot world answers requests while it is at most this old. */
export const FRAME_AGE_MS_MAX = 160;
/** A world is quarantined after this many traps within the window. */
export const TRAPS_MAX = 3;
export const TRAP_WINDOW_MS = 60_000;
/** A shard thread without a heartbeat for this time is replaced. */
export const STUCK_MS = 2000;
export const HEARTBEAT_MS = 250;
/** A world is quarantined after this many deaths of threads that stepped it within the window. */
export const DEATHS_MAX = 3;
export const DEATH_WINDOW_MS = 60_000;
/** Worlds at hand on the main thread. */
export const HANDLES_MAX = 4_000;
/** Ticks between now and the tick of a change. */
export const CHANGE_DELAY_TICKS = 2;
/** Changes of a world in one write: Redis serves nobody else while it makes one. */
export const JOURNAL_WRITE_MAX = 1000;
/** The masks in a world's record are updated after this many changes. */
export const MASK_CHECKPOINT_CHANGES = 64;
/** A re-run starts at most this long before a collision: 16 s. */
export const LEAD_TICKS_MAX = 800;
/** Re-runs of one counterfactual search at most. */
export const RUNS_MAX = 150;
/** States in the rewind cache of a shard: 7 MB. */
export const REWIND_CACHE_MAX = 512;
/** A loaded world keeps applied changes for this many ticks. */
export const RECENT_TICKS = 4000;
/** Incidents of one world that are explained in one round: each needs a state in the rewind cache. */
export const EXPLAINED_AT_ONCE = 64;
/** Clients for which a shard rewinds at the same time; others wait. */
export const REWINDS_AT_ONCE = 4;
/** Ticks that a counterfactual search is expected to step; afterwards it pays what it has stepped. */
export const SEARCH_TICKS = 30_000;
/** A client has asked for explanations for this time. */
export const ASKED_MS = 60_000;
/** Cars of one owner: their VINs are in one record and in the profile. */
export const OWNED_CARS_MAX = 1000;
/** Reads that may wait for one shard: 10 ms of its thread. */
export const READS_MAX = 256;
/** Replays and forecasts that may wait for one shard, and forecasts of one client among them. */
export const REPLAYS_MAX = 64;
export const FORECASTS_OF_CLIENT_MAX = 8;

/** Past states for which a shard lives worlds again at the same time: one for each client, others wait. */
export const PAST_STATES_AT_ONCE = 4;
/** Past states that may wait for one shard before clients get shares of them, and those of one client. */
export const PAST_STATES_MAX = 64;
export const PAST_STATES_OF_CLIENT_MAX = 8;
/** A world is lived for a past state by so many ticks at a time, 85 ms of work; then others have a turn. */
export const PAST_PORTION_TICKS = 25_000;
/** A request waits no longer for a past state. What is lived for it by then is kept. */
export const PAST_WAIT_MS = 4000;
/** A state is kept if it saves so many ticks: 10 ms. */
export const KEPT_STATE_TICKS = 3000;
/** States that a node keeps in memory, of all worlds and of one: 16 MB and 250 KB. */
export const KEPT_STATES_MAX = 1024;
export const KEPT_STATES_OF_WORLD_MAX = 16;
/**
 * Earlier images of a world in the store, and ticks between two of them where they are dense (3 min): some
 * 40 KB for a world that has been used for an hour, and a tenth more to write for a watched one.
 */
export const RUNGS_MAX = 8;
export const RUNG_TICKS = 9000;
/** What a change costs that is read for a past state or a fork, ticks. */
export const READ_CHANGE_TICKS = 0.3;

if (BEHIND_TICKS * TICK_MS < FRAME_AGE_MS_MAX)
  throw new Error('BEHIND_TICKS must not be shorter than FRAME_AGE_MS_MAX');
if (PAST_WAIT_MS >= WAIT_MS_MAX) throw new Error('PAST_WAIT_MS must be shorter than WAIT_MS_MAX');
if (DISK_WAIT_MS >= WAIT_MS_MAX) throw new Error('DISK_WAIT_MS must be shorter than WAIT_MS_MAX');
if (2 * REWINDS_AT_ONCE * EXPLAINED_AT_ONCE > REWIND_CACHE_MAX)
  throw new Error('rewinds must not displace the states of each other before these are used');

/** How far a world is lived ahead to tell what is at stake next, ticks (90 s). */
export const FORECAST_TICKS = 4500;
/**
 * In addition, what is lived ahead to find the red lights that would be run, ticks (60 s), for each of
 * so many groups of cars.
 */
export const TRIED_TICKS = 3000;
export const TRIED_GROUPS = 5;
/** All ticks of one forecast. */
export const FORECAST_COST_TICKS = FORECAST_TICKS + TRIED_GROUPS * TRIED_TICKS;
