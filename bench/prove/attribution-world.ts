import { CHAIN_TICKS, FRAME_TICKS } from '../../assembly/layout.ts';
import type { Slab } from '../../src/kernel/kernel.ts';
import { IMAGE_TICKS, IMAGES_KEPT, LEAD_TICKS_MAX } from '../../src/limits.ts';
import {
  CounterfactualRunner,
  DivergedRun,
} from '../../src/shard/counterfactual/counterfactual-runner.ts';
import { Rewind } from '../../src/shard/counterfactual/rewind.ts';
import type { Explanation } from '../../src/twin/explanation.ts';
import { type Chain, type ContactFacts, chainsOf, incidentId } from '../../src/twin/incidents.ts';
import { ground, inWorld, type WorldChoice } from './ground.ts';
import { stepOn } from './sweep-world.ts';

const ACCOUNTS_MAX = 3;

export interface AttributionJob extends WorldChoice {
  /** Row of the table that its incidents belong to. */
  row: number;
  /** What a report has to name; 0 where any feature that was off will do. */
  wanted: number;
  ticks: number;
  incidentsMax: number;
}

/** How the reports of one world, or of many, fared. */
export interface Attribution {
  incidents: number;
  /** Reports that name what was wanted. */
  named: number;
  /** Reports that name nothing. */
  unexplained: number;
  /** Reports that name a feature that was on. */
  wrong: number;
  /** Incidents that did not happen again when they were lived again as they were. */
  lost: number;
  reruns: number;
}

export interface AttributionWorld {
  job: AttributionJob;
  counted: Attribution;
  /** Enough to look at the first of those that do not name what was wanted. */
  accounts: string[];
}

export const noAttribution = (): Attribution => ({
  incidents: 0,
  named: 0,
  unexplained: 0,
  wrong: 0,
  lost: 0,
  reruns: 0,
});

interface Image {
  tick: number;
  bytes: Uint8Array;
}

/** Lives one world until there are enough incidents, and has each explained as a shard would. */
export function attributeWorld(job: AttributionJob): AttributionWorld {
  return inWorld(job, (slab) => {
    const world: AttributionWorld = { job, counted: noAttribution(), accounts: [] };
    const explainer = new Explainer(job);
    const { kernel } = ground();
    const images: Image[] = [{ tick: kernel.tick(slab), bytes: kernel.image(slab) }];
    const past = new Map<string, Image>();
    let open: ContactFacts[] = [];
    try {
      while (kernel.tick(slab) < job.ticks && world.counted.incidents < job.incidentsMax) {
        const tick = kernel.tick(slab) + FRAME_TICKS;
        for (const contact of stepOn(slab, tick)) {
          open.push(contact);
          const id = incidentId(contact.chainTick, contact.chainOrder);
          const image = imageBefore(images, contact.chainTick);
          if (image && !past.has(id)) past.set(id, image);
        }
        keepImage(slab, images);
        if (open.length > 0) open = explainEnded(open, tick, past, explainer, world);
      }
    } finally {
      explainer.close();
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

/** The state that a shard would begin at, or that in which the world began. */
function imageBefore(images: readonly Image[], tick: number): Image | undefined {
  return images.findLast((image) => image.tick <= tick - LEAD_TICKS_MAX) ?? images[0];
}

/** Explains the chains that can have no more contacts; returns the contacts of the others. */
function explainEnded(
  open: readonly ContactFacts[],
  tick: number,
  past: Map<string, Image>,
  explainer: Explainer,
  world: AttributionWorld,
): ContactFacts[] {
  const chains = chainsOf(open);
  const isOver = (chain: Chain): boolean => chain.every((each) => tick > each.tick + CHAIN_TICKS);
  for (const chain of chains.filter(isOver)) {
    const id = incidentId(chain[0].tick, chain[0].order);
    const image = past.get(id);
    past.delete(id);
    if (image) count(world, chain, explainer.explain(chain, image));
  }
  return chains.filter((chain) => !isOver(chain)).flat();
}

/** Adds one report; `null`: what it tells of did not happen again. */
export function count(
  world: AttributionWorld,
  chain: Chain,
  explanation: Explanation | null,
): void {
  const { counted, job, accounts } = world;
  counted.incidents += 1;
  if (explanation === null) {
    counted.lost += 1;
    if (accounts.length < ACCOUNTS_MAX) accounts.push(`${accountOf(job, chain)}, not again`);
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
  if (!isNamed && accounts.length < ACCOUNTS_MAX) accounts.push(accountOf(job, chain));
}

/** What a car had on at its first contact; of a car that had none everything. */
function declaredBy(chain: Chain, car: number): number {
  const parties = chain.flatMap((contact) => contact.parties);
  return parties.find((party) => party.car === car)?.declared ?? -1;
}

/** Lives the seconds before an incident again and again, in a slab of its own. */
class Explainer {
  readonly #slab: Slab;
  readonly #table: ArrayBuffer;

  constructor({ cityIndex }: AttributionJob) {
    const { kernel, tables } = ground();
    const table = tables[cityIndex];
    if (!table) throw new RangeError(`there is no city ${cityIndex}`);
    const slab = kernel.acquire();
    if (slab === undefined) throw new Error('no slab is free');
    this.#slab = slab;
    this.#table = table;
  }

  explain(chain: Chain, image: Image): Explanation | null {
    const scratch = new Rewind(ground().kernel, this.#slab);
    const scene = { image: image.bytes, changes: [] };
    const explaining = new CounterfactualRunner(scratch, scene, chain, this.#table).explain();
    try {
      for (;;) {
        const slice = explaining.next();
        if (slice.done) return slice.value;
      }
    } catch (error) {
      if (error instanceof DivergedRun) return null;
      throw error;
    }
  }

  close(): void {
    ground().kernel.release(this.#slab);
  }
}

function accountOf({ cityIndex, seed }: AttributionJob, chain: Chain): string {
  const [{ tick, order, kind, hazard, block, parties }] = chain;
  const city = ground().cities[cityIndex];
  const spot = city?.hazards[hazard]?.kind ?? 'no spot';
  const cars = parties.flatMap(({ car }) => (car >= 0 ? [car] : [])).join(' and ');
  return `${city?.name} seed ${seed} ${incidentId(tick, order)}: car ${cars}, kind ${kind}, ${spot}, block ${block}`;
}
