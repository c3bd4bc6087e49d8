/** The jobs that a thread of the proving ground can do. */
export { attributeWorld } from './attribution-world.ts';
export { driveLongWorld } from './long-drive.ts';
export { runManoeuvre } from './manoeuvre-runs.ts';
export { watchScenes } from './scenes-world.ts';
export { tryStakes } from './stakes-world.ts';
export { driveSweepWorld } from './sweep-world.ts';
