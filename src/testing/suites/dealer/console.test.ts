import { describe, expect, test } from 'vitest';
import type { Car, Token } from '../../../../build/api/dealer.d.ts';
import { ADMIN, CUSTOMER, DEALER, type Login, serveConsole } from '../../rigs/console.ts';
import { Api } from '../twin/api.ts';
import { complaintsOf, faultOf, openBeside, visit, visitAs } from './console-visitor.ts';
import { DealerApi } from './dealer-api.ts';

const served = serveConsole();

/** What the dealer platform answers an account. */
async function ask<T>(login: Login, call: string, json?: unknown): Promise<T> {
  const api = new DealerApi(served.node.dealerUrl);
  const body = new URLSearchParams({ username: login[0], password: login[1] });
  const { access_token: token } = await api.get<Token>('POST /api/token', { body });
  return api.get<T>(call, { token, json });
}

async function carOf(vin: string): Promise<Car | undefined> {
  return (await ask<Car[]>(ADMIN, 'GET /api/cars')).find((car) => car.vin === vin);
}

describe('a visitor', () => {
  test('[P17] signs up with a dealer and finds a profile to fill in, which is kept', async () => {
    const page = await visit(served);
    const nordbil = page.getByRole('row', { name: /Nordbil/ });
    await nordbil.getByRole('link', { name: /Sign up/ }).click();
    await page.getByLabel('Name', { exact: true }).fill('Berit Ek');
    await page.getByLabel('Username').fill('berit');
    await page.getByLabel('Password').fill('customer-demo');
    await page.getByLabel('Email').fill('berit@example.com');
    expect(await page.getByLabel('Dealer').inputValue()).toBe('nordbil');
    await page.getByRole('button', { name: 'Sign up' }).click();

    await page.getByRole('heading', { name: 'Your profile' }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Berit Ek');
    await page.getByLabel('IBAN').fill('SE00 0000 0000 0000 0000 9999');
    await page.getByLabel('Home, latitude').fill('59.5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your profile is saved.').waitFor();

    await page.reload();
    await page.getByRole('heading', { name: 'Your profile' }).waitFor();
    expect(await page.getByLabel('IBAN').inputValue()).toBe('SE00 0000 0000 0000 0000 9999');
    expect(await page.getByLabel('Home, latitude').inputValue()).toBe('59.5');
    await page.getByLabel('Home, latitude').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your profile is saved.').waitFor();
    const profile = await ask(['berit', 'customer-demo'], 'GET /api/me/profile');
    expect(profile).toMatchObject({ dealer: 'nordbil', home_lat: null, phone: '' });
  });

  test('[P18] is shown each fault at its field, and led to the first', async () => {
    const page = await visit(served, 'sign-up?dealer=nordbil');
    await page.getByLabel('Name', { exact: true }).fill('Berit Ek');
    await page.getByLabel('Username').fill('Bad Name');
    await page.getByLabel('Password').fill('1234');
    await page.getByLabel('Email').fill('berit.example.com');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.locator('[aria-invalid="true"]').first().waitFor();
    expect(await faultOf(page.getByLabel('Username'))).toBe(
      'Should have only small letters, digits and underscores',
    );
    expect(await faultOf(page.getByLabel('Email'))).toBe('An email address must have an @-sign.');
    for (const fine of ['Name', 'Password', 'Phone', 'Address', 'Dealer']) {
      expect(await faultOf(page.getByLabel(fine, { exact: true }))).toBe('');
    }
    const focused = page.locator(':focus');
    expect(await focused.getAttribute('name')).toBe('username');
    await focused.fill('anna');
    expect(await faultOf(page.getByLabel('Username'))).toBe('');
    await page.getByLabel('Email').fill('other@example.com');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('alert').getByText('The username is taken.').waitFor();
  });

  test('gets in with one click as somebody of the demo, and out again', async () => {
    const page = await visit(served);
    await page.getByRole('button', { name: 'Anna Lind' }).click();
    await page.getByRole('heading', { name: 'Your cars' }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Our dealers' }).waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  test('is told how long to wait', async () => {
    const page = await visit(served, 'log-in');
    await page.route('**/api/token', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'Retry-After': '7' },
        json: { detail: 'Too many failed log-ins.' },
      }),
    );
    await page.getByRole('button', { name: 'Anna Lind' }).click();
    const said = await page.getByRole('alert').innerText();
    expect(said).toBe('Too many failed log-ins. Please wait 7 seconds before you try again.');
  });

  test('keeps the theme that was chosen', async () => {
    const page = await visit(served);
    const ground = () =>
      page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const light = await ground();
    await page.getByRole('button', { name: 'Use the dark theme' }).click();
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole('button', { name: 'Use the light theme' }).click();
    expect(await ground()).toBe(light);
  });
});

