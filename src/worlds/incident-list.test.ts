import { beforeEach, expect, test } from 'vitest';
import { EXPLAINED_AT_ONCE } from '../limits.ts';
import { contactWith, partyWith } from '../testing/doubles/contacts.ts';
import { itemsOf, resultOf } from '../testing/doubles/long-list.ts';
import { groupByIncident } from '../twin/contact-records.ts';
import type { Explanation } from '../twin/explanation.ts';
import { type ContactFacts, incidentId, parseIncidentId } from '../twin/incidents.ts';
import type { Incident } from '../twin/wire.ts';
import type { IncidentRange, LongList } from '../twin-service.ts';
import { IncidentIndex } from './incident-index.ts';
import { IncidentList } from './incident-list.ts';

let contacts: ContactFacts[];
let explained: Map<string, Explanation>;
let reads: number;
let index: IncidentIndex;
let asked: string[];
let givenUp: Set<string>;
let incidents: IncidentList;

/** 300 incidents, one each 30 ticks. Every third has 9 contacts: it goes on during the next six. */
function manyContacts(): ContactFacts[] {
  const chains = Array.from({ length: 300 }, (_, chain) => {
    const tick = 1000 + 30 * chain;
    const links = chain % 3 === 0 ? 9 : 1;
    return Array.from({ length: links }, (_, link) =>
      contactWith({
        ...{ tick: tick + 25 * link, order: link === 0 ? 0 : chain % 7, chainTick: tick },
        ...{ chainOrder: 0, parties: [partyWith({ car: chain % 20 }), partyWith({ car: -1 })] },
      }),
    );
  });
  return chains.flat().sort((a, b) => a.tick - b.tick || a.order - b.order);
}

beforeEach(() => {
  contacts = manyContacts();
  explained = new Map();
  reads = 0;
  asked = [];
  givenUp = new Set();
  const isAfter = ({ tick, order }: ContactFacts, [fromTick, afterOrder]: readonly number[]) =>
    tick === fromTick ? order > (afterOrder ?? -1) : tick > (fromTick ?? 0);
  const records = {
    contacts: async (_: number, after: readonly [number, number?], limit: number) => {
      reads++;
      return contacts.filter((each) => isAfter(each, after as readonly number[])).slice(0, limit);
    },
    explanations: async () => explained,
    incident: async (_: number, tick: number, order: number) => {
      reads++;
      const id = incidentId(tick, order);
      const chain = groupByIncident(contacts).find(
        ([first]) => incidentId(first.tick, first.order) === id,
      );
      return chain && { chain, explanation: explained.get(id) };
    },
  };
  const reports = {
    get storedContacts() {
      return contacts.length;
    },
  };
  index = new IncidentIndex(1, records);
  incidents = new IncidentList(index, {
    reports,
    name: () => 'w',
    incidentOf: ([{ tick, order }, ...links], explanation) =>
      ({ id: incidentId(tick, order), tick: links.length, explained: !!explanation }) as Incident,
    ask: (places) => asked.push(...places.map(({ tick, order }) => incidentId(tick, order))),
    isOpen: ({ chain: [{ tick, order }], explanation }) =>
      explanation === undefined && !givenUp.has(incidentId(tick, order)),
  });
});

const list = (range: IncidentRange = {}) => incidents.list(range);

const namesOf = async (each: LongList<Incident>) =>
  (await resultOf(each.pages())).map(({ name }) => name);

function explain(...ids: readonly string[]): void {
  for (const id of ids) {
    explained.set(id, { failures: [] } as unknown as Explanation);
    index.explained(parseIncidentId(id) ?? { tick: 0, order: 0 });
  }
}

test('[I33] pages together are the whole list, also where a chain crosses their border', async () => {
  const whole = await itemsOf(list());
  const chains = groupByIncident(contacts);
  expect(whole.map(({ id }) => id)).toEqual(
    chains.map(([{ tick, order }]) => incidentId(tick, order)),
  );
  expect(whole.map(({ tick }) => tick)).toEqual(chains.map((chain) => chain.length - 1));
  const pages = await resultOf(list().pages());
  expect(pages.map(({ count }) => count)).toEqual([...Array(9).fill(32), 12]);
  for (const limit of [1, 31, 33, 128, 1000]) {
    const joined: Incident[] = [];
    for (let after: IncidentRange = {}; ; ) {
      const page = await itemsOf(list({ ...after, limit }));
      joined.push(...page);
      const last = joined.at(-1);
      if (page.length < limit || last === undefined) break;
      after = { after: { tick: Number(last.id.slice(1).split('-')[0]), order: 0 } };
    }
    expect(joined).toEqual(whole);
  }
});

