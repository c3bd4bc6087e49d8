/**
 * Two layers: the city, drawn when the view moves, and the traffic, drawn every time. All drawing is
 * in metres, y north; the view's transform makes pixels of them.
 *
 * @typedef {[number, number][]} Points
 * @typedef {{id: string, road: string | null, junction: string | null, width: number,
 *   polyline: Points, next: string[], sign: 'stop' | 'yield' | null}} Lane
 * @typedef {{lanes: Lane[], blocks: {kind: string, polygon: Points, height: number}[],
 *   junctions: {id: string, control: string, polygon: Points,
 *     lights: {id: string, x: number, y: number, lanes: string[]}[]}[],
 *   zones: {kind: string, polygon: Points}[],
 *   hazards: {x: number, y: number, radius: number}[]}} CityMap
 * @typedef {import('./view.js').View} View
 * @typedef {import('./stream.js').Snapshot} Snapshot
 * @typedef {CanvasRenderingContext2D} Canvas
 * @typedef {ReturnType<typeof prepareCity>} City
 */

const GROUND = '#eef0ea';
const KERB = '#d6d7d1';
const ASPHALT = '#8d939a';
const MARKING = '#c8cccf';
const STOP_LINE = '#f4f5f4';
/** @type {Record<string, string>} */
const BLOCKS = { park: '#cfe3c0', square: '#e6e0d2', building: '#e4e0d8', wall: '#b9b4aa' };
/** @type {Record<string, string>} */
const ZONES = { ice: '#96cdf561', wet: '#5082be33', fog: '#ffffff66', dusk: '#463c782e' };
/** @type {Record<string, string>} */
const LIGHTS = { red: '#e5443c', red_amber: '#f08a24', amber: '#f5b81f', green: '#34b36b' };

const CAR_LENGTH_M = 4.5;
const CAR_WIDTH_M = 1.9;
/** From far away a car is drawn larger than it is, so that one still sees where it goes. */
const CAR_LENGTH_MIN_PX = 15;
const KERB_M = 2.2;
const MARKING_M = 0.24;
/** The sun in the north-west: metres of shadow for each metre of height. */
const SHADOW = 0.22;

/** @param {Points} points @param {Path2D} [path] */
function trace(points, path = new Path2D()) {
  for (const [i, [x, y]] of points.entries()) i === 0 ? path.moveTo(x, y) : path.lineTo(x, y);
  return path;
}

/** @param {Points} points */
function polygon(points) {
  const path = trace(points);
  path.closePath();
  return path;
}

/** @param {number} x @param {number} y @param {number} radius */
function disc(x, y, radius) {
  const path = new Path2D();
  path.arc(x, y, radius, 0, 2 * Math.PI);
  return path;
}

/** Across the end of a lane. @param {Lane} lane */
function stopLine({ polyline, width }) {
  const [[x0, y0] = [0, 0], [x, y] = [0, 0]] = polyline.slice(-2);
  const reach = (width / 2 - 0.3) / (Math.hypot(x - x0, y - y0) || 1);
  const [dx, dy] = [(y0 - y) * reach, (x - x0) * reach];
  return trace([
    [x - dx, y - dy],
    [x + dx, y + dy],
  ]);
}

