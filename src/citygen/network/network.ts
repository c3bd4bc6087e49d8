import { at } from '../../city/geometry.ts';
import type { Junction, Lane, Light, Road } from '../../city/types.ts';
import { buildConnectors, outlineOfJunction } from './junctions.ts';
import { buildSignals } from './signals.ts';
import { buildStreets, type NetworkPlan } from './streets.ts';

export interface Network {
  roads: readonly Road[];
  lanes: readonly Lane[];
  junctions: readonly Junction[];
  lights: readonly Light[];
}

/** Builds the roads, lanes, connectors, junctions and lights of a plan. */
export function buildNetwork(plan: NetworkPlan): Network {
  const { roads, lanes, arms } = buildStreets(plan);
  const lights: Light[] = [];
  const junctions: Junction[] = [];
  for (const [index, junction] of plan.junctions.entries()) {
    const own = at(arms, index);
    const signals = buildSignals(junction, index, own, lanes, lights.length);
    lights.push(...signals.lights);
    lanes.push(...buildConnectors(junction, index, own, lanes, lights));
    junctions.push({
      id: `j${index + 1}`,
      x: junction.x,
      y: junction.y,
      control: junction.control,
      polygon: outlineOfJunction(junction, own),
      lights: signals.lights.map((_, i) => lights.length - signals.lights.length + i),
      cycleTicks: signals.cycleTicks,
    });
  }
  for (const [index, { connector }] of lanes.entries()) {
    if (!connector) continue;
    const lane = at(lanes, connector.from);
    lane.next = [...lane.next, index];
  }
  return { roads, lanes, junctions, lights };
}

/** For each lane, the lanes that lead to it. */
export function lanesBefore(lanes: readonly Lane[]): number[][] {
  const before: number[][] = lanes.map(() => []);
  for (const [index, { next }] of lanes.entries()) {
    for (const follower of next) at(before, follower).push(index);
  }
  return before;
}
