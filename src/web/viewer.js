/** The page of one world: wires stream, view, drawing and panel together. */
import { drawCity, drawTraffic, prepareCity } from './draw.js';
import { Panel } from './panel.js';
import { Playback, watchWorld } from './stream.js';
import { listenToPointers, View } from './view.js';

const PICK_PX = 18;
const PAN_PX = 90;
const FOLLOW_PX_PER_M = 5;
const STATES = {
  connecting: 'Connecting',
  live: 'Live',
  waiting: 'Reconnecting',
  gone: 'Not found',
};
const GONE = 'Nobody watched it for thirty minutes, or the address is mistyped.';

const worldId = location.pathname.split('/')[2] ?? '';

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const canvas = (/** @type {string} */ id) => /** @type {HTMLCanvasElement} */ (element(id));
const context = (/** @type {string} */ id) =>
  /** @type {CanvasRenderingContext2D} */ (canvas(id).getContext('2d'));

/** @param {string} title @param {string} text */
function notice(title, text) {
  element('notice-title').textContent = title;
  element('notice-text').textContent = text;
  element('notice').hidden = false;
}

/** @param {keyof typeof STATES} state */
function showState(state) {
  const line = element('connection');
  if (line.dataset.state !== state) line.textContent = STATES[state];
  line.dataset.state = state;
  if (state === 'gone') notice('This city is gone', GONE);
}

class Viewer {
  #view;
  #city;
  #panel;
  #playback = new Playback();
  /** @type {import('./stream.js').FleetEntry[]} */
  #fleet = [];
  /** @type {Map<string, string>} CSS colour by VIN */
  #colours = new Map();
  /** @type {import('./stream.js').Snapshot | undefined} */
  #scene;
  /** @type {string | undefined} */
  #selectedVin;
  #following = false;

  /** @param {any} map @param {any} catalogue bodies of the two endpoints */
  constructor(map, catalogue) {
    this.#view = new View(map.bounds);
    this.#city = prepareCity(map);
    this.#panel = new Panel(catalogue.features, map.roads);
    new ResizeObserver(() => this.#resize()).observe(element('stage'));
    this.#listen();
    watchWorld(worldId, {
      hello: (fleet) => this.#meet(fleet),
      snapshot: (snapshot) => this.#playback.add(snapshot, performance.now()),
      state: showState,
    });
    requestAnimationFrame(() => this.#draw());
  }

  /** @param {import('./stream.js').FleetEntry[]} fleet */
  #meet(fleet) {
    if (this.#fleet.length > 0) return;
    this.#fleet = fleet;
    this.#colours = new Map(fleet.map(({ vin, colour }) => [vin, colour]));
    element('chooser').append(
      ...fleet.map((car) => new Option(`${car.plate} · ${car.model}`, car.vin)),
    );
  }

  /** @param {string | undefined} vin */
  #select(vin) {
    const car = this.#fleet.find((entry) => entry.vin === vin);
    this.#selectedVin = car?.vin;
    /** @type {HTMLSelectElement} */ (element('chooser')).value = car?.vin ?? '';
    this.#panel.select(car);
    if (!car) this.#follow(false);
  }

  /** @param {number} by */
  #selectNext(by) {
    const at = this.#fleet.findIndex((entry) => entry.vin === this.#selectedVin);
    const count = this.#fleet.length;
    this.#select(this.#fleet[(Math.max(at, by > 0 ? -1 : 0) + by + count) % count]?.vin);
  }

  /** @param {boolean} on */
  #follow(on) {
    this.#following = on && this.#selectedVin !== undefined;
    element('follow').ariaPressed = String(this.#following);
    const factor = FOLLOW_PX_PER_M / this.#view.scale;
    if (this.#following && factor > 1) this.#view.zoom(factor);
  }

  /** The car within reach of a pixel, if any. @param {number} xPx @param {number} yPx */
  #pick(xPx, yPx) {
    const { x, y } = this.#view.toMetres(xPx, yPx);
    let reachM = Math.max(3, PICK_PX / this.#view.scale);
    let vin;
    for (const car of this.#scene?.vehicles ?? []) {
      const awayM = Math.hypot(car.x - x, car.y - y);
      if (awayM < reachM) [reachM, vin] = [awayM, car.vin];
    }
    return vin;
  }

  #listen() {
    listenToPointers(element('stage'), this.#view, {
      click: (xPx, yPx) => this.#select(this.#pick(xPx, yPx)),
      drag: () => this.#follow(false),
    });
    element('stage').onmousemove = ({ clientX, clientY }) => {
      element('stage').style.cursor = this.#pick(clientX, clientY) ? 'pointer' : '';
    };
    element('chooser').onchange = () =>
      this.#select(/** @type {HTMLSelectElement} */ (element('chooser')).value);
    const keys = this.#keys();
    for (const button of document.querySelectorAll('button')) {
      const key = button.dataset.key;
      if (key) button.onclick = () => keys[key]?.();
    }
    document.onkeydown = (event) => {
      const typing = /** @type {Element} */ (event.target).closest('select, aside');
      const action = keys[event.key];
      if (!action || event.ctrlKey || event.metaKey || (typing && event.key !== 'Escape')) return;
      event.preventDefault();
      action();
    };
  }

  /** @returns {Record<string, () => void>} what keys do; buttons name theirs */
  #keys() {
    const view = this.#view;
    const moving = (/** @type {() => void} */ move) => () => {
      this.#follow(false);
      move();
    };
    return {
      ArrowLeft: moving(() => view.pan(PAN_PX, 0)),
      ArrowRight: moving(() => view.pan(-PAN_PX, 0)),
      ArrowUp: moving(() => view.pan(0, PAN_PX)),
      ArrowDown: moving(() => view.pan(0, -PAN_PX)),
      0: moving(() => view.fit()),
      '+': () => view.zoom(1.4),
      '-': () => view.zoom(1 / 1.4),
      n: () => this.#selectNext(1),
      p: () => this.#selectNext(-1),
      f: () => this.#follow(!this.#following),
      Escape: () => this.#select(undefined),
    };
  }

  #resize() {
    const { clientWidth, clientHeight } = element('stage');
    for (const layer of [canvas('city'), canvas('traffic')]) {
      layer.width = Math.round(clientWidth * devicePixelRatio);
      layer.height = Math.round(clientHeight * devicePixelRatio);
    }
    this.#view.resize(clientWidth, clientHeight);
  }

  #draw() {
    this.#scene = this.#playback.at(performance.now());
    const chosen = this.#scene?.vehicles.find((car) => car.vin === this.#selectedVin);
    if (chosen && this.#following) this.#view.centre(chosen.x, chosen.y);
    if (this.#view.moved) drawCity(context('city'), this.#city, this.#view);
    this.#view.moved = false;
    if (this.#scene) {
      const traffic = context('traffic');
      drawTraffic(traffic, this.#city, this.#view, this.#scene, this.#colours, this.#selectedVin);
    }
    if (chosen) this.#panel.update(chosen);
    requestAnimationFrame(() => this.#draw());
  }
}

/** @param {string} path */
async function read(path) {
  const answer = await fetch(path);
  const body = await answer.json();
  if (!answer.ok && answer.status !== 404) throw new Error(body.hint);
  return answer.ok ? body : undefined;
}

async function start() {
  const paths = [`/api/v1/worlds/${worldId}/map`, '/api/v1/features'];
  const [map, catalogue] = await Promise.all(paths.map(read));
  if (map) new Viewer(map, catalogue);
  else showState('gone');
}

start().catch((error) => notice('The city cannot be shown now', error.message));
