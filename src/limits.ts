import { TICK_MS } from '../assembly/layout.ts';

/** Every limit of a node, with the relations between them checked when this file is loaded. */

/** Worlds are grouped in partitions by the top 6 bits of their number. */
export const PARTITION_COUNT = 64;

/** A frame is due every so many ms. */
export const FRAME_MS = 80;
/** A shard works no longer than this in one slice. */
export const SLICE_MS = 2;
/** Images are taken at world ticks divisible by this: every 8 s. */
export const IMAGE_TICKS = 400;
/** Images that a moving world keeps in memory: the oldest is 16 to 24 s old. */
export const IMAGES_KEPT = 3;
/** A watched world sends an image to the store every so many ticks: 16 s. */
export const STORED_IMAGE_TICKS = 800;
/** A burst longer than this ends with an image for the store. */
export const BURST_IMAGE_TICKS = 3000;
/** Bytes of images that one shard sends to the store a second. */
export const IMAGE_BYTES_PER_S = 4_000_000;
/** A hot world further behind than this catches up in a burst, without frames on the way. */
export const BEHIND_TICKS = 64;
/** Worlds in one frame batch. */
export const FRAME_BATCH_WORLDS = 256;
/** Share of a shard's thread, per mille, up to which it takes new hot worlds. */
export const ADMISSION_PER_MILLE = 600;
/** A request that would wait longer than this for its world is refused; the work is done anyway. */
export const WAIT_MS_MAX = 5000;
/** A request whose world would take longer than this is refused; no work is done. */
export const WORK_MS_MAX = 60_000;
/** One burst slice in so many goes to the oldest burst, the others to the shortest. */
export const OLDEST_TURN = 4;
/** The last frame of a hot world answers queries while it is at most this old. */
export const FRAME_AGE_MS_MAX = 160;
/** So many traps within the window put a world into quarantine. */
export const TRAPS_MAX = 3;
export const TRAP_WINDOW_MS = 60_000;
/** A shard thread without a heartbeat for so long is replaced. */
export const STUCK_MS = 2000;
export const HEARTBEAT_MS = 250;
/** So many deaths of a shard on one world within a minute put that world into quarantine. */
export const DEATHS_MAX = 3;
/** Worlds at hand on the main thread. */
export const HANDLES_MAX = 4_000;
/** Ticks between now and the tick of a change. */
export const CHANGE_DELAY_TICKS = 2;
/** Changes after which the masks in a world's record are brought up to date. */
export const MASK_CHECKPOINT_CHANGES = 64;
/** No re-run starts longer before a collision than this: 16 s. */
export const LEAD_TICKS_MAX = 800;
/** Re-runs that the search for one incident may take. */
export const RUNS_MAX = 150;
/** States in the rewind cache of a shard: 7 MB. */
export const REWIND_CACHE_MAX = 512;
/** A loaded world keeps applied changes for so many ticks. */
export const RECENT_TICKS = 4000;
/** Incidents of one world that are explained in one round: each needs a state in the rewind cache. */
export const EXPLAINED_AT_ONCE = 64;
/** Replays that may wait for one shard. */
export const REPLAYS_MAX = 64;

if (STORED_IMAGE_TICKS % IMAGE_TICKS !== 0)
  throw new Error('STORED_IMAGE_TICKS must be a multiple of IMAGE_TICKS');
if (BEHIND_TICKS * TICK_MS < FRAME_AGE_MS_MAX)
  throw new Error('a world with a fresh frame must not count as behind');
