import { LEAD_TICKS_MAX } from '../limits.ts';
import { type LivedPast, packNumbered } from '../shard/protocol.ts';
import type { Records, WorldRecord } from './records.ts';

/** What a shard needs to live a world again up to a collision at tick `newest`. */
export async function packedPast(
  records: Records,
  world: number,
  record: WorldRecord,
  wanted: { cityIndex: number; trustImage: boolean; newest: number },
): Promise<LivedPast> {
  const { cityIndex, trustImage, newest } = wanted;
  const latestTick = newest - LEAD_TICKS_MAX;
  const { image, changes } = await records.past(world, record, trustImage, latestTick);
  return {
    seed: record.seed,
    cityIndex,
    from: record.from,
    image: image && { tick: image.tick, bytes: image.bytes },
    changes: packNumbered(changes),
  };
}