test('[I33] the list up to a tick has those that began by then', async () => {
  const whole = await itemsOf(list());
  const tickOf = ({ id }: Incident) => Number(id.slice(1).split('-')[0]);
  const untilTick = tickOf(whole[40] ?? whole[0] ?? ({ id: '' } as Incident));
  expect(untilTick).toBeGreaterThan(0);
  expect(await itemsOf(list({ untilTick }))).toEqual(whole.slice(0, 41));
  expect(await itemsOf(list({ untilTick: untilTick - 1, limit: 1000 }))).toEqual(
    whole.slice(0, 40),
  );
  expect(await itemsOf(list({ untilTick, limit: 3 }))).toEqual(whole.slice(0, 3));
});

test('[I33] the list of a car has its incidents only, and so have the ids', async () => {
  const all = await itemsOf(list());
  const expected = all.filter((_, number) => number % 20 === 3);
  const before = reads;
  expect(await itemsOf(list({ car: 3 }))).toEqual(expected);
  expect(reads - before).toBe(expected.length);
  expect(await resultOf(incidents.ids(3))).toEqual(expected.map(({ id }) => id));
  const [, second, third] = expected;
  const after = { tick: Number(second?.id.slice(1).split('-')[0]), order: 0 };
  expect(await itemsOf(list({ car: 3, after, limit: 1 }))).toEqual([third]);
});

test('[I33] new incidents appear, and what is known is not read again', async () => {
  await resultOf(list().pages());
  const before = reads;
  expect(await resultOf(incidents.ids(0))).toHaveLength(15);
  expect(reads).toBe(before);
  const { tag } = list();
  const tick = 20_000;
  contacts = [...contacts, contactWith({ tick }), contactWith({ tick: 20_050, chainTick: tick })];
  expect(list().tag).not.toBe(tag);
  expect((await itemsOf(list())).at(-1)).toMatchObject({ id: 'i20000-0', tick: 1 });
});

test('[I33] parallel requests count each contact once', async () => {
  const [first, second] = await Promise.all([itemsOf(list()), itemsOf(list())]);
  expect(first).toHaveLength(300);
  expect(second).toEqual(first);
});

test('[I34] an explanation changes the tag and the name of one page only', async () => {
  const [before, old] = [list().tag, await namesOf(list())];
  expect(new Set(old).size).toBe(10);
  const ids = (await itemsOf(list())).map(({ id }) => id);
  explain(ids[40] ?? '');
  expect(list().tag).not.toBe(before);
  expect((await itemsOf(list()))[40]).toMatchObject({ explained: true });
  const now = await namesOf(list());
  expect(now.filter((name, page) => name !== old[page])).toEqual([now[1]]);
  expect(await namesOf(list())).toEqual(now);
});

test('[I34] a contact changes the name of the page of its incident only', async () => {
  const old = await namesOf(list());
  // The first incident of the page before the last goes on.
  const chainTick = 1000 + 30 * 8 * 32;
  contacts = [...contacts, contactWith({ tick: 20_000, order: 0, chainTick })];
  const now = await namesOf(list());
  expect(now.filter((name, page) => name !== old[page])).toEqual([now[8]]);
  contacts = [...contacts, contactWith({ tick: 20_500 })];
  expect((await namesOf(list())).filter((name, page) => name !== now[page])).toHaveLength(1);
});

test('only pages that are asked for often have a name', async () => {
  expect(await namesOf(list({ limit: 33 }))).toEqual([expect.any(String), undefined]);
  expect(await namesOf(list({ car: 3 }))).toEqual([undefined]);
});

test('[I31] whoever asks for a list asks for what is open in it, also if it is not read again', async () => {
  const ids = (await itemsOf(list())).map(({ id }) => id);
  expect(asked).toEqual(ids);
  asked = [];
  list();
  expect(asked).toEqual(ids.slice(-EXPLAINED_AT_ONCE));
  explain(...ids.slice(0, -2));
  const [first = '', last] = ids.slice(-2);
  givenUp.add(first);
  await itemsOf(list());
  asked = [];
  list();
  list({ limit: 298 });
  expect(asked).toEqual([last]);
});
