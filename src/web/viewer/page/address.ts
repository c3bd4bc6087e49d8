/** The state of the page that its address holds, so that a link reproduces it. */

export interface Address {
  world: string;
  /** VIN of the picked car. */
  car: string | null;
  /** Id of the open incident. */
  incident: string | null;
}

type Parts = Pick<URL, 'pathname' | 'search' | 'hash'>;

/** Reads `/worlds/{id}#incident=…&car=…`; the query may hold the same names. */
export function readAddress({ pathname, search, hash }: Parts): Address {
  const behindHash = new URLSearchParams(hash.replace(/^#/, ''));
  const query = new URLSearchParams(search);
  const value = (name: string) => behindHash.get(name) || query.get(name) || null;
  const [, folder, id] = pathname.split('/');
  return {
    world: folder === 'worlds' ? (id ?? '') : '',
    car: value('car')?.trim().toUpperCase() ?? null,
    incident: value('incident'),
  };
}

/** The inverse of `readAddress`. */
export function writeAddress({ world, car, incident }: Address): string {
  const behindHash = new URLSearchParams();
  if (incident !== null) behindHash.set('incident', incident);
  if (car !== null) behindHash.set('car', car);
  const text = behindHash.toString();
  return `/worlds/${world}${text === '' ? '' : `#${text}`}`;
}
