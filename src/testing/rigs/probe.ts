import { readFileSync } from 'node:fs';

/** Exports of `assembly/probe.ts`: parts of the kernel that tests call one by one. */
interface ProbeExports {
  memory: WebAssembly.Memory;
  impulse(...values: number[]): number;
  impulseX(): number;
  impulseY(): number;
  restitution(closing: number): number;
  firstBox(...box: number[]): void;
  secondBox(...box: number[]): void;
  boxOverlap(): number;
  commonArea(): number;
  normalX(): number;
  normalY(): number;
  commonX(): number;
  commonY(): number;
  linearForce(
    across: number,
    along: number,
    stiffness: number,
    friction: number,
    opposite: number,
    height: number,
    perWheelbase: number,
    accel: number,
    shift: number,
  ): number;
  saturatingShare(across: number, along: number, stiffness: number): number;
  integrate(slab: number): void;
  move(slab: number): void;
  moveSingly(slab: number): void;
  walkCells(city: number, x: number, y: number, dx: number, dy: number): number;
  walkedCell(place: number): number;
  freeAccel(comfort: number, speed: number, wanted: number): number;
  followAccel(
    slab: number,
    car: number,
    speed: number,
    leadSpeed: number,
    gap: number,
    standstill: number,
  ): number;
}

export function loadProbe(): ProbeExports {
  const file = new URL('../../../build/kernel.probe.wasm', import.meta.url);
  const module = new WebAssembly.Module(new Uint8Array(readFileSync(file)));
  const instance = new WebAssembly.Instance(module, {});
  return instance.exports as unknown as ProbeExports;
}
