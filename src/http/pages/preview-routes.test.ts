import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_RATE_LIMITS } from '../../config.ts';
import { TwinError } from '../../errors.ts';
import type { FakeWorld } from '../../testing/doubles/fake-twin.ts';
import { incidentWith } from '../../testing/doubles/incident.ts';
import {
  ask,
  faultsOf,
  openTestFront,
  openTestFronts,
  type TestFront,
} from '../../testing/doubles/test-front.ts';
import type { Incident } from '../../twin/wire.ts';
import { PRICES_US } from '../server/prices.ts';
import * as schemas from '../twin/schemas.ts';
import { IncidentPictures, pictured } from './incident-pictures.ts';
import { PictureThread } from './picture-thread.ts';

const PNG = '\x89PNG\r\n\x1a\n';

let front: TestFront;
let world: FakeWorld;

/** An incident of the first car of a world. */
function incidentIn({ fleet, id, city }: FakeWorld, fields: Partial<Incident> = {}): Incident {
  const [lane] = city.lanes;
  const [x, y] = lane?.polyline[0] ?? [0, 0];
  const place = { x, y, road: 'r1', street: 'Quay Street' };
  return incidentWith(fleet[0]?.vin ?? '', { world: id, place, ...fields });
}

beforeEach(() => {
  front = openTestFront({ rateLimits: DEFAULT_RATE_LIMITS });
  world = front.service.add();
  world.incidentList = [incidentIn(world)];
});

afterEach(() => front.close());

const pathOf = (incident: string, of = world) => `/worlds/${of.id}/incidents/${incident}`;

async function picture(incident = 'i1-0', headers: Record<string, string> = {}) {
  const url = `${front.twinUrl}${pathOf(incident)}/preview.png`;
  const answer = await fetch(url, { headers });
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** The content of a tag of the page, with its characters as they are read. */
function contentOf(page: unknown, name: string): string {
  const [, content = ''] =
    new RegExp(`property="og:${name}" content="([^"]*)"`).exec(String(page)) ?? [];
  return content.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}

describe('a link to an incident', () => {
  test('[P34] has title, description and picture of the incident', async () => {
    const { body } = await ask(`${front.twinUrl}/worlds/${world.id}?incident=i1-0`);
    const words = await ask(`${front.twinUrl}${pathOf('i1-0')}/preview.json`);
    expect(faultsOf(schemas.LinkPreview, words.body)).toBeNull();
    const { headline, verdict, description, alt } = words.body as Record<string, string>;
    expect(contentOf(body, 'title')).toBe(`${headline}. ${verdict}.`);
    expect(contentOf(body, 'description')).toBe(description);
    expect(contentOf(body, 'image:alt')).toBe(alt);
    expect(contentOf(body, 'image')).toBe(`${front.twinUrl}${pathOf('i1-0')}/preview.png`);
  });

  test('[P34] has those of the city if it is gone, or if nothing can be told of it', async () => {
    const titleAt = async (query: string) =>
      contentOf((await ask(`${front.twinUrl}/worlds/${world.id}${query}`)).body, 'title');
    const ofCity = await titleAt('');
    expect(ofCity).not.toBe(await titleAt('?incident=i1-0'));
    for (const query of ['?incident=i2-0', '?incident=%22%3E', '?incident=']) {
      expect(await titleAt(query)).toBe(ofCity);
    }
    world.failure = new TwinError('store_unavailable');
    expect(await titleAt('?incident=i1-0')).toBe(ofCity);
  });

  test('writes nothing of an incident as markup', async () => {
    const street = '"><script>&';
    world.incidentList = [incidentIn(world, { place: { ...incidentIn(world).place, street } })];
    const { body } = await ask(`${front.twinUrl}/worlds/${world.id}?incident=i1-0`);
    expect(String(body)).not.toContain(street);
    expect(contentOf(body, 'description')).toContain(street);
  });
});

describe('the picture', () => {
  test('[P34] is a PNG of 1200 × 630, another one for each incident', async () => {
    world.incidentList = [incidentIn(world), incidentIn(world, { id: 'i9-0', explained: false })];
    const { answer, bytes } = await picture();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(bytes.subarray(0, 8).toString('latin1')).toBe(PNG);
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630]);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=86400');
    const other = await picture('i9-0');
    expect(other.bytes.equals(bytes)).toBe(false);
    expect(other.answer.headers.get('cache-control')).toBe('public, max-age=10');
    const known = await picture('i1-0', { 'If-None-Match': answer.headers.get('etag') ?? '' });
    expect([known.answer.status, known.bytes.length]).toEqual([304, 0]);
  });

  test('[P34] is that of the city if the incident is gone, or its world', async () => {
    const page = await ask(`${front.twinUrl}/worlds/${world.id}`);
    const ofCity = await fetch(contentOf(page.body, 'image'));
    const bytes = Buffer.from(await ofCity.arrayBuffer());
    expect(bytes.subarray(0, 8).toString('latin1')).toBe(PNG);
    for (const path of [pathOf('i2-0'), pathOf('nothing'), '/worlds/0000000000/incidents/i1-0']) {
      const gone = await fetch(`${front.twinUrl}${path}/preview.png`);
      expect([gone.status, gone.headers.get('cache-control')]).toEqual([200, 'public, max-age=60']);
      expect(Buffer.from(await gone.arrayBuffer()).equals(bytes)).toBe(true);
    }
    const words = await ask(`${front.twinUrl}${pathOf('i2-0')}/preview.json`);
    expect(words.status).toBe(404);
  });

  test('[P35] neither wakes its world nor counts as use of it', async () => {
    await picture();
    await ask(`${front.twinUrl}${pathOf('i1-0')}/preview.json`);
    expect(world.touches).toBe(0);
    expect(world.asker).toBeUndefined();
    expect(world.replayOrders.map(({ untilContact }) => untilContact)).toEqual([true]);
  });

  test('[P35] is drawn by the node of the world, and every node shows it', async () => {
    const { near, far, close } = openTestFronts();
    try {
      const away = far.service.add();
      away.incidentList = [incidentIn(away)];
      const url = (path: string) => `${near.twinUrl}${path}`;
      const shown = await fetch(url(`${pathOf('i1-0', away)}/preview.png`));
      const bytes = Buffer.from(await shown.arrayBuffer());
      expect(bytes.subarray(0, 8).toString('latin1')).toBe(PNG);
      const { body } = await ask(url(`/worlds/${away.id}?incident=i1-0`));
      expect(contentOf(body, 'title')).toMatch(/ ran into an obstacle\. /);
      expect(contentOf(body, 'image')).toBe(url(`${pathOf('i1-0', away)}/preview.png`));
      const gone = await ask(url(`/worlds/${away.id}?incident=i7-0`));
      expect(contentOf(gone.body, 'title')).not.toMatch(/ ran into /);
    } finally {
      await close();
    }
  });
});

