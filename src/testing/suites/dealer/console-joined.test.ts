import { beforeAll, describe, expect, test } from 'vitest';
import type { Car } from '../../../../build/api/dealer.d.ts';
import { barriers } from '../../rigs/barriers.ts';
import { ADMIN, CUSTOMER, DEALER, serveConsole } from '../../rigs/console.ts';
import { until } from '../../rigs/until.ts';
import { Api } from '../twin/api.ts';
import type { World } from '../twin/wire.ts';
import { complaintsOf, openBeside, visitAs } from './console-visitor.ts';
import { DealerApi } from './dealer-api.ts';

const served = serveConsole();

/** A collision comes soon. */
const JOURNAL = {
  seed: 9,
  city: 'grid',
  changes: [{ tick: 0, car: 2, features: { brakes: false } }],
} as const;

let twin: Api;
let dealers: DealerApi;
let nordbil: string;
beforeAll(async () => {
  twin = new Api(served.node.twinUrl);
  dealers = new DealerApi(served.node.dealerUrl);
  nordbil = await dealers.logIn('nordbil', 'dealer');
});

/** Puts a car of a world into Nordbil's fleet. */
async function added(world: World, car: number): Promise<Car> {
  const json = { vin: world.fleet[car]?.vin };
  return dealers.get<Car>('POST /api/cars/add-to-fleet', { token: nordbil, json });
}

describe('[P30] a car that drives in a city', () => {
  test('is shown with speed, street and last collision, which leads to its report', async () => {
    const world = await twin.makeWorld({ journal: JOURNAL, start_tick: 1 });
    const { vin, plate } = await added(world, 2);
    const page = await visitAs(served, `cars/${vin}`, DEALER);
    const drives = page.getByRole('region', { name: 'In a city' });
    await drives.getByText(/^(\d+ km\/h|standing|crashed), \S/).waitFor();
    const incident = await until('a collision', async () =>
      (await twin.world('Incidents', world, '/incidents')).at(0),
    );
    expect(incident.vehicles.map((each) => each.vin)).toContain(vin);
    const why = drives.getByRole('link', { name: /^See why/ });
    await why.waitFor();
    expect(await why.getAttribute('href')).toBe(`${world.viewer_url}#incident=${incident.id}`);

    await page.goto(`${served.node.dealerUrl}/#/cars`);
    const row = page.getByRole('row', { name: String(plate) });
    await row.getByText(/, \S/).first().waitFor();
    await row
      .getByRole('link', { name: String(plate) })
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: String(plate) }).waitFor();
  });

  test('has its remote flags in the viewer for whoever comes from the console, and for nobody else', async () => {
    const world = await twin.makeWorld({ start_tick: 500 });
    const { vin } = await added(world, 4);
    const patch = { token: nordbil, json: { locked: true, charging: true } };
    await dealers.get(`PATCH /api/cars/${vin}/state`, patch);
    const page = await visitAs(served, `cars/${vin}`, DEALER);
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: /^Watch it drive/ }).click();
    const viewer = await opened;
    const flags = viewer.getByLabel('Remote flags');
    await flags.waitFor();
    expect(await flags.innerText()).toMatch(/nordbil\s+Doors\s+Locked[\s\S]*Charging$/);
    await viewer.getByText('They do not affect how the car drives.').waitFor();
    expect(await barriers(viewer)).toEqual([]);
    // The session is in no address and in no storage of the twin.
    const token = await page.evaluate(() => JSON.parse(sessionStorage.session).token as string);
    const kept = await viewer.evaluate(
      'JSON.stringify([{ ...sessionStorage }, { ...localStorage }, location.href])',
    );
    expect(kept).not.toContain(token);

    // A change at the dealer is seen, and the car drives on as before.
    await dealers.get(`PATCH /api/cars/${vin}/state`, { token: nordbil, json: { locked: false } });
    await flags.getByText('Unlocked').waitFor();
    expect((await twin.world('Journal', world, '/journal')).changes).toEqual([]);

    const stranger = await openBeside(viewer);
    await stranger.getByRole('link', { name: 'Add to a fleet' }).waitFor();
    expect(await stranger.getByLabel('Remote flags').count()).toBe(0);
  });

  test('is added from the viewer to a fleet, and found in the console', async () => {
    const world = await twin.makeWorld({ start_tick: 500 });
    const { vin = '', plate = '' } = world.fleet[7] ?? {};
    const page = await visitAs(served, '', DEALER);
    await page.goto(`${world.viewer_url}#car=${vin}`);
    const link = page.getByRole('link', { name: 'Add to a fleet' });
    await link.waitFor();
    await page.goto(String(await link.getAttribute('href')));
    expect(await page.getByLabel('VIN', { exact: true }).inputValue()).toBe(vin);
    await page.getByRole('button', { name: 'Add to fleet' }).click();
    await page.getByText('is in the fleet of nordbil now').waitFor();

    await page.goto(`${world.viewer_url}#car=${vin}`);
    const open = page.getByRole('link', { name: 'Open in the dealer console' });
    await page.goto(String(await open.getAttribute('href')));
    await page.getByRole('heading', { level: 1, name: plate }).waitFor();
    await page.getByText('put it into a fleet').waitFor();
  });
});

