/**
 * The live side of a world: a WebSocket that comes back by itself, and the playback that turns its
 * 12.5 frames a second into a picture of any moment.
 *
 * @typedef {{vin: string, model: string, plate: string, colour: string}} FleetEntry
 * @typedef {{x: number, y: number, heading: number}} Pose
 * @typedef {Pose & {vin: string, speed: number, road: string, gap: number | null,
 *   braking: boolean, aeb: boolean, esc: boolean, evasive: boolean, status: string}} Vehicle
 * @typedef {Pose & {id: string, active: boolean, length: number, width: number}} Hazard
 * @typedef {{tick: number, vehicles: Vehicle[], hazards: Hazard[],
 *   lights: {id: string, state: string}[]}} Snapshot
 */

const TICK_MS = 20;
/** An open stream is never silent for so long: whatever is at the other end, it is not a node. */
const SILENCE_MS = 5000;
const BACKOFF_MIN_MS = 500;
const BACKOFF_MAX_MS = 15000;
/** Behind the newest frame: one frame to lie between two, and half of one for a late arrival. */
const DELAY_MS = 120;
/** A car that moves farther between two frames was put there, it did not drive. */
const JUMP_M = 12;
const FRAMES_KEPT = 6;

/**
 * Watches a world until it is gone. Reconnects at once after 1012 (the node restarts or hands the
 * world over), else after a growing, jittered pause.
 *
 * @param {string} worldId
 * @param {{hello(fleet: FleetEntry[]): void, snapshot(snapshot: Snapshot): void,
 *   state(state: 'connecting' | 'live' | 'waiting' | 'gone'): void}} on
 */
export function watchWorld(worldId, on) {
  let failures = 0;

  const connect = () => {
    on.state('connecting');
    const socket = new WebSocket(`${location.origin.replace('http', 'ws')}/ws/worlds/${worldId}`);
    let watchdog = setTimeout(() => socket.close(), SILENCE_MS);
    socket.onclose = (event) => {
      clearTimeout(watchdog);
      reconnect(event.code);
    };
    socket.onmessage = (event) => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => socket.close(), SILENCE_MS);
      const message = JSON.parse(event.data);
      if (message.type === 'hello') return on.hello(message.fleet);
      failures = 0;
      on.state('live');
      on.snapshot(message);
    };
  };

  /** @param {number} code */
  const reconnect = async (code) => {
    failures += 1;
    if (code === 1012 && failures === 1) return connect();
    on.state('waiting');
    const ceilingMs = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** (failures - 1));
    await new Promise((resolve) => setTimeout(resolve, ceilingMs * (0.5 + Math.random() / 2)));
    // A browser hides why an upgrade was refused, so the world itself is asked.
    const answer = await fetch(`/api/v1/worlds/${worldId}`).catch(() => undefined);
    if (answer?.status === 404) on.state('gone');
    else connect();
  };

  connect();
}

/** @template {Pose} T @param {T} from @param {T} to @param {number} t 0 to 1 @returns {T} */
function between(from, to, t) {
  const [dx, dy, turn] = [to.x - from.x, to.y - from.y, to.heading - from.heading];
  if (Math.hypot(dx, dy) > JUMP_M) return t < 0.5 ? from : to;
  const shorterWay = Math.atan2(Math.sin(turn), Math.cos(turn));
  return {
    ...from,
    x: from.x + dx * t,
    y: from.y + dy * t,
    heading: from.heading + shorterWay * t,
  };
}

/** Plays the frames back a little late and evenly, whatever the network does to their arrival. */
export class Playback {
  /** @type {Snapshot[]} */
  #frames = [];
  /** Local clock at tick 0, by the arrivals so far. */
  #originMs = Number.NaN;

  /** @param {Snapshot} snapshot @param {number} nowMs */
  add(snapshot, nowMs) {
    if (snapshot.tick <= (this.#frames.at(-1)?.tick ?? -1)) return;
    this.#frames.push(snapshot);
    if (this.#frames.length > FRAMES_KEPT) this.#frames.shift();
    const originMs = nowMs - snapshot.tick * TICK_MS;
    const offMs = originMs - this.#originMs;
    // The earliest arrival tells the clock best; lateness only pulls it along slowly.
    if (Math.abs(offMs) < 1000) this.#originMs += offMs * (offMs < 0 ? 0.3 : 0.02);
    else this.#originMs = originMs;
  }

  /** The scene at a moment of the local clock. @param {number} nowMs @returns {Snapshot | undefined} */
  at(nowMs) {
    const tick = (nowMs - DELAY_MS - this.#originMs) / TICK_MS;
    const next = this.#frames.findIndex((frame) => frame.tick > tick);
    const [from, to] = next > 0 ? this.#frames.slice(next - 1, next + 1) : [];
    // Before the oldest frame that one; after the newest that one: -1 counts from the end.
    if (!from || !to) return this.#frames.at(next);
    const t = (tick - from.tick) / (to.tick - from.tick);
    return {
      ...from,
      vehicles: from.vehicles.map((car, i) => between(car, to.vehicles[i] ?? car, t)),
      hazards: from.hazards.map((hazard, i) => between(hazard, to.hazards[i] ?? hazard, t)),
    };
  }
}