describe('what pictures cost', () => {
  const burstUs = DEFAULT_RATE_LIMITS.workMs.burst * 1000;

  test('[L33] a picture is paid once, by whoever asks first, and a kept one by nobody', async () => {
    const taken: number[] = [];
    const work = {
      ...{ check: () => {}, takeUpToBurst: () => {} },
      spend: (_: string, us: number) => void taken.push(us),
    };
    const drawn: string[] = [];
    const thread = {
      draw: async (address: string, prepare: () => Promise<unknown>) => {
        await prepare();
        drawn.push(address);
        return new Uint8Array(100);
      },
    };
    const pictures = new IncidentPictures(thread, { work } as never);
    const of = pictured(world, incidentIn(world));
    await Promise.all([pictures.png(of, 'a'), pictures.png(of, 'b')]);
    await pictures.png(of, 'c');
    expect(drawn).toEqual(['a']);
    expect(taken).toEqual([PRICES_US.picture]);
  });

  test('[L33] an address that cannot pay gets 429, and its page all the same', async () => {
    // Enough for one.
    world.replayTicks = (0.8 * burstUs) / PRICES_US.tick;
    expect((await picture()).answer.status).toBe(200);
    world.incidentList = [incidentIn(world, { id: 'i9-0' })];
    const { answer } = await picture('i9-0');
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await ask(`${front.twinUrl}/worlds/${world.id}?incident=i9-0`)).status).toBe(200);
  });

  test('[L33] a node has 16 under way', async () => {
    const thread = new PictureThread();
    const never = Promise.withResolvers<never>();
    const draw = (address: number) => thread.draw(String(address), () => never.promise);
    const drawn = Array.from({ length: 16 }, (_, address) => draw(address));
    await expect(draw(16)).rejects.toMatchObject({ status: 503, retryAfterS: 2 });
    never.reject(new TwinError('store_unavailable'));
    for (const each of await Promise.allSettled(drawn)) expect(each.status).toBe('rejected');
    await thread.close();
  });

  test('[L33] an address has four under way', async () => {
    const end = Promise.withResolvers<void>();
    world.replaysEnd = end.promise;
    const ids = Array.from({ length: 5 }, (_, i) => `i${i}-0`);
    world.incidentList = ids.map((id) => incidentIn(world, { id }));
    const answers = ids.map(async (id) => (await picture(id)).answer.status);
    expect(await Promise.race(answers)).toBe(429);
    end.resolve();
    expect((await Promise.all(answers)).toSorted()).toEqual([200, 200, 200, 200, 429]);
  });
});