test('[P30] a customer finds cars by their plates, and is told what their switches do', async () => {
  const page = await visitAs(served, 'cars', CUSTOMER);
  const car = page.getByRole('listitem', { name: 'AAA 101' });
  await car.waitFor();
  const said = await car.innerText();
  expect(said.indexOf('AAA 101')).toBeGreaterThanOrEqual(0);
  expect(said.indexOf('DEMCAR00000000001')).toBeGreaterThan(said.indexOf('AAA 101'));
  const lead =
    'Whoever opens a car’s city from here sees there what you switch. ' +
    'It does not change how the car drives.';
  await page.getByText(lead).waitFor();

  await page.getByRole('link', { name: 'Profile' }).click();
  const policy = page.getByLabel('Insurance policy');
  await policy.waitFor();
  expect(await policy.inputValue()).toBe('DEMO-ANNA-0001');
});

test('[P18] a word where a number belongs is answered with an example of one', async () => {
  const page = await visitAs(served, 'profile', CUSTOMER);
  const latitude = page.getByLabel('Home, latitude');
  await latitude.fill('north');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('[aria-invalid="true"]').waitFor();
  expect(await faultOf(latitude)).toBe('Enter a number, such as 59.33');
});

describe('a dealer', () => {
  test('[P17] adds a living car by its VIN and sets an owner, who locks it', async () => {
    const world = await new Api(served.node.twinUrl).makeWorld();
    const { vin = '', model = '', plate = '' } = world.fleet[0] ?? {};
    const dealer = await visitAs(served, 'cars', DEALER);
    await dealer.getByLabel('VIN', { exact: true }).fill(` ${vin.toLowerCase()} `);
    await dealer.getByRole('button', { name: 'Add to fleet' }).click();
    await dealer.getByText(`is in the fleet of nordbil now`).waitFor();

    const row = dealer.getByRole('row', { name: plate });
    expect(await row.innerText()).toContain(model);
    const watch = row.getByRole('link', { name: /^Watch it drive/ });
    expect(await watch.getAttribute('href')).toBe(`${world.viewer_url}#car=${vin}`);
    await row.getByRole('button', { name: `Owner of ${plate}` }).click();
    await dealer.getByLabel('Email of the owner').fill('anna@example.com');
    await dealer.getByLabel('Since').fill('2026-03-02');
    await dealer.getByRole('button', { name: 'Set the owner' }).click();
    await dealer.getByText(`${plate} belongs to anna@example.com now.`).waitFor();
    expect(await row.innerText()).toContain('anna, since 2 Mar 2026');

    const owner = await visitAs(served, 'cars', CUSTOMER);
    const lock = owner
      .getByRole('listitem', { name: plate })
      .getByRole('switch', { name: 'Locked' });
    await lock.waitFor();
    expect(await lock.getAttribute('aria-checked')).toBe('false');
    await lock.focus();
    await owner.keyboard.press('Space');
    await owner.getByText(`${plate} is locked.`).waitFor();
    expect(await lock.getAttribute('aria-checked')).toBe('true');
    expect(await carOf(vin)).toMatchObject({ locked: true, owner: { username: 'anna' } });
  });

  test('is told where nobody has the email, and can take the owner away', async () => {
    const vin = 'DEMCAR00000000033';
    const page = await visitAs(served, 'cars', DEALER);
    const row = page.getByRole('row', { name: vin });
    await row.getByRole('button', { name: /^Owner of/ }).click();
    await page.getByLabel('Email of the owner').fill('nobody');
    await page.getByRole('button', { name: 'Set the owner' }).click();
    await page.locator('[aria-invalid="true"]').waitFor();
    expect(await faultOf(page.getByLabel('Email of the owner'))).toContain('@-sign');
    await page.getByLabel('Email of the owner').fill('nobody@example.com');
    await page.getByRole('button', { name: 'Set the owner' }).click();
    await page.getByText('No account has the email nobody@example.com').waitFor();
    await page.getByRole('button', { name: 'Remove the owner' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await carOf(vin))?.owner).toBeNull();
  });

  test('finds and sorts cars', async () => {
    const page = await visitAs(served, 'cars', ['vastauto', 'dealer-demo']);
    const table = page.getByRole('table', { name: 'Own fleet' });
    await table.waitFor();
    const vins = () => table.locator('tbody .vin .mono').allInnerTexts();
    const all = await vins();
    expect(all.length).toBe(10);
    await table.getByRole('button', { name: 'VIN', exact: true }).click();
    await expect.poll(vins).toEqual(all.toSorted());
    await table.getByRole('button', { name: 'VIN', exact: true }).click();
    await expect.poll(vins).toEqual(all.toSorted().reverse());
    const head = table.getByRole('columnheader', { name: 'VIN' });
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    await page.getByLabel('Filter own fleet').fill('erik@ vela');
    await expect.poll(vins).toEqual(['DEMCAR00000000002']);
    await page.getByLabel('Filter own fleet').fill('no such car');
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await expect.poll(async () => (await vins()).length).toBe(10);
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Filter own fleet');
    await page.getByRole('tab', { name: 'Own fleet (10)' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('table', { name: 'All cars' }).waitFor();
    expect(await page.locator('tbody tr').count()).toBeGreaterThanOrEqual(40);
  });

  test('[P18] goes on where the session ended, with what was typed', async () => {
    const page = await visitAs(served, 'cars', DEALER);
    const vin = page.getByLabel('VIN', { exact: true });
    await vin.fill('DEMCAR00000000099');
    const kept = await page.evaluate(() => sessionStorage.getItem('session'));
    const { token } = JSON.parse(kept ?? '') as { token: string };
    await fetch(`${served.node.dealerUrl}/api/auth/logout`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
    });
    await page.getByRole('button', { name: 'Add to fleet' }).click();
    const dialog = page.getByRole('dialog', { name: 'Please log in again' });
    await dialog.waitFor();
    expect(await dialog.getByLabel('Username').inputValue()).toBe(DEALER[0]);
    await dialog.getByLabel('Password').fill(DEALER[1]);
    await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await vin.inputValue()).toBe('DEMCAR00000000099');
    await page.getByRole('button', { name: 'Add to fleet' }).click();
    await page.getByText('DEMCAR00000000099 is in the fleet of nordbil now.').waitFor();
  });

  test('[P26] has the session in a new tab, and none in any after the log-out, which all say', async () => {
    const page = await visitAs(served, 'cars', DEALER);
    const other = await openBeside(page);
    for (const each of [page, other]) {
      // An error stays until it is closed.
      await each.route('**/state', (route) => route.fulfill({ status: 503, json: {} }));
      await each
        .getByRole('switch', { name: /^Locked, / })
        .first()
        .click();
      await each.locator('.toast').getByText('could not be switched').waitFor();
    }
    await other.getByRole('button', { name: 'Log out' }).click();
    for (const each of [page, other]) await each.getByRole('heading', { name: 'Log in' }).waitFor();
    // What was said to whoever has left is gone.
    const told = page.getByText('You logged out in another tab');
    await told.waitFor();
    expect(await page.locator('.toast').count()).toBe(1);
    expect(await other.locator('.toast').count()).toBe(0);
    const late = await openBeside(page);
    expect(await late.getByRole('button', { name: 'Log out' }).count()).toBe(0);
    await page.getByLabel('Username').fill(DEALER[0]);
    await page.getByLabel('Password').fill(DEALER[1]);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByRole('heading', { name: 'Your fleet' }).waitFor();
    expect(await told.count()).toBe(0);
    await page.context().close();
  });

  test('[P26] is asked before something that is no VIN becomes a car, and removes it again', async () => {
    const page = await visitAs(served, 'cars', DEALER);
    const vin = page.getByLabel('VIN', { exact: true });
    const add = page.getByRole('button', { name: 'Add to fleet' });
    await vin.fill('DEMCAR00000000098');
    await add.click();
    const before = page.getByText('DEMCAR00000000098 is in the fleet of nordbil now.');
    await before.waitFor();
    await vin.fill('abc');
    await add.click();
    await page.getByText('A VIN has 17 letters and digits').waitFor();
    // What was said of another car is not said beside it.
    expect(await before.count()).toBe(0);
    expect(await carOf('abc')).toBeUndefined();
    await add.click();
    await page.getByText('abc is in the fleet of nordbil now.').waitFor();
    await page.getByRole('button', { name: 'Remove abc' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove abc' }).click();
    await page.getByText('abc is removed.').waitFor();
    expect(await carOf('abc')).toBeUndefined();
    await page.context().close();
  });

  test('can try again where the service did not answer', async () => {
    const page = await visitAs(served, 'profile', DEALER);
    await page.route('**/api/customers', (route) => route.fulfill({ status: 503, json: {} }));
    await page.getByRole('link', { name: 'Customers' }).click();
    await page.getByRole('alert').getByText('Could not load the customers.').waitFor();
    await page.unroute('**/api/customers');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'Anna Lind' }).click();
    await page.getByRole('heading', { name: 'Anna Lind' }).waitFor();
    expect(await page.getByText('hidden from dealers').count()).toBe(3);
  });
});

