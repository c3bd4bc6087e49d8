import { at } from '../../city/geometry.ts';
import type { Block, Box, HazardKind, Lane, Point, RoadClass } from '../../city/types.ts';
import { roundedPath } from '../curves.ts';
import {
  type BlockPlan,
  courtyardBlock,
  FOOTPRINT_MIN_M2,
  parkBlock,
  rowsBlock,
  SIDEWALK_M,
  squareBlock,
  surroundingBlocks,
  towersBlock,
} from '../land/blocks.ts';
import { buildWallOutside } from '../land/frontage.ts';
import { Land } from '../land/land.ts';
import { buildNetwork } from '../network/network.ts';
import {
  halfWidthOf,
  type JunctionPlan,
  type NetworkPlan,
  type RoadPlan,
  type SegmentPlan,
} from '../network/streets.ts';
import { RandomStream, STREAM } from '../random-stream.ts';
import { furnish, type GeneratedCity } from './furnish.ts';

/** A street of the grid. It consists of two roads with different names. */
interface StreetPlan {
  /** Class and name before segment `split`, and from there on. */
  classes: readonly [RoadClass, RoadClass];
  names: readonly [string, string];
  split: number;
  /** A park takes the place of segment `split`. */
  isBroken?: boolean;
}

/** From south to north, each from west to east. */
const ROWS: readonly StreetPlan[] = [
  { classes: ['collector', 'collector'], names: ['Quay Street', 'Shipyard Road'], split: 2 },
  { classes: ['local', 'local'], names: ['Cooper Lane', 'Sailmaker Street'], split: 3 },
  {
    classes: ['arterial', 'arterial'],
    names: ['Parliament Avenue', 'Exhibition Avenue'],
    split: 2,
  },
  {
    classes: ['local', 'local'],
    names: ['Linden Street', 'Observatory Street'],
    split: 2,
    isBroken: true,
  },
  { classes: ['collector', 'collector'], names: ['College Road', 'Foundry Road'], split: 3 },
  { classes: ['local', 'collector'], names: ['Orchard Street', 'Vineyard Street'], split: 2 },
];

/** From west to east, each from south to north. */
const COLUMNS: readonly StreetPlan[] = [
  { classes: ['collector', 'collector'], names: ['Harbour Road', 'Rampart Road'], split: 3 },
  {
    classes: ['local', 'local'],
    names: ['Weaver Street', 'Chapel Street'],
    split: 1,
    isBroken: true,
  },
  { classes: ['local', 'local'], names: ['Market Street', 'Museum Street'], split: 2 },
  { classes: ['local', 'collector'], names: ['Station Road', 'Hospital Road'], split: 2 },
  { classes: ['local', 'collector'], names: ['Printer Lane', 'Garden Lane'], split: 2 },
  { classes: ['collector', 'collector'], names: ['Tannery Street', 'Windmill Street'], split: 3 },
];

/** Side streets have stop signs here; elsewhere they only yield. */
const STOPS: readonly Crossing[] = [
  [4, 0],
  [4, 1],
  [4, 2],
  [5, 3],
  [5, 4],
];

/** Distance between parallel streets, in steps of `STEP_M`. */
const BLOCK_MIN_STEPS = 210;
const BLOCK_MAX_STEPS = 300;
/** Of the last block, so that there is straight road beside its bend, too. */
const LAST_BLOCK_STEPS = 294;
const STEP_M = 0.5;

/** A car drives a loop of this length within three minutes. */
const LOOP_MAX_M = 1290;

export function generateGrid(seed: number): GeneratedCity {
  const streets = new RandomStream(seed, STREAM.streets);
  const xs = streetPositions(COLUMNS.length, streets);
  const ys = streetPositions(ROWS.length, streets);
  const network = buildNetwork(planNetwork(xs, ys));
  const blocks = planBlocks(xs, ys, network.lanes, new RandomStream(seed, STREAM.blocks));
  const stretches = STRETCHES.map(({ via, kinds }) => ({ via: via.map(junctionAt), kinds }));
  return furnish(network, blocks, stretches, LOOP_MAX_M, new RandomStream(seed, STREAM.routes));
}

/**
 * Metres from the middle of the city, ascending. The first block has full length, so that there is
 * straight road before its bend.
 */
function streetPositions(count: number, random: RandomStream): number[] {
  const steps = [0, BLOCK_MAX_STEPS];
  for (let i = 2; i < count; i++) {
    const drawn = random.between(BLOCK_MIN_STEPS, BLOCK_MAX_STEPS);
    steps.push(at(steps, -1) + (i === count - 1 ? LAST_BLOCK_STEPS : drawn));
  }
  const middle = Math.floor(at(steps, -1) / 2);
  return steps.map((position) => (position - middle) * STEP_M);
}

/** A corner of the city where two streets are joined by a bend instead of a junction. */
interface Bend {
  row: number;
  column: number;
  radiusM: number;
}

/** A bend with a wall along its outside, a wide bend, and a blind bend. */
const BENDS: readonly Bend[] = [
  { row: 0, column: 0, radiusM: 25 },
  { row: ROWS.length - 1, column: COLUMNS.length - 1, radiusM: 30 },
  { row: ROWS.length - 1, column: 0, radiusM: 12 },
];

