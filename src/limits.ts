import { TICK_MS } from '../assembly/layout.ts';

/** Every bound of a node in one place, with the relations between them checked at load. */

/** A frame is due every so many ms. */
export const FRAME_MS = 80;
/** A thread does not work longer than this in one piece. */
export const SLICE_MS = 2;
/** Images are kept at world ticks divisible by this: every 8 s. */
export const IMAGE_TICKS = 400;
/** Images that a moving world keeps in memory: the oldest is 16 to 24 s old. */
export const IMAGES_KEPT = 3;
/** A watched world sends an image to the store every so many ticks: 16 s. */
export const STORED_IMAGE_TICKS = 800;
/** A burst longer than this ends in an image for the store. */
export const BURST_IMAGE_TICKS = 3000;
/** Bytes of images that one shard sends to the store a second. */
export const IMAGE_BYTES_PER_S = 4_000_000;
/** A hot world further behind than this catches up as a burst, beside the beat. */
export const BEHIND_TICKS = 64;
/** Worlds in one beat. */
export const FRAME_BATCH_WORLDS = 256;
/** Share of a shard's thread, per mille, up to which it takes new hot worlds. */
export const ADMISSION_PER_MILLE = 600;
/** A request that would wait longer than this for its world is refused, and the work done. */
export const WAIT_MS_MAX = 5000;
/** A request whose world would take longer than this is refused, and nothing done. */
export const WORK_MS_MAX = 60_000;
/** One burst slice in so many goes to whoever has waited longest, the others to the shortest. */
export const OLDEST_TURN = 4;
/** The last beat answers for a hot world while it is at most this old. */
export const FRAME_AGE_MS_MAX = 160;
/** Traps in this time after which a world rests. */
export const TRAPS_MAX = 3;
export const TRAP_WINDOW_MS = 60_000;
/** A shard whose heart did not beat for so long is replaced. */
export const STUCK_MS = 2000;
export const HEARTBEAT_MS = 250;
/** Deaths of one shard in a minute after which the world it died on rests. */
export const DEATHS_MAX = 3;
/** Worlds whose records are kept at hand on the main thread. */
export const HANDLES_MAX = 4_000;
/** Ticks between now and the tick of a change. */
export const CHANGE_DELAY_TICKS = 2;
/** Changes after which the masks in a world's record are brought up to date. */
export const MASK_CHECKPOINT_CHANGES = 64;
/** No re-run begins longer before a collision than this: 16 s. */
export const LEAD_TICKS_MAX = 800;
/** Re-runs that explaining one incident may take. */
export const RUNS_MAX = 150;
/** Images from before collisions that a shard keeps until these are explained: 7 MB. */
export const REWIND_CACHE_MAX = 512;
/** For so many ticks a world in memory keeps the changes that are in its state. */
export const RECENT_TICKS = 4000;
/** Incidents of one world that are explained in one go: each needs an image meanwhile. */
export const EXPLAINED_AT_ONCE = 64;
/** Replays that wait for one shard. */
export const REPLAYS_MAX = 64;

if (STORED_IMAGE_TICKS % IMAGE_TICKS !== 0) throw new Error('stored images are kept images');
if (BEHIND_TICKS * TICK_MS < FRAME_AGE_MS_MAX)
  throw new Error('a fresh world must not count as behind');
