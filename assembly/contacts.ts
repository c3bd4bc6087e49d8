import {
  CAR_COUNT,
  CHAIN_TICKS,
  C_CHAIN_ORDER,
  C_CHAIN_TICK,
  CRASH_ALIKE,
  C_CONTACT_TICK,
  C_CRASH,
  C_CRASH_TICK,
  C_DECLARED,
  C_STATUS,
  EVENT_COLLISION,
  F_ALL,
  H_TICK,
  K_BLOCK,
  K_CHAIN_ORDER,
  K_CHAIN_TICK,
  K_HAZARD,
  K_KIND,
  K_ORDER,
  K_TICK,
  STATUS_CRASHED,
} from './layout';
import { newRecord, setChain } from './contact-ring';
import { raise } from './events';
import { getI, setI } from './memory';
import { leaveChain } from './pulses';

/** Two collisions of a car within so many ticks (2 min) can be alike. */
const ALIKE_TICKS: u32 = 6000;

/**
 * A new record in the chain of its parties' last contacts, or in a chain of its own. `b` −1: no
 * car.
 */
export function newContact(slab: usize, kind: i32, block: i32, hazard: i32, a: i32, b: i32): usize {
  const record = newRecord(slab, kind);
  store<i32>(record + K_BLOCK, block);
  store<i32>(record + K_HAZARD, hazard);
  link(slab, record, load<u32>(record + K_TICK), load<u32>(record + K_ORDER), a, b);
  return record;
}

function link(slab: usize, contact: usize, tick: u32, order: u32, a: i32, b: i32): void {
  let first = linked(slab, tick, a) ? a : -1;
  if (linked(slab, tick, b) && (first < 0 || isOlder(slab, b, first))) first = b;
  const chainTick = first < 0 ? tick : <u32>getI(slab, C_CHAIN_TICK, first);
  const chainOrder = first < 0 ? order : <u32>getI(slab, C_CHAIN_ORDER, first);
  // If two chains meet, the younger one becomes part of the older one.
  if (linked(slab, tick, a))
    join(slab, getI(slab, C_CHAIN_TICK, a), getI(slab, C_CHAIN_ORDER, a), chainTick, chainOrder);
  if (linked(slab, tick, b))
    join(slab, getI(slab, C_CHAIN_TICK, b), getI(slab, C_CHAIN_ORDER, b), chainTick, chainOrder);
  const kind = load<i32>(contact + K_KIND);
  enter(slab, tick, chainTick, chainOrder, a, kind);
  enter(slab, tick, chainTick, chainOrder, b, kind);
  setChain(contact, chainTick, chainOrder);
}

/** Whether two cars are in different chains, or one of them in none. */
export function meetsAnew(slab: usize, tick: u32, a: i32, b: i32): bool {
  if (!linked(slab, tick, a) || !linked(slab, tick, b))
    return linked(slab, tick, a) || linked(slab, tick, b);
  return (
    getI(slab, C_CHAIN_TICK, a) != getI(slab, C_CHAIN_TICK, b) ||
    getI(slab, C_CHAIN_ORDER, a) != getI(slab, C_CHAIN_ORDER, b)
  );
}

/** Whether a car's last contact is recent enough for the same chain. */
export function linked(slab: usize, tick: u32, car: i32): bool {
  if (car < 0) return false;
  const last = <u32>getI(slab, C_CONTACT_TICK, car);
  return last != 0 && tick - last < <u32>CHAIN_TICKS;
}

function isOlder(slab: usize, car: i32, other: i32): bool {
  const tick = <u32>getI(slab, C_CHAIN_TICK, car);
  const otherTick = <u32>getI(slab, C_CHAIN_TICK, other);
  return (
    tick < otherTick ||
    (tick == otherTick && getI(slab, C_CHAIN_ORDER, car) < getI(slab, C_CHAIN_ORDER, other))
  );
}

function join(slab: usize, fromTick: i32, fromOrder: i32, tick: u32, order: u32): void {
  if (fromTick == <i32>tick && fromOrder == <i32>order) return;
  for (let car = 0; car < CAR_COUNT; car++) {
    if (getI(slab, C_CHAIN_TICK, car) != fromTick || getI(slab, C_CHAIN_ORDER, car) != fromOrder)
      continue;
    leaveChain(slab, car);
    setI(slab, C_CHAIN_TICK, car, tick);
    setI(slab, C_CHAIN_ORDER, car, order);
  }
}

/** What C_CRASH is after a contact of a kind that makes a car a wreck. */
function crashOf(slab: usize, tick: u32, car: i32, kind: i32): i32 {
  const declared = getI(slab, C_DECLARED, car);
  const crash = ((kind + 1) << 12) | declared;
  const last = getI(slab, C_CRASH, car);
  const before = tick - <u32>getI(slab, C_CRASH_TICK, car);
  const isAlike = declared != F_ALL && (last & ~CRASH_ALIKE) == crash && before <= ALIKE_TICKS;
  return isAlike ? crash | CRASH_ALIKE : crash;
}

function enter(slab: usize, tick: u32, chainTick: u32, chainOrder: u32, car: i32, kind: i32): void {
  if (car < 0) return;
  if (
    <u32>getI(slab, C_CHAIN_TICK, car) != chainTick ||
    <u32>getI(slab, C_CHAIN_ORDER, car) != chainOrder
  )
    leaveChain(slab, car);
  setI(slab, C_CONTACT_TICK, car, tick);
  // A wreck that is hit again has not crashed again.
  if (getI(slab, C_STATUS, car) != STATUS_CRASHED) {
    setI(slab, C_CRASH, car, crashOf(slab, tick, car, kind));
    setI(slab, C_CRASH_TICK, car, tick);
  }
  setI(slab, C_CHAIN_TICK, car, chainTick);
  setI(slab, C_CHAIN_ORDER, car, chainOrder);
}

/** `other` as in E_OTHER. */
export function raiseCollision(slab: usize, contact: usize, car: i32, other: i32): void {
  const chainTick = load<i32>(contact + K_CHAIN_TICK);
  const chainOrder = load<i32>(contact + K_CHAIN_ORDER);
  const hazard = load<i32>(contact + K_HAZARD);
  raise(slab, load<u32>(slab + H_TICK), EVENT_COLLISION, car, chainTick, hazard, chainOrder, other);
}