type Crossing = readonly [row: number, column: number];

const bendAt = ([row, column]: Crossing): Bend | undefined =>
  BENDS.find((bend) => bend.row === row && bend.column === column);

/** Row by row from the south, each from west to east. */
const CROSSINGS: readonly Crossing[] = ROWS.flatMap((_, row) =>
  COLUMNS.map((_, column): Crossing => [row, column]),
).filter((crossing) => !bendAt(crossing));

const junctionAt = ([row, column]: Crossing): number =>
  CROSSINGS.findIndex(([r, c]) => r === row && c === column);

/** Two circuits, each over one spot of every kind of stake, and what else there is. */
const STRETCHES: readonly { via: readonly Crossing[]; kinds: readonly HazardKind[] }[] = [
  {
    via: [
      [0, 2],
      [0, 1],
      [1, 0],
      [2, 0],
      [2, 1],
    ],
    kinds: ['parked_row_child', 'ice_bend', 'wet_crest', 'deer_crossing', 'fog_stall'],
  },
  {
    via: [
      [2, 2],
      [1, 2],
      [0, 2],
    ],
    kinds: ['tram_crossing'],
  },
  {
    via: [
      [2, 3],
      [1, 3],
      [0, 3],
    ],
    kinds: ['blind_crossing'],
  },
  {
    via: [
      [2, 1],
      [2, 2],
      [2, 3],
    ],
    kinds: ['red_light_lorry'],
  },
  {
    via: [
      [2, 2],
      [2, 3],
    ],
    kinds: ['blind_stall'],
  },
  {
    via: [
      [4, 5],
      [5, 4],
    ],
    kinds: ['ice_bend', 'cut_in'],
  },
  {
    via: [
      [4, 3],
      [3, 3],
      [2, 3],
      [2, 4],
      [3, 4],
    ],
    kinds: ['deer_crossing', 'fog_stall', 'left_turn_oncoming', 'wet_crest'],
  },
];

/** Bends join the streets around the city into one. */
const OUTER_STREET = 0;
const streetOfRow = (row: number): number => (row === ROWS.length - 1 ? OUTER_STREET : row);
const streetOfColumn = (column: number): number =>
  column === 0 || column === COLUMNS.length - 1 ? OUTER_STREET : ROWS.length + column;

function planNetwork(xs: readonly number[], ys: readonly number[]): NetworkPlan {
  const junctions = CROSSINGS.map(
    ([row, column]): JunctionPlan => ({
      x: at(xs, column),
      y: at(ys, row),
      ...controlAt(row, column),
    }),
  );
  const roads = [
    ...ROWS.flatMap((street, row) =>
      roadsOf(street, streetOfRow(row), (i) => [segmentBetween([row, i], [row, i + 1], xs, ys)]),
    ),
    ...COLUMNS.flatMap((street, column) =>
      roadsOf(street, streetOfColumn(column), (i) =>
        // The segment around a bend belongs to the row.
        bendAt([i, column]) || bendAt([i + 1, column])
          ? []
          : [segmentBetween([i, column], [i + 1, column], xs, ys)],
      ),
    ),
  ];
  return { junctions, roads };
}

function segmentBetween(
  from: Crossing,
  to: Crossing,
  xs: readonly number[],
  ys: readonly number[],
): SegmentPlan {
  const place = ([row, column]: Crossing): Point => [at(xs, column), at(ys, row)];
  const bend = bendAt(from) ?? bendAt(to);
  const beyond = (crossing: Crossing): Crossing => {
    const row = crossing[0] === 0 ? 1 : crossing[0] - 1;
    return bendAt(crossing) ? [row, crossing[1]] : crossing;
  };
  const start = beyond(from);
  const end = beyond(to);
  const corners = bend ? [{ x: at(xs, bend.column), y: at(ys, bend.row), ...bend }] : [];
  const axis = roundedPath(place(start), corners, place(end));
  return { fromJunction: junctionAt(start), toJunction: junctionAt(end), axis };
}

/** The two roads of a street. `segments` gives those between its crossings `i` and `i + 1`. */
function roadsOf(
  street: StreetPlan,
  index: number,
  segments: (i: number) => SegmentPlan[],
): RoadPlan[] {
  const all = ROWS.slice(1).map((_, i) => segments(i));
  const parts = [
    all.slice(0, street.split),
    all.slice(street.isBroken ? street.split + 1 : street.split),
  ];
  return parts.map((part, i) => ({
    name: at(street.names, i),
    class: at(street.classes, i),
    street: index,
    segments: part.flat(),
  }));
}

const RANKS = { arterial: 0, collector: 1, local: 2 } as const;

/** The rank of the more important road of a street at one of its crossings. */
function rankAt({ classes, split }: StreetPlan, crossing: number): number {
  const ranks = classes.map((roadClass) => RANKS[roadClass]);
  const [before, after] = [at(ranks, 0), at(ranks, 1)];
  if (crossing === split) return Math.min(before, after);
  return crossing < split ? before : after;
}

