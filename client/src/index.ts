export type { Encoding } from '../../src/codec/encoding.ts';
export { TwinError, type TwinErrorCode } from '../../src/errors.ts';
export type { NumberedChange } from '../../src/twin/journal.ts';
export type { AssetSource, CityAssets } from './city-assets.ts';
export type { QueueOptions } from './frame-queue.ts';
export type { GivenJournal, GivenWorld, NewLocalWorld } from './given-world.ts';
export type { LiveEvent, LiveState } from './live-events.ts';
export { LiveWorld } from './live-world.ts';
export { JournalGap } from './lived-journal.ts';
export { type FollowedLife, LocalWorld } from './local-world.ts';
export type { Moment } from './moment.ts';
export { nodeAssets } from './node-assets.ts';
export type { Platform } from './platform.ts';
export type { IncidentOf } from './re-runs.ts';
export {
  answered,
  type DealerClient,
  type DealerPaths,
  dealerClient,
  Refusal,
  type TwinClient,
  type TwinPaths,
  twinClient,
} from './rest.ts';
export { TwinAddress, type WatchedWorld } from './twin-address.ts';
export type * from './types.ts';
export { type WatchOptions, watch } from './watch.ts';
