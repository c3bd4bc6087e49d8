import type { CarRecord, CustomerRecord, DealerRecord, Role, SecretField } from './records.ts';

/** The published log-ins; all accounts of a role share a password. */
export const DEMO_ADMIN = 'admin';
export const DEMO_PASSWORDS = {
  admin: 'admin-demo',
  dealer: 'dealer-demo',
  user: 'customer-demo',
} as const;

/** Whether anybody may know a password, because the pages and the documentation show it. */
export function isPublished(password: string): boolean {
  return (Object.values(DEMO_PASSWORDS) as string[]).includes(password);
}

/** Published passwords may be used unless demo mode is off, or the admin has a password of its own. */
export function isRefused(
  { demo, adminPassword }: { demo: boolean; adminPassword?: string },
  role: Role,
  password: string,
): boolean {
  const isKnown = demo && (role !== 'admin' || adminPassword === undefined);
  return !isKnown && isPublished(password);
}

/** Creation time of the admin account; the other accounts follow. */
export const FIRST_DAY_MS = Date.UTC(2026, 0, 5, 8);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type DemoDealer = Pick<DealerRecord, 'username' | 'name' | 'city' | 'createdAtMs'>;

export interface DemoCustomer
  extends Pick<CustomerRecord, 'username' | 'dealer' | 'profile' | 'createdAtMs'> {
  secrets: Record<SecretField, string>;
}

export interface DemoCar extends Omit<CarRecord, 'owner'> {
  owner: { username: string; since: string } | null;
}

const HOUSES = [
  { username: 'nordbil', name: 'Nordbil', city: 'Stockholm', lat: 59.3293, lng: 18.0686 },
  { username: 'vastauto', name: 'Västauto', city: 'Göteborg', lat: 57.7089, lng: 11.9746 },
  { username: 'sydmotor', name: 'Sydmotor', city: 'Malmö', lat: 55.605, lng: 13.0038 },
  { username: 'fjallbilar', name: 'Fjällbilar', city: 'Umeå', lat: 63.8258, lng: 20.263 },
] as const;

const PEOPLE = [
  ['anna', 'Anna Lind'],
  ['erik', 'Erik Berg'],
  ['maria', 'Maria Holm'],
  ['lars', 'Lars Ek'],
  ['sara', 'Sara Dahl'],
  ['johan', 'Johan Sund'],
  ['emma', 'Emma Nord'],
  ['nils', 'Nils Strand'],
  ['karin', 'Karin Björk'],
  ['oskar', 'Oskar Falk'],
  ['linnea', 'Linnéa Hed'],
  ['gustav', 'Gustav Lund'],
  ['ida', 'Ida Sjö'],
  ['viktor', 'Viktor Rask'],
  ['elin', 'Elin Åberg'],
  ['axel', 'Axel Frost'],
  ['hanna', 'Hanna Vik'],
  ['filip', 'Filip Ström'],
  ['maja', 'Maja Öberg'],
  ['anton', 'Anton Skog'],
  ['klara', 'Klara Quist'],
  ['hugo', 'Hugo Malm'],
  ['astrid', 'Astrid Borg'],
  ['sven', 'Sven Kvist'],
] as const;

const MODELS = ['Lumen City', 'Aurora Vela', 'Corvane S4', 'Halden Terra', 'Solis Meridian'];
const COLOURS = ['white', 'silver', 'black', 'steelblue', 'seagreen', 'firebrick', 'goldenrod'];
const PLATE_LETTERS = 'ABCDEFGHJKLMNPRSTUWXYZ';
const CAR_COUNT = 40;

/** A published log-in. */
export interface DemoLogin {
  role: keyof typeof DEMO_PASSWORDS;
  username: string;
  name: string;
  password: string;
}

function pick<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}

function digits(value: number, count: number): string {
  return String(value).padStart(count, '0');
}

export const DEMO_DEALERS: readonly DemoDealer[] = HOUSES.map(({ username, name, city }, i) => ({
  username,
  name,
  city,
  createdAtMs: FIRST_DAY_MS + (i + 1) * HOUR_MS,
}));

/** Invented people. Their numbers are impossible: dates of birth in the future, no such bank. */
export const DEMO_CUSTOMERS: readonly DemoCustomer[] = PEOPLE.map(([username, name], i) => {
  const house = pick(HOUSES, i);
  return {
    username,
    dealer: house.username,
    profile: {
      name,
      email: `${username}@example.com`,
      phone: `+46 70 000 ${digits(i + 1, 2)} 00`,
      address: `Storgatan ${i + 1}, ${house.city}`,
      emergency_contact: pick(PEOPLE, i + 1)[1],
      emergency_phone: `+46 70 000 ${digits(((i + 1) % PEOPLE.length) + 1, 2)} 00`,
      insurance_policy: `DEMO-${username.toUpperCase()}-${digits(i + 1, 4)}`,
      home_lat: house.lat + i / 1000,
      home_lng: house.lng - i / 1000,
      work_lat: house.lat,
      work_lng: house.lng,
    },
    secrets: {
      personnummer: `2090${digits((i % 12) + 1, 2)}${digits(i + 1, 2)}-0000`,
      iban: `SE00 0000 0000 0000 0000 ${digits(i + 1, 4)}`,
      charging_card_rfid: `DE${digits(i + 1, 2)}0000`,
    },
    createdAtMs: FIRST_DAY_MS + DAY_MS + i * HOUR_MS,
  };
});

/** The admin, the dealers and a customer of each. */
const DEMO_LOGINS: readonly DemoLogin[] = [
  { role: 'admin', username: DEMO_ADMIN, name: 'Platform admin', password: DEMO_PASSWORDS.admin },
  ...HOUSES.map(({ username, name }) => loginOf('dealer', username, name)),
  ...PEOPLE.slice(0, HOUSES.length).map(([username, name]) => loginOf('user', username, name)),
];

/** The log-ins that the console offers. */
export function publishedLogins({
  demo,
  adminPassword,
}: {
  demo: boolean;
  adminPassword?: string;
}): readonly DemoLogin[] {
  if (!demo) return [];
  return DEMO_LOGINS.filter(({ role }) => role !== 'admin' || adminPassword === undefined);
}

function loginOf(role: 'dealer' | 'user', username: string, name: string): DemoLogin {
  return { role, username, name, password: DEMO_PASSWORDS[role] };
}

/** Ten cars in each fleet. The first of them belong to the dealer's customers, one each. */
export const DEMO_CARS: readonly DemoCar[] = Array.from({ length: CAR_COUNT }, (_, i) => {
  const owner = DEMO_CUSTOMERS[i];
  const letter = (step: number) => PLATE_LETTERS[(i * step) % PLATE_LETTERS.length];
  return {
    vin: `DEMCAR${digits(i + 1, 11)}`,
    model: pick(MODELS, i),
    plate: `${letter(1)}${letter(3)}${letter(5)} ${digits((i * 37 + 101) % 1000, 3)}`,
    colour: pick(COLOURS, i),
    dealer: pick(HOUSES, i).username,
    owner: owner ? { username: owner.username, since: `2026-02-${digits(i + 1, 2)}` } : null,
    locked: i % 3 !== 0,
    climate: i % 5 === 0,
    charging: i % 4 === 1,
    updatedAtMs: FIRST_DAY_MS + 30 * DAY_MS + i * HOUR_MS,
  };
});