describe('an admin', () => {
  test('sees the names of the columns beside the last of many cars', async () => {
    const page = await visitAs(served, 'cars', ADMIN);
    const last = page.getByRole('table', { name: 'Cars' }).locator('tbody tr').last();
    await last.scrollIntoViewIfNeeded();
    const heads = await page.locator('.table-scroll').evaluate((frame) => {
      const { top } = frame.getBoundingClientRect();
      return [...frame.querySelectorAll('thead th')].map((head) => ({
        scrolled: frame.scrollTop > 0,
        offsetPx: Math.round(head.getBoundingClientRect().top - top),
      }));
    });
    expect(heads.length).toBeGreaterThan(8);
    for (const each of heads) expect(each).toEqual({ scrolled: true, offsetPx: 1 });
  });

  test('[P17] makes a dealer and deletes it again; its car goes to another', async () => {
    const page = await visitAs(served, 'dealers', ADMIN);
    await page.getByRole('button', { name: 'New dealer' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Kustbil');
    await page.getByLabel('City').fill('Kalmar');
    await page.getByLabel('Username').fill('kustbil');
    await page.getByLabel('Password').fill('x');
    await page.getByRole('button', { name: 'Add the dealer' }).click();
    await page.locator('[aria-invalid="true"]').waitFor();
    expect(await faultOf(page.getByLabel('Password'))).toBe('Should have at least 3 characters');
    await page.getByLabel('Password').fill('dealer-demo');
    await page.getByRole('button', { name: 'Add the dealer' }).click();
    await page.getByText('Kustbil is a dealer now.').waitFor();
    const vin = 'DEMCAR00000000777';
    await ask(['kustbil', 'dealer-demo'], 'POST /api/cars/add-to-fleet', { vin });

    await page.getByRole('button', { name: 'Delete Kustbil' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete Kustbil' }).click();
    await dialog.getByText('Choose what becomes of its cars and customers.').waitFor();
    await page.getByLabel('Cars and customers').selectOption('vastauto');
    await dialog.getByRole('button', { name: 'Delete Kustbil' }).click();
    const told = 'Kustbil is deleted; 1 car and 0 customers went to vastauto.';
    await page.getByText(told).waitFor();
    await page.getByRole('row', { name: /Kustbil/ }).waitFor({ state: 'detached' });
    expect(await carOf(vin)).toMatchObject({ dealer: 'vastauto' });
  });

  test('is led to the field where the fleet is missing', async () => {
    const page = await visitAs(served, 'cars', ADMIN);
    await page.getByLabel('VIN', { exact: true }).fill('DEMCAR00000000888');
    await page.getByRole('button', { name: 'Add to fleet' }).click();
    const fleet = page.getByLabel('Fleet of');
    await page.locator('[aria-invalid="true"]').waitFor();
    expect(await faultOf(fleet)).toBe('Please fill this in');
    await fleet.selectOption('sydmotor');
    await page.getByRole('button', { name: 'Add to fleet' }).click();
    await page.getByText('DEMCAR00000000888 is in the fleet of sydmotor now.').waitFor();
  });

  test('has to give only the current password to change a name or password', async () => {
    const page = await visitAs(served, 'profile', ADMIN);
    const isRequired = (label: string) => page.getByLabel(label).getAttribute('aria-required');
    const fields = ['Username', 'New password', 'Current password'];
    expect(await Promise.all(fields.map(isRequired))).toEqual(['false', 'false', 'true']);
  });

  test('restores the demo data only with the word typed, and stays logged in', async () => {
    const page = await visitAs(served, 'profile', ADMIN);
    await page.getByLabel('Username').fill('boss');
    await page.getByLabel('Current password').fill('wrong');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('The current password is wrong.').waitFor();
    await page.getByLabel('Current password').fill(ADMIN[1]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('You are logged in as boss.').waitFor();

    await page.getByRole('link', { name: 'Platform' }).click();
    await page.getByRole('button', { name: 'Reset everything' }).click();
    await page.getByText('Type “reset” to confirm.').waitFor();
    await page.getByLabel('Type “reset” to confirm').fill('reset');
    await page.getByRole('button', { name: 'Reset everything' }).click();
    await page.getByText('The demo data is restored: 4 dealers, 24 customers, 40 cars.').waitFor();
    await page.getByRole('link', { name: 'Profile' }).click();
    await page.getByText('You are logged in as admin.').waitFor();
  });
});

test('[P3] nothing was asked of anybody else, and no page broke its policy', () => {
  expect(served.browser.foreign).toEqual([]);
  expect(complaintsOf(served)).toEqual([]);
});
