/**
 * The tick as a table of contents: every phase that runs, in order. Phases read and write the arrays
 * of the memory map and go through the cars in order of their index.
 */
import {
  CAR_COUNT,
  C_STATUS,
  FRAME_TICKS,
  H_CONTACT_COUNT,
  H_TICK,
  STATUS_CRASHED,
} from './layout';
import { actuate } from './actuators';
import { surveyApproaches } from './approaches';
import { collide } from './collision';
import { tellConsequences } from './consequences/watch';
import { decide } from './driver';
import { integrate } from './dynamics';
import { trapUnlessFinite } from './finite';
import { brakeInEmergency } from './functions/aeb';
import { brakeForAnimals } from './functions/animal-detection';
import { fadeDemand, holdAfterStop, resetFunctions, takeDemand } from './functions/assist';
import { stabilise } from './functions/esc';
import { evade, limitBraking } from './functions/evasive-steering';
import { brakeAtCrossing, watchCrossings } from './functions/intersection-assist';
import { moveActors, sendActors } from './hazards/actors';
import { meetActors } from './hazards/contact';
import { cityOf } from './lanes';
import { measureGaps } from './leader';
import { chooseAtLights } from './light-choice';
import { getI } from './memory';
import { findOccupants } from './occupancy';
import { prefetch } from './prefetch';
import { endPulses } from './pulses';
import { recover } from './recovery/recovery';
import { isIdle } from './relevance';
import { decideRightOfWay } from './right-of-way';
import { sampleSlopes } from './road-grip';
import { findTargets } from './sensors';
import { updateStatus } from './status';
import { measureOpenPaths, relevantTargetsOf } from './target-paths';
import { track } from './track';
import { lookUpTypes } from './type-rows';
import { slideWrecks } from './wreck';

/**
 * Steps a world by up to `ticks` and returns how many it did. It ends with the first tick that had a
 * record of a contact or pulse, so that the host reads each before another can overwrite it.
 */
export function step(slab: usize, ticks: i32): i32 {
  const city = cityOf(slab);
  prefetch(slab, city);
  lookUpTypes(slab);
  const contacts = load<u32>(slab + H_CONTACT_COUNT);
  let done = 0;
  while (done < ticks && load<u32>(slab + H_CONTACT_COUNT) == contacts) {
    tick(slab, city);
    done++;
  }
  // A frame has done so itself.
  if (load<u32>(slab + H_TICK) % FRAME_TICKS != 0) trapUnlessFinite(slab);
  return done;
}

function tick(slab: usize, city: usize): void {
  store<u32>(slab + H_TICK, load<u32>(slab + H_TICK) + 1);
  const isFrame = load<u32>(slab + H_TICK) % FRAME_TICKS == 0;
  if (isFrame) {
    findOccupants(slab, city);
    sendActors(slab, city);
    perceive(slab, city);
    decideAtJunctions(slab, city);
    decide(slab, city);
    assist(slab, city);
  }
  moveActors(slab, city);
  slideWrecks(slab);
  if (ASC_FEATURE_SIMD) moveCars<v128>(slab);
  else moveCars<f32>(slab);
  track(slab, city);
  collide(slab, city);
  meetActors(slab, city);
  endPulses(slab);
  recover(slab, city);
  if (isFrame) {
    sampleSlopes(slab, city);
    updateStatus(slab);
    tellConsequences(slab, city);
    trapUnlessFinite(slab);
  }
}

/** What the sensors of each car report. */
function perceive(slab: usize, city: usize): void {
  findTargets(slab, city);
  measureGaps(slab, city);
}

/** Traffic light recognition, intersection assist and right of way. */
function decideAtJunctions(slab: usize, city: usize): void {
  surveyApproaches(slab, city);
  chooseAtLights(slab, city);
  watchCrossings(slab, city);
  decideRightOfWay(slab, city);
}

/** The functions that act on what the sensors report. */
function assist(slab: usize, city: usize): void {
  measureOpenPaths(slab, city);
  for (let car = 0; car < CAR_COUNT; car++) {
    if (getI(slab, C_STATUS, car) == STATUS_CRASHED) resetFunctions(slab, car);
    else assistCar(slab, city, car);
  }
}

/** One car after the other: their events are raised in this order. */
function assistCar(slab: usize, city: usize, car: i32): void {
  const targets = relevantTargetsOf(car);
  if (targets == 0 && isIdle(slab, car)) {
    brakeAtCrossing(slab, car);
    return;
  }
  const demanded = takeDemand(slab, car);
  if (holdAfterStop(slab, car)) return;
  brakeInEmergency(slab, city, car, targets);
  brakeForAnimals(slab, city, car, targets);
  brakeAtCrossing(slab, car);
  fadeDemand(slab, car, demanded);
  evade(slab, city, car, targets);
  limitBraking(slab, car);
}

/**
 * Actuators, stability control and dynamics of the cars that are no wrecks: as many at once as `T`
 * holds.
 */
export function moveCars<T>(slab: usize): void {
  actuate<T>(slab);
  stabilise<T>(slab);
  integrate<T>(slab);
}
