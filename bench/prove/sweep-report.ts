import { CITIES } from '../../src/city/catalogue.ts';
import { isForMovingCars } from '../../src/testing/rigs/spot-tally.ts';
import { FEATURE_NAMES, type FeatureName } from '../../src/twin/catalogue.ts';
import { FAILS_WITHOUT } from '../../src/twin/spot-features.ts';
import { type Figure, figure } from '../common/figures.ts';
import { barPlot } from './plot.ts';
import { listed, mark, type Section, shown, type Table } from './section.ts';
import { emptyCounts, hasFunction, type SpotCounts } from './spot-watch.ts';
import {
  meanKmh,
  perCarHour,
  perTenMinutes,
  perThousandKm,
  plus,
  type Sweep,
  type SweepGroup,
  sum,
  toldPerTenMinutes,
} from './sweep.ts';
import { emptyStretch, type Stretch } from './sweep-world.ts';

const KMH_MIN = 20;
const FIRED_MIN = 50;
const INTERVENED_MIN = 90;
const HIT_MIN = 60;
/** Where the lorry comes too late a car has run a red light all the same, which an event tells. */
const HIT_MIN_AT_LIGHTS = 40;
const INCIDENTS_MIN = 1;
/** In 100,000 km: hardly anybody misses another narrowly. */
const CONSEQUENCES_MAX = 10;
/** In 1,000 km. */
const HARD_STOPS_MAX = 315;
/** Cars without these rarely reach the spots, so they are judged by time. */
const BY_TIME: readonly FeatureName[] = ['throttle', 'steering'];

const percent = (part: number, whole: number): number => (100 * part) / whole;

export function sweepSection(sweep: Sweep): Section {
  const offs = FEATURE_NAMES.map((off) => ({ off, groups: groupsOf(sweep, off) }));
  return {
    id: 'sweep',
    title: 'Sweep: everything on, and each feature off on all cars',
    method:
      'Worlds of fresh seeds in every city, twenty cars each. With everything on they drive 30 ' +
      'minutes. With a feature off on all cars they drive 10 minutes; then it comes back, and ' +
      'after one minute to settle they drive 10 minutes more. A pass of a spot is armed if its ' +
      'hazard was ready for the car some seconds before they would meet; it fires if it came.',
    figures: [
      ...allOnMarks(sweep),
      ...offs.flatMap(({ off, groups }) => offMarks(off, groups)),
      figure('worlds in which the kernel trapped', sweep.traps.length, 'worlds', { atMost: 0 }),
    ],
    tables: [
      ratesTable(sweep),
      allOnSpotsTable(sweep),
      offSpotsTable(offs),
      ...listed('What should not have happened', sweep.accounts),
      ...listed('Worlds in which the kernel trapped', sweep.traps),
    ],
    plots: [ratesPlot(sweep)],
    data: sweep,
  };
}

const groupsOf = ({ groups }: Sweep, off: FeatureName | null): SweepGroup[] =>
  groups.filter((group) => group.off === off);

const drivenOf = (groups: readonly SweepGroup[]): Stretch =>
  groups.map(({ driven }) => driven).reduce(plusAnywhere, emptyStretch());

const backOnOf = (groups: readonly SweepGroup[]): Stretch =>
  groups.map(({ backOn }) => backOn).reduce(plusAnywhere, emptyStretch());

/** Stretches of different cities, which have different spots. */
const plusAnywhere = (a: Stretch, b: Stretch): Stretch => ({
  ...sum({ ...a, spots: [] }, { ...b, spots: [] }),
  spots: [...a.spots, ...b.spots],
});

const cityName = ({ cityIndex }: SweepGroup): string => CITIES[cityIndex]?.name ?? '';

function allOnMarks(sweep: Sweep): Figure[] {
  const groups = groupsOf(sweep, null);
  const driven = drivenOf(groups);
  return [
    figure('everything on: contacts', driven.contacts, 'contacts', { atMost: 0 }),
    figure(
      'everything on: consequences short of a crash in 100,000 km',
      (driven.consequences / driven.kilometres) * 100_000,
      'events',
      { atMost: CONSEQUENCES_MAX },
    ),
    figure(
      'everything on: stops above 6 m/s² in 1,000 km',
      (driven.hardStops / driven.kilometres) * 1000,
      'stops',
      { atMost: HARD_STOPS_MAX },
    ),
    ...groups.map((group) =>
      figure(`everything on, ${cityName(group)}: mean speed`, meanKmh(group.driven), 'km/h', {
        atLeast: KMH_MIN,
      }),
    ),
    ...groups.flatMap((group) => group.driven.spots.flatMap((spot) => spotMarks(group, spot))),
  ];
}

function spotMarks(group: SweepGroup, spot: SpotCounts): Figure[] {
  const where = `everything on, ${cityName(group)}, ${spot.kind}`;
  const { armed, fired, intervened } = spot;
  const acts = (share: number): Figure =>
    figure(`${where}: its feature acts`, share, '%', { atLeast: INTERVENED_MIN });
  if (spot.kind === 'ice_bend') return [acts(percent(intervened, armed))];
  if (!isForMovingCars(spot.kind)) return [];
  const fires = figure(`${where}: fires in armed passes`, percent(fired, armed), '%', {
    atLeast: FIRED_MIN,
  });
  return hasFunction(spot.kind) ? [fires, acts(percent(intervened, fired))] : [fires];
}

