import { createCanvas, loadImage } from '@napi-rs/canvas';
import { beforeAll, describe, expect, test } from 'vitest';
import { at } from '../city/geometry.ts';
import { loadCities } from '../load-cities.ts';
import { incidentWith } from '../testing/doubles/incident.ts';
import { fleetOf } from '../twin/fleet.ts';
import { previewOf } from '../twin/link-preview.ts';
import type { Incident, Snapshot } from '../twin/wire.ts';
import { type PictureTask, pictureOf } from './picture.ts';
import { surroundingsOf } from './surroundings.ts';

const city = at(loadCities().cities, 0);
const fleet = fleetOf(7, 1);
const { vin } = at(fleet, 0);
const lane = at(city.lanes, 0);
const [x, y] = at(lane.polyline, 0);
const place = { x, y, road: 'r1', street: 'Quay Street' };
const failures: Incident['failures'] = [
  { vin, feature: 'aeb', restores: [], effect: 'avoids', set: 0, explanation: 'aeb was off.' },
];

/** Frames in which the car drives east, up to so many metres before the contact. */
function framesUpTo(shortM: number): { frames: Uint8Array } {
  const frames = Array.from({ length: 40 }, (_, i) => {
    const car = { vin, x: x - shortM - 0.8 * (39 - i), y, heading: 0 };
    return { tick: 4 * i, vehicles: [car], hazards: [] } as unknown as Snapshot;
  });
  return { frames: Buffer.from(JSON.stringify(frames).slice(1, -1)) };
}

function taskOf(fields: Partial<Incident>, more: Partial<PictureTask> = {}): PictureTask {
  const incident = { ...incidentWith(vin, { place, failures }), ...fields };
  const preview = previewOf(incident, city.hazards);
  const surroundings = surroundingsOf(city, [x, y]);
  const replays = { asItWas: framesUpTo(2), asItWouldHaveBeen: undefined };
  return { incident, preview, fleet, surroundings, ...replays, ...more };
}

/** Every pixel of a PNG, as red, green and blue. */
async function pixelsOf(png: Uint8Array): Promise<Uint8ClampedArray> {
  const image = await loadImage(Buffer.from(png));
  const context = createCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, image.width, image.height).data;
}

/** How many pixels are about of this colour. */
async function countOf(png: Uint8Array, colour: readonly number[]): Promise<number> {
  const data = await pixelsOf(png);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (colour.every((value, part) => Math.abs((data[i + part] ?? 0) - value) < 12)) count++;
  }
  return count;
}

const CONTACT = [255, 214, 64];
const GHOST_LABEL = [15, 122, 85];
const GOOD_VERDICT = [211, 239, 221];

describe('the picture of an incident', () => {
  let plain: Uint8Array;
  beforeAll(async () => {
    plain = await pictureOf(taskOf({}));
  });

  test('[P34] is a PNG of 1200 × 630 with the place of the contact and the verdict', async () => {
    const bytes = Buffer.from(plain);
    expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630]);
    expect(await countOf(plain, CONTACT)).toBeGreaterThan(1000);
    expect(await countOf(plain, GOOD_VERDICT)).toBeGreaterThan(5000);
  });

  test('[P34] shows the ghost of the car where one would have been', async () => {
    expect(await countOf(plain, GHOST_LABEL)).toBeLessThan(100);
    const ghost = { ...framesUpTo(9), vins: [vin] };
    const haunted = await pictureOf(taskOf({}, { asItWouldHaveBeen: ghost }));
    expect(await countOf(haunted, GHOST_LABEL)).toBeGreaterThan(2000);
  });

  test('is the same for the same incident, and another for another one', async () => {
    expect(Buffer.from(await pictureOf(taskOf({}))).equals(plain)).toBe(true);
    const other = await pictureOf(taskOf({ explained: false, failures: [] }));
    expect(Buffer.from(other).equals(plain)).toBe(false);
  });

  test('shows the place and the car where the collision cannot be replayed', async () => {
    const still = await pictureOf(taskOf({}, { asItWas: undefined }));
    expect(await countOf(still, CONTACT)).toBeGreaterThan(1000);
  });
});