/** The map, made ready for drawing once. @param {CityMap} map */
export function prepareCity(map) {
  const lanes = new Map(map.lanes.map((lane) => [lane.id, lane]));
  const lit = new Set(map.junctions.flatMap(({ lights }) => lights.flatMap((one) => one.lanes)));
  const stopLines = new Path2D();
  const yieldLines = new Path2D();
  /** @type {Map<number, {roads: Path2D, connectors: Path2D}>} */
  const byWidth = new Map();
  for (const lane of map.lanes) {
    const paths = byWidth.get(lane.width) ?? { roads: new Path2D(), connectors: new Path2D() };
    byWidth.set(lane.width, paths);
    trace(lane.polyline, lane.road === null ? paths.connectors : paths.roads);
    if (lane.sign === 'stop' || lit.has(lane.id)) stopLines.addPath(stopLine(lane));
    if (lane.sign === 'yield') yieldLines.addPath(stopLine(lane));
  }
  const lights = map.junctions.flatMap((junction) => junction.lights);
  return {
    byWidth,
    stopLines,
    yieldLines,
    lights: lights.map((light) => {
      const lines = new Path2D();
      for (const id of light.lanes) lines.addPath(stopLine(/** @type {Lane} */ (lanes.get(id))));
      return { ...light, lines };
    }),
    junctions: map.junctions.map((junction) => polygon(junction.polygon)),
    blocks: map.blocks.map((block) => ({
      path: polygon(block.polygon),
      colour: BLOCKS[block.kind] ?? KERB,
      shadow: polygon(
        block.polygon.map(([x, y]) => [x + block.height * SHADOW, y - block.height * SHADOW]),
      ),
      standing: block.kind === 'building' || block.kind === 'wall',
    })),
    zones: map.zones.map(({ kind, polygon: points }) => ({ kind, path: polygon(points) })),
    spots: map.hazards,
  };
}

/** @param {Canvas} ctx @param {string} style @param {number} width @param {Path2D} path */
function stroke(ctx, style, width, path) {
  ctx.strokeStyle = style;
  ctx.lineWidth = width;
  ctx.stroke(path);
}

/** @param {Canvas} ctx @param {string} style @param {Path2D} path */
function fill(ctx, style, path) {
  ctx.fillStyle = style;
  ctx.fill(path);
}

/** @param {Canvas} ctx @param {City} city @param {View} view */
export function drawCity(ctx, city, view) {
  ctx.resetTransform();
  ctx.fillStyle = GROUND;
  ctx.fillRect(0, 0, ctx.canvas.width, ctx.canvas.height);
  view.applyTo(ctx);
  ctx.lineJoin = 'round';
  const standing = city.blocks.filter((block) => block.standing);
  for (const block of city.blocks) if (!block.standing) fill(ctx, block.colour, block.path);
  drawRoads(ctx, city);
  for (const { kind, path } of city.zones) fill(ctx, ZONES[kind] ?? 'transparent', path);
  for (const { shadow } of standing) fill(ctx, '#3c424821', shadow);
  for (const { path, colour } of standing) {
    fill(ctx, colour, path);
    stroke(ctx, '#504c4438', 0.4, path);
  }
  for (const { x, y, radius } of city.spots) {
    fill(ctx, '#c4701412', disc(x, y, radius));
    fill(ctx, '#c47014', disc(x, y, Math.max(0.5, 2 / view.scale)));
  }
}

/** @param {Canvas} ctx @param {City} city */
function drawRoads(ctx, city) {
  for (const [width, { roads }] of city.byWidth) stroke(ctx, KERB, width + KERB_M, roads);
  for (const junction of city.junctions) stroke(ctx, KERB, KERB_M, junction);
  // The marking at each edge of a lane is what the asphalt leaves of a wider stroke.
  for (const [width, { roads }] of city.byWidth) stroke(ctx, MARKING, width, roads);
  for (const [width, { roads }] of city.byWidth) stroke(ctx, ASPHALT, width - MARKING_M, roads);
  for (const junction of city.junctions) fill(ctx, ASPHALT, junction);
  for (const [width, { connectors }] of city.byWidth) stroke(ctx, ASPHALT, width, connectors);
  stroke(ctx, STOP_LINE, 0.5, city.stopLines);
  ctx.setLineDash([0.5, 0.4]);
  stroke(ctx, STOP_LINE, 0.4, city.yieldLines);
  ctx.setLineDash([]);
}

/**
 * @param {Canvas} ctx @param {City} city @param {View} view @param {Snapshot} scene
 * @param {Map<string, string>} colours CSS colour by VIN
 * @param {string | undefined} selectedVin
 */
