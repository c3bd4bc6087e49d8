import { FRAME_TICKS } from '../../assembly/layout.ts';
import type { Slab } from '../../src/kernel/kernel.ts';
import { IMAGE_TICKS, IMAGES_KEPT, LEAD_TICKS_MAX } from '../../src/limits.ts';
import {
  CounterfactualRunner,
  DivergedRun,
} from '../../src/shard/counterfactual/counterfactual-runner.ts';
import { Rewind } from '../../src/shard/counterfactual/rewind.ts';
import {
  type ContactRecord,
  groupByIncident,
  INCIDENT_END_TICKS,
} from '../../src/twin/contact-records.ts';
import type { Explanation } from '../../src/twin/explanation.ts';
import { type IncidentContacts, incidentId } from '../../src/twin/incidents.ts';
import { accountOf, ground, inWorld, type WorldChoice } from './ground.ts';
import { stepOn } from './sweep-world.ts';

const ACCOUNTS_MAX = 3;

export interface AttributionJob extends WorldChoice {
  /** Row of the table that its incidents belong to. */
  row: number;
  /** Mask of the feature that a report has to name; 0: any that was off. */
  wanted: number;
  ticks: number;
  incidentsMax: number;
}

/** Counts over the reports of one world or of many. */
export const noAttribution = () => ({
  incidents: 0,
  /** Reports that name the wanted feature. */
  named: 0,
  /** Reports that name nothing. */
  unexplained: 0,
  /** Reports that name a feature that was on. */
  wrong: 0,
  /** Incidents that a re-run without changes did not repeat. */
  lost: 0,
  reruns: 0,
});

export type Attribution = ReturnType<typeof noAttribution>;

export interface AttributionWorld {
  job: AttributionJob;
  counted: Attribution;
  /** Text on the first reports that do not name the wanted feature. */
  accounts: string[];
}

interface Image {
  tick: number;
  bytes: Uint8Array;
}

/** Drives one world until there are enough incidents, and explains each as a shard would. */
export function attributeWorld(job: AttributionJob): AttributionWorld {
  return inWorld(job, (slab) => {
    const world: AttributionWorld = { job, counted: noAttribution(), accounts: [] };
    const { kernel } = ground();
    const scratch = kernel.acquire();
    if (scratch === undefined) throw new Error('no slab is free');
    const images: Image[] = [{ tick: kernel.tick(slab), bytes: kernel.image(slab) }];
    const past = new Map<string, Image>();
    let open: ContactRecord[] = [];
    try {
      while (kernel.tick(slab) < job.ticks && world.counted.incidents < job.incidentsMax) {
        const tick = kernel.tick(slab) + FRAME_TICKS;
        for (const record of stepOn(slab, tick)) {
          open.push(record);
          const id = incidentId(record.chainTick, record.chainOrder);
          const image = imageBefore(images, record.chainTick);
          if (image && !past.has(id)) past.set(id, image);
        }
        keepImage(slab, images);
        if (open.length > 0) open = explainEnded(open, tick, past, scratch, world);
      }
    } finally {
      kernel.release(scratch);
    }
    return world;
  });
}

function keepImage(slab: Slab, images: Image[]): void {
  const { kernel } = ground();
  const tick = kernel.tick(slab);
  if (tick % IMAGE_TICKS !== 0) return;
  images.push({ tick, bytes: kernel.image(slab) });
  if (images.length > IMAGES_KEPT) images.shift();
}

/** The image that a shard would begin at, or the first one. */
function imageBefore(images: readonly Image[], tick: number): Image | undefined {
  return images.findLast((image) => image.tick <= tick - LEAD_TICKS_MAX) ?? images[0];
}

/** Explains the chains that are over; returns the records of the others. */
function explainEnded(
  open: readonly ContactRecord[],
  tick: number,
  past: Map<string, Image>,
  scratch: Slab,
  world: AttributionWorld,
): ContactRecord[] {
  const chains = groupByIncident(open);
  const isOver = (chain: IncidentContacts): boolean =>
    chain.every((each) => tick > each.tick + INCIDENT_END_TICKS);
  const over = new Set<string>();
  for (const chain of chains.filter(isOver)) {
    const id = incidentId(chain[0].tick, chain[0].order);
    const image = past.get(id);
    past.delete(id);
    over.add(id);
    if (image) count(world, chain, explain(scratch, world.job, chain, image));
  }
  return open.filter(({ chainTick, chainOrder }) => !over.has(incidentId(chainTick, chainOrder)));
}

/** Adds one report. `null`: the re-run did not repeat the incident. */
export function count(
  world: AttributionWorld,
  chain: IncidentContacts,
  explanation: Explanation | null,
): void {
  const { counted, job, accounts } = world;
  counted.incidents += 1;
  if (explanation === null) {
    counted.lost += 1;
    if (accounts.length < ACCOUNTS_MAX) accounts.push(`${accountOf(job, chain[0])}, not repeated`);
    return;
  }
  const { failures, reruns } = explanation;
  const isNamed = failures.some(({ feature }) => job.wanted === 0 || (feature & job.wanted) !== 0);
  counted.reruns += reruns;
  if (isNamed) counted.named += 1;
  if (failures.length === 0) counted.unexplained += 1;
  if (failures.some(({ car, feature }) => (declaredBy(chain, car) & feature) !== 0)) {
    counted.wrong += 1;
  }
  if (!isNamed && accounts.length < ACCOUNTS_MAX) accounts.push(accountOf(job, chain[0]));
}

/** Declared mask of a car at its first contact; all bits for a car without one. */
function declaredBy(chain: IncidentContacts, car: number): number {
  const parties = chain.flatMap((contact) => contact.parties);
  return parties.find((party) => party.car === car)?.declared ?? -1;
}

/** Runs the seconds before an incident again, in the slab `scratch`. `null`: the re-run diverged. */
function explain(
  scratch: Slab,
  { cityIndex }: AttributionJob,
  chain: IncidentContacts,
  image: Image,
): Explanation | null {
  const { kernel, tables } = ground();
  const table = tables[cityIndex];
  if (!table) throw new RangeError(`there is no city ${cityIndex}`);
  const scene = { image: image.bytes, changes: [] };
  const runs = new CounterfactualRunner(new Rewind(kernel, scratch), scene, chain, table);
  const slices = runs.explain();
  try {
    for (;;) {
      const slice = slices.next();
      if (slice.done) return slice.value;
    }
  } catch (error) {
    if (error instanceof DivergedRun) return null;
    throw error;
  }
}