describe('[P31] many cars', () => {
  const fleet = async () => {
    const cars = await dealers.get<Car[]>('GET /api/cars', { token: nordbil });
    return cars.filter(({ dealer }) => dealer === 'nordbil');
  };
  const flagsOf = async (flag: 'locked' | 'climate' | 'charging') =>
    (await fleet()).map((car) => car[flag]);

  test('are found by their state, switched together, and switched back', async () => {
    const page = await visitAs(served, 'cars', DEALER);
    const shown = async () => (await page.locator('tbody .vin .mono').allInnerTexts()).toSorted();
    const vinsOf = (some: Car[]) => some.map(({ vin }) => vin).toSorted();
    const all = await fleet();
    const warm = all.filter(({ climate }) => climate);
    expect(warm.length).toBeGreaterThan(0);
    expect(warm.length).toBeLessThan(all.length);
    await page.getByRole('button', { name: 'Being warmed' }).click();
    expect(await shown()).toEqual(vinsOf(warm));
    await page.getByRole('button', { name: 'All', exact: true }).click();
    expect(await shown()).toEqual(vinsOf(all));
    const before = await flagsOf('climate');
    await page.getByRole('button', { name: /^Choose all/ }).click();
    await page.getByRole('button', { name: 'Keep warm' }).click();
    await page.getByText(/cars are being kept warm\.$/).waitFor();
    expect(new Set(await flagsOf('climate'))).toEqual(new Set([true]));
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(/no longer kept warm\.$/).waitFor();
    expect(await flagsOf('climate')).toEqual(before);
  });

  test('that cannot be switched are told, and the others stay switched', async () => {
    const page = await visitAs(served, 'cars', DEALER);
    await page.getByRole('button', { name: /^Choose all/ }).click();
    let asked = 0;
    await page.route('**/state', (route) => (++asked === 2 ? route.abort() : route.continue()));
    await page.getByRole('button', { name: 'Charge', exact: true }).click();
    await page.getByText(/^1 car of \d+ could not be switched\./).waitFor();
    expect((await flagsOf('charging')).filter((isOn) => !isOn)).toHaveLength(1);
  });

  test('one is switched back by a button', async () => {
    const vin = 'DEMCAR00000000001';
    const page = await visitAs(served, 'cars', CUSTOMER);
    const lock = page.getByRole('switch', { name: 'Locked' });
    const was = await lock.getAttribute('aria-checked');
    await lock.click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(
      'the lock is as before',
      async () => (await lock.getAttribute('aria-checked')) === was,
    );
    await page
      .getByRole('link', { name: /\w/ })
      .filter({ has: page.locator('.plate') })
      .click();
    await page
      .getByText(/anna switched the lock/)
      .first()
      .waitFor();
    expect(page.url()).toContain(vin);
  });
});

test('[P30] a customer has a trail of the own profile, an admin that of every customer', async () => {
  const anna = await visitAs(served, 'profile', CUSTOMER);
  await anna.getByLabel('Phone', { exact: true }).fill('+46 1');
  await anna.getByRole('button', { name: 'Save' }).click();
  await anna.getByText('anna changed phone').waitFor();
  const admin = await visitAs(served, 'customers/anna', ADMIN);
  await admin.getByText('anna changed phone').waitFor();
  await admin.getByRole('link', { name: /AAA/ }).waitFor();
});

test('nothing was asked of anybody else, and no page broke its policy', () => {
  expect(served.browser.foreign).toEqual([]);
  // This browser has no graphics, and one request was kept from the service.
  const expected = /^THREE.WebGLRenderer|ERR_FAILED/;
  expect(complaintsOf(served).filter((text) => !expected.test(text))).toEqual([]);
});