export function drawTraffic(ctx, city, view, scene, colours, selectedVin) {
  ctx.resetTransform();
  ctx.clearRect(0, 0, ctx.canvas.width, ctx.canvas.height);
  view.applyTo(ctx);
  drawLights(ctx, city, view, scene);
  for (const hazard of scene.hazards) if (hazard.active) drawHazard(ctx, view, hazard);
  const enlarged = Math.max(1, CAR_LENGTH_MIN_PX / (CAR_LENGTH_M * view.scale));
  for (const car of scene.vehicles) {
    ctx.save();
    ctx.translate(car.x, car.y);
    ctx.rotate(car.heading);
    ctx.scale(enlarged, enlarged);
    if (car.status === 'crashed') fill(ctx, '#d8352f4d', HALO);
    else if (car.aeb || car.esc || car.evasive) fill(ctx, '#f09a1a59', HALO);
    if (car.vin === selectedVin) stroke(ctx, '#2f6fdb', 0.6, HALO);
    stroke(ctx, '#181c20bf', 0.3, BODY);
    fill(ctx, colours.get(car.vin) ?? KERB, BODY);
    fill(ctx, '#2a333c', GLASS);
    fill(ctx, '#fff6cf', HEADLIGHTS);
    fill(ctx, car.braking ? '#ff2a20' : '#8f2a26', TAILLIGHTS);
    ctx.restore();
  }
}

/** @param {Canvas} ctx @param {City} city @param {View} view @param {Snapshot} scene */
function drawLights(ctx, city, view, scene) {
  const states = new Map(scene.lights.map(({ id, state }) => [id, state]));
  const radius = Math.max(0.9, 2.2 / view.scale);
  for (const { id, x, y, lines } of city.lights) {
    const colour = LIGHTS[states.get(id) ?? ''] ?? STOP_LINE;
    const head = disc(x, y, radius);
    stroke(ctx, colour, Math.max(0.7, 1.6 / view.scale), lines);
    stroke(ctx, '#3a4046', radius * 0.6, head);
    fill(ctx, colour, head);
  }
}

/** @param {Canvas} ctx @param {View} view @param {import('./stream.js').Hazard} hazard */
function drawHazard(ctx, view, { x, y, heading, length, width }) {
  const [long, wide] = [Math.max(length, 6 / view.scale), Math.max(width, 6 / view.scale)];
  const body = new Path2D();
  body.roundRect(-long / 2, -wide / 2, long, wide, wide / 4);
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate(heading);
  fill(ctx, '#e8862a', body);
  stroke(ctx, '#8a4308', Math.max(0.15, 1 / view.scale), body);
  ctx.restore();
}

/** @param {[x: number, y: number, length: number, width: number, radii?: number[]][]} boxes */
function boxesPath(boxes) {
  const path = new Path2D();
  for (const [x, y, length, width, radii = 0.1] of boxes)
    path.roundRect(x, y, length, width, radii);
  return path;
}

// A car at the origin: forward is +x.
const HALO = disc(0, 0, CAR_LENGTH_M * 0.8);
const BODY = boxesPath([
  [-CAR_LENGTH_M / 2, -CAR_WIDTH_M / 2, CAR_LENGTH_M, CAR_WIDTH_M, [0.4, 0.8, 0.8, 0.4]],
]);
const GLASS = boxesPath([
  [0.2, -0.74, 0.8, 1.48, [0.1, 0.4, 0.4, 0.1]],
  [-1.75, -0.68, 0.4, 1.36],
]);
const HEADLIGHTS = boxesPath([
  [1.8, -0.8, 0.32, 0.45],
  [1.8, 0.35, 0.32, 0.45],
]);
const TAILLIGHTS = boxesPath([
  [-2.22, -0.85, 0.3, 0.5],
  [-2.22, 0.35, 0.3, 0.5],
]);
