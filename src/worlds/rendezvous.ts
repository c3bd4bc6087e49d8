/** Index of a world's shard among `count` shards, by the highest score (rendezvous hashing). */
export function rendezvous(world: number, count: number): number {
  let best = 0;
  let bestScore = -1;
  for (let shard = 0; shard < count; shard++) {
    const score = scramble((world % 2 ** 32) ^ scramble(Math.floor(world / 2 ** 32) + shard * 977));
    if (score > bestScore) {
      best = shard;
      bestScore = score;
    }
  }
  return best;
}

/** Finaliser of MurmurHash3, 32 bits. */
function scramble(value: number): number {
  let h = value >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
