import { type NotedChange, noted } from './audit-trail.ts';
import type { Reader } from './reader.ts';
import { type AuditSubject, type CarRecord, keys } from './records.ts';
import type { Resource } from './rights.ts';
import type { Transaction } from './transaction.ts';
import { isTwinVin } from './twin-cars.ts';

/** Finds a car by VIN. The VINs of worlds are stored in upper case. */
export async function findCar(reader: Reader, vin: string): Promise<CarRecord | undefined> {
  const asGiven = await reader.get<CarRecord>(keys.car(reader.generation, vin));
  if (asGiven !== undefined || vin.toUpperCase() === vin || !isTwinVin(vin)) return asGiven;
  return reader.get<CarRecord>(keys.car(reader.generation, vin.toUpperCase()));
}

/** A car of no fleet. */
export function newCar(vin: string, id: string): CarRecord {
  return {
    vin,
    id,
    model: null,
    plate: null,
    colour: null,
    dealer: null,
    owner: null,
    locked: false,
    climate: false,
    charging: false,
    updatedAtMs: 0,
  };
}

/** Stores a changed car, and notes the change. */
export function putCar(
  transaction: Transaction,
  [before, after]: readonly [CarRecord, CarRecord],
  change: NotedChange,
): CarRecord {
  const { changeCount: number = 0 } = before;
  const car: CarRecord = {
    ...noted(transaction, subjectOf(after), after, change),
    ...(after.dealer !== before.dealer && { dealerFrom: number }),
    ...(accountOf(after) !== accountOf(before) && { ownerFrom: number }),
    updatedAtMs: change.atMs,
  };
  transaction.put(keys.car(transaction.generation, car.vin), car);
  return car;
}

/** What the trail of a car is about. */
export function subjectOf({ vin, id }: CarRecord): AuditSubject {
  return id === undefined ? ['car', vin] : ['car', vin, id];
}

/** What rights to a car depend on. */
export function resourceOf(car: CarRecord): Resource {
  const { dealer, dealerFrom, ownerFrom: accountFrom } = car;
  return { dealer, account: accountOf(car), dealerFrom, accountFrom };
}

/** The account that has rights to a car. */
function accountOf({ owner }: CarRecord): string | null {
  return owner?.account ?? null;
}