/** Columns that have priority although the row goes on and they have the same rank. */
const PRIORITY_COLUMNS: readonly Crossing[] = [[4, 3]];
/** The arterial has priority here instead of signals. */
const UNSIGNALLED: readonly Crossing[] = [
  [2, 0],
  [2, 1],
  [2, 3],
];

const isOneOf = (crossings: readonly Crossing[], row: number, column: number): boolean =>
  crossings.some(([r, c]) => r === row && c === column);

/**
 * Junctions of the arterial have signals. Elsewhere the street of the higher class has priority, of
 * two collectors the one that does not end there. Two local streets have equal rank.
 */
function controlAt(row: number, column: number): Pick<JunctionPlan, 'control' | 'mainStreet'> {
  const rowRank = rankAt(at(ROWS, row), column);
  const columnRank = rankAt(at(COLUMNS, column), row);
  const rank = Math.min(rowRank, columnRank);
  const rowEnds = column === 0 || column === COLUMNS.length - 1;
  const columnEnds = row === 0 || row === ROWS.length - 1;
  const isRowMain =
    !isOneOf(PRIORITY_COLUMNS, row, column) &&
    (rowRank === columnRank ? !rowEnds : rowRank < columnRank);
  const mainStreet = isRowMain ? streetOfRow(row) : streetOfColumn(column);
  if (rank === RANKS.arterial && !isOneOf(UNSIGNALLED, row, column)) {
    return { control: 'signals', mainStreet };
  }
  if ((rowEnds && columnEnds) || rank === RANKS.local) return { control: 'none', mainStreet: -1 };
  return { control: isOneOf(STOPS, row, column) ? 'stop' : 'priority', mainStreet };
}

/** The land between four streets, by their indices. */
interface Cell {
  west: number;
  east: number;
  south: number;
  north: number;
}

function planBlocks(
  xs: readonly number[],
  ys: readonly number[],
  lanes: readonly Lane[],
  random: RandomStream,
): Block[] {
  const land = new Land(lanes, { besideRoadM: SIDEWALK_M - SAMPLING_M, besideTurnM: 0 });
  for (const cell of cells()) {
    for (const plan of fillCell(cell, boxOf(cell, xs, ys), random)) {
      land.buildFreePart(plan, FOOTPRINT_MIN_M2);
    }
  }
  const all = { west: 0, south: 0, east: COLUMNS.length - 1, north: ROWS.length - 1 };
  for (const plan of surroundingBlocks(boxOf(all, xs, ys, -1), random)) land.build(plan);
  const { axis } = segmentBetween([0, 0], [0, 1], xs, ys);
  const corner = { x: at(xs, 0), y: at(ys, 0), radiusM: at(BENDS, 0).radiusM };
  buildWallOutside(land, axis, corner, halfWidthOf(at(at(ROWS, 0).classes, 0)));
  return land.built.map((plan, i) => ({ id: `b${i + 1}`, ...plan }));
}

/** `Land` measures from sampled points of the lanes, so it may be off by this. */
const SAMPLING_M = 0.1;

/** All cells. Where a segment of a street is missing, the cells on both sides are one. */
function cells(): Cell[] {
  const found: Cell[] = [];
  for (let south = 0; south < ROWS.length - 1; south++) {
    for (let west = 0; west < COLUMNS.length - 1; west++) {
      if (isMissing(ROWS, south, west) || isMissing(COLUMNS, west, south)) continue;
      found.push({
        west,
        south,
        east: west + (isMissing(COLUMNS, west + 1, south) ? 2 : 1),
        north: south + (isMissing(ROWS, south + 1, west) ? 2 : 1),
      });
    }
  }
  return found;
}

function isMissing(streets: readonly StreetPlan[], street: number, segment: number): boolean {
  const { isBroken, split } = at(streets, street);
  return isBroken === true && split === segment;
}

/** The land between the sidewalks of a cell, or with `side` −1 between those around it. */
function boxOf(cell: Cell, xs: readonly number[], ys: readonly number[], side: 1 | -1 = 1): Box {
  const beside = ({ classes }: StreetPlan) =>
    (Math.max(...classes.map(halfWidthOf)) + SIDEWALK_M) * side;
  return {
    minX: at(xs, cell.west) + beside(at(COLUMNS, cell.west)),
    minY: at(ys, cell.south) + beside(at(ROWS, cell.south)),
    maxX: at(xs, cell.east) - beside(at(COLUMNS, cell.east)),
    maxY: at(ys, cell.north) - beside(at(ROWS, cell.north)),
  };
}

const PATTERNS = [
  courtyardBlock,
  courtyardBlock,
  courtyardBlock,
  rowsBlock,
  rowsBlock,
  towersBlock,
] as const;

/** Double cells are parks; the square is south of the arterial. */
function fillCell({ west, east, south, north }: Cell, box: Box, random: RandomStream): BlockPlan[] {
  if (east - west > 1 || north - south > 1) return parkBlock(box);
  if (west === 3 && south === 1) return squareBlock(box, random);
  return random.pick(PATTERNS)(box, random);
}
