import { expect, it } from 'vitest';
import type { Grant, Handovers, Reservation } from '../../../store/contract.ts';
import type { RedisStore } from '../../../store/redis/redis-store.ts';
import { takenGrant } from '../../rigs/taken-grant.ts';
import { until } from '../../rigs/until.ts';
import type { Shared } from './shared-store.ts';

const PARTITION = 5;
const KEY = ['p', PARTITION, 'world', 1];
const FAILED = { name: 'StoreUnavailable', reason: 'failed' };

const write = (store: RedisStore, grant: Grant, value: number) =>
  store.commit([], [{ key: KEY, value }], grant);

/** Two processes, the first of which holds the partition, for which the second has a reservation. */
async function prepare(shared: Shared) {
  const [giver, receiver] = [await shared().open('giver'), await shared().open('receiver')];
  giver.claims.readClock((atMs) => 1e12 + atMs);
  const grant = await takenGrant(giver, PARTITION);
  const reservation = receiver.claims.reserve(PARTITION);
  return { giver, receiver, grant, reservation };
}

async function accepted(handovers: Handovers, reservation: Reservation): Promise<Grant> {
  const grant = await handovers.accept(reservation);
  if (grant === undefined) throw new Error('it was not given');
  return grant;
}

/** What the contract says of handovers. */
export function describeHandovers(shared: Shared): void {
  it('give a partition in one step, and earlier commits are made', async () => {
    const { giver, receiver, grant, reservation } = await prepare(shared);
    const written = write(giver, grant, 1);
    expect(await giver.claims.give(grant, reservation.token)).toBe('given');
    expect(await written).toBe(true);
    expect(grant.untilMs()).toBe(Number.NEGATIVE_INFINITY);
    const next = await accepted(receiver.claims, reservation);
    expect(next.epoch).toBeGreaterThan(grant.epoch);
    expect(next.floorMs).toBeGreaterThan(1e12);
    expect(next.untilMs()).toBeGreaterThan(shared().time.now());
    expect((await receiver.get(KEY))?.value).toBe(1);
    expect(await write(receiver, next, 2)).toBe(true);
    await expect(write(giver, grant, 3)).rejects.toMatchObject(FAILED);
    expect(await giver.claims.take(PARTITION, 'expired')).toMatchObject({
      holder: receiver.heartbeats.process,
    });
  });

  it('are not accepted before the partition is given', async () => {
    const { giver, receiver, grant, reservation } = await prepare(shared);
    expect(await receiver.claims.accept(reservation)).toBeUndefined();
    expect(await write(giver, grant, 1)).toBe(true);
    await giver.claims.give(grant, reservation.token);
    await accepted(receiver.claims, reservation);
  });

  it('whose outcome is unknown have one before the giver can write again', async () => {
    const { giver, receiver, grant, reservation } = await prepare(shared);
    await shared().pause();
    const giving = giver.claims.give(grant, reservation.token);
    await shared().time.advance(shared().leaseMs / 4);
    shared().resume();
    const outcome = await giving;
    await until('both processes', () => giver.isReady && receiver.isReady);
    const next = await receiver.claims.accept(reservation);
    expect(next !== undefined).toBe(outcome === 'given');
    if (next !== undefined) expect(await write(receiver, next, 1)).toBe(true);
    const late = write(giver, grant, 2);
    if (outcome === 'given') await expect(late).rejects.toMatchObject(FAILED);
    else expect(await late).toBe(true);
  });

  it('give nothing that the giver has lost', async () => {
    const { giver, receiver, grant, reservation } = await prepare(shared);
    const third = await shared().open('third');
    await shared().pass(shared().leaseMs + 1);
    await until('all processes', () => [giver, receiver, third].every((each) => each.isReady));
    const taken = await takenGrant(third, PARTITION, 'expired');
    await giver.claims.give(grant, reservation.token);
    expect(await receiver.claims.accept(reservation)).toBeUndefined();
    expect(await write(third, taken, 1)).toBe(true);
  });

  it('give nothing that the giver can no longer rely on', async () => {
    const { giver, receiver, grant, reservation } = await prepare(shared);
    await shared().pass(shared().leaseMs);
    await until('both processes', () => giver.isReady && receiver.isReady);
    expect(await giver.claims.give(grant, reservation.token)).toBe('kept');
    expect(await receiver.claims.accept(reservation)).toBeUndefined();
    await giver.claims.renew([grant]);
    expect(await giver.claims.give(grant, reservation.token)).toBe('given');
    await accepted(receiver.claims, reservation);
  });

  it('that are cancelled leave the partition with the giver, or free', async () => {
    const { giver, receiver, grant, reservation } = await prepare(shared);
    const cancelling = receiver.claims.cancel(reservation);
    await shared().pass(10);
    expect(await write(giver, grant, 1)).toBe(true);
    // Late, to a process that waits for it no more.
    expect(await giver.claims.give(grant, reservation.token)).toBe('given');
    await shared().pass(shared().leaseMs);
    await cancelling;
    await until('the giver', () => giver.isReady);
    const next = await takenGrant(giver, PARTITION, 'free');
    expect(next.floorMs).toBeGreaterThan(1e12);
    expect(await write(giver, next, 2)).toBe(true);
  });
}