function offMarks(off: FeatureName, groups: readonly SweepGroup[]): Figure[] {
  const worst = groups.length === 0 ? Number.NaN : Math.min(...groups.map(toldPerTenMinutes));
  const back = backOnOf(groups).contacts;
  return [
    figure(
      `${off} off: incidents and other consequences in ten minutes of the quietest city`,
      worst,
      'events',
      { atLeast: INCIDENTS_MIN },
    ),
    ...hitMarks(off, groups),
    figure(`${off} on again: contacts`, back, 'contacts', { atMost: 0 }),
  ];
}

function hitMarks(off: FeatureName, groups: readonly SweepGroup[]): Figure[] {
  if (BY_TIME.includes(off)) {
    return [figure(`${off} off: incidents per car-hour`, perCarHour(drivenOf(groups)), '1/h')];
  }
  const { armed, hits } = totalOf(spotsFor(off, groups));
  return [
    figure(`${off} off: armed passes that end in a collision`, percent(hits, armed), '%', {
      atLeast: off === 'traffic_light_recognition' ? HIT_MIN_AT_LIGHTS : HIT_MIN,
    }),
  ];
}

/** Spots that need the feature. */
const spotsFor = (off: FeatureName, groups: readonly SweepGroup[]): SpotCounts[] =>
  drivenOf(groups).spots.filter(({ kind }) => FAILS_WITHOUT[kind].includes(off));

const totalOf = (spots: readonly SpotCounts[]): SpotCounts =>
  spots.reduce((total, spot) => plus(total, spot), emptyCounts(-1, spots[0]?.kind ?? 'ice_bend'));

function ratesTable(sweep: Sweep): Table {
  const rows = [null, ...FEATURE_NAMES].map((off) => {
    const groups = groupsOf(sweep, off);
    const driven = drivenOf(groups);
    const back = backOnOf(groups);
    const worlds = groups.reduce((count, group) => count + group.worlds, 0);
    const quiet = groups.reduce((count, group) => count + group.quietWorlds, 0);
    return [
      off ?? 'nothing',
      String(worlds),
      shown(driven.kilometres),
      shown(meanKmh(driven)),
      String(driven.incidents),
      shown(perThousandKm(driven)),
      shown(perCarHour(driven)),
      ...groups.map((group) => (off === null ? '–' : shown(perTenMinutes(group)))),
      off === null ? '–' : `${quiet} of ${worlds}`,
      off === null ? '–' : String(back.contacts),
    ];
  });
  return {
    title: 'Collisions by feature that is off',
    head: [
      ...['Off', 'worlds', 'km', 'km/h', 'incidents', 'per 1,000 km', 'per car-hour'],
      ...CITIES.map(({ name }) => `per 10 min, ${name}`),
      'quiet 10 min',
      'contacts, on again',
    ],
    rows,
  };
}

function spotRow(name: readonly string[], spot: SpotCounts): string[] {
  const { kind, passes, armed, fired, intervened, hits, sent, contacts } = spot;
  const hasTrigger = isForMovingCars(kind);
  const acts = percent(intervened, fired > 0 || hasTrigger ? fired : armed);
  return [
    ...name,
    String(passes),
    String(armed),
    String(sent),
    hasTrigger ? `${shown(percent(fired, armed))} %` : '–',
    `${shown(acts)} %`,
    `${shown(percent(hits, armed))} %`,
    String(contacts),
  ];
}

const SPOT_HEAD = ['passes', 'armed', 'sent', 'fired', 'feature acts', 'hits', 'contacts'];

function allOnSpotsTable(sweep: Sweep): Table {
  const rows = groupsOf(sweep, null).flatMap((group) =>
    group.driven.spots.map((spot) => {
      const marks = spotMarks(group, spot).map(({ target }) => target?.met === true);
      const verdict = marks.length === 0 ? '' : mark(marks.every((met) => met));
      return [...spotRow([`${cityName(group)} ${spot.kind}`], spot), verdict];
    }),
  );
  return { title: 'Spots, everything on', head: ['Spot', ...SPOT_HEAD, ''], rows };
}

function offSpotsTable(offs: readonly { off: FeatureName; groups: SweepGroup[] }[]): Table {
  const rows = offs.flatMap(({ off, groups }) =>
    groups.flatMap((group) =>
      spotsFor(off, [group]).map((spot) => spotRow([off, `${cityName(group)} ${spot.kind}`], spot)),
    ),
  );
  const title = 'Spots that need the feature that is off';
  return { title, head: ['Off', 'spot', ...SPOT_HEAD], rows };
}

function ratesPlot(sweep: Sweep): Section['plots'][number] {
  const title = 'Collisions per 1,000 vehicle-kilometres by the feature that is off';
  const bars = [null, ...FEATURE_NAMES].map((off) => ({
    name: off ?? 'everything on',
    value: perThousandKm(drivenOf(groupsOf(sweep, off))),
    colour: off === null ? 2 : 1,
  }));
  const svg = barPlot({ title, x: 'incidents per 1,000 km', bars });
  return { name: 'collisions-per-feature', title, svg };
}
