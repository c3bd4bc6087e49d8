/** Stores and clients of Redis for mutants: they forget what a node must know. */
import type { Key, Store, Write } from '../store/contract.ts';
import type { MakeClient } from '../store/redis/redis-client.ts';
import { SCRIPTS } from '../store/redis/redis-scripts.ts';
import type { StoredImage } from '../worlds/stored-image.ts';
import { storeWith } from './changed-parts.ts';

/** Where the keys of a script begin: the first one names the slot. */
const KEYS_AT = 2;
/** In the answer to a lease. */
const VERSION_AT = 3;

/** What an image includes is deleted from the journal with it, as if nobody else read that. */
export function withShortJournals(inner: Store): Store {
  return storeWith(inner, {
    commit: (checks, writes, grant) =>
      inner.commit(checks, [...writes, ...writes.flatMap(withoutIncluded)], grant),
  });
}

function withoutIncluded(write: Write): Write[] {
  const [scope, partition, kind, world] = write.key;
  if (kind !== 'image' || !('value' in write)) return [];
  const { seq } = write.value as StoredImage;
  const keyOf = (i: number) => [scope, partition, 'journal', world, i + 1] as Key;
  return Array.from({ length: seq }, (_, i) => ({ key: keyOf(i), remove: true }));
}

/** Of what earlier connections have delivered, only that counts as seen of which an answer came. */
export function withAnsweredVersions(makeClient: MakeClient): MakeClient {
  const answered = new Map<string, number>();
  return (url, options) => {
    const client = makeClient(url, options);
    const send = client.send.bind(client);
    return Object.assign(client, {
      async send(...[command, args]: Parameters<typeof send>) {
        const reply = await send(command, args);
        const slot = String(args[KEYS_AT]);
        const highest = answered.get(slot) ?? 0;
        if (args[0] === SCRIPTS.commit.sha1) answered.set(slot, Math.max(highest, Number(reply)));
        if (args[0] !== SCRIPTS.lease.sha1) return reply;
        const leased = reply as unknown[];
        const version = Math.min(highest, Number(leased[VERSION_AT]));
        return leased.with(VERSION_AT, Buffer.from(String(version)));
      },
    });
  };
}
