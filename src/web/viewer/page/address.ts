/** The state of the page that its address holds, so that a link reproduces it. */
import type { CameraMode, CameraUse } from '../scene/types.ts';

export interface Address {
  world: string;
  /** VIN of the picked car. */
  car: string | null;
  /** Id of the open incident. */
  incident: string | null;
  /** A moment of the city's past, world tick; null: live. */
  tick: number | null;
  /** The moment of its replay, world tick; null: from the beginning. */
  moment: number | null;
  /** The chosen explanation, by the number of its set; null: the first one. */
  set: number | null;
  /** How the camera is used; null: as it begins. */
  camera: CameraMode | null;
  view: CameraUse['view'];
}

/** Numbers of a view of each mode of the camera. */
const VIEW_NUMBERS: Readonly<Record<CameraMode, number>> = {
  city: 5,
  follow: 3,
  chase: 3,
  parties: 3,
};

const modeOf = (text: string | null) =>
  text !== null && Object.hasOwn(VIEW_NUMBERS, text) ? (text as CameraMode) : null;

type Parts = Pick<URL, 'pathname' | 'search' | 'hash'>;

/** Reads `/worlds/{id}?incident=…#car=…`; query and fragment may hold the same names. */
export function readAddress({ pathname, search, hash }: Parts): Address {
  const behindHash = new URLSearchParams(hash.replace(/^#/, ''));
  const query = new URLSearchParams(search);
  const value = (name: string) => behindHash.get(name) || query.get(name) || null;
  const numberOf = (name: string) => {
    const text = value(name);
    return text !== null && Number.isFinite(Number(text)) ? Number(text) : null;
  };
  const view = value('view')?.split(',').map(Number);
  const camera = modeOf(value('camera'));
  // Without a mode it is of a free camera.
  const isView = view?.length === VIEW_NUMBERS[camera ?? 'city'] && view.every(Number.isFinite);
  const [, folder, id] = pathname.split('/');
  return {
    world: folder === 'worlds' ? (id ?? '') : '',
    car: value('car')?.trim().toUpperCase() ?? null,
    incident: value('incident'),
    tick: numberOf('tick'),
    moment: numberOf('moment'),
    set: numberOf('set'),
    camera: camera ?? (isView ? 'city' : null),
    view: isView ? view : null,
  };
}

/**
 * The inverse of `readAddress`. The incident is in the query: the node must see it to tell services that show
 * links what is behind this one.
 */
export function writeAddress({
  world,
  incident = null,
  ...rest
}: Partial<Address> & Pick<Address, 'world'>): string {
  const query = incident === null ? '' : `?${new URLSearchParams({ incident })}`;
  const behindHash = new URLSearchParams();
  for (const name of ['car', 'tick', 'moment', 'set', 'camera', 'view'] as const) {
    const value = rest[name] ?? null;
    if (value !== null) behindHash.set(name, String(value));
  }
  // Commas need no escape behind the hash, and the text stays readable.
  const text = behindHash.toString().replaceAll('%2C', ',');
  return `/worlds/${world}${query}${text === '' ? '' : `#${text}`}`;
}
