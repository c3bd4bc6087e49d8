import { F_ALL } from '../../assembly/layout.ts';
import { driveLong, type LongRun } from '../../src/testing/rigs/long-run.ts';
import { accountOf, ground, inWorld } from './ground.ts';

const ACCOUNTS_MAX = 3;

export interface LongDriveJob {
  cityIndex: number;
  seed: number;
  ticks: number;
}

export interface LongDriveWorld extends LongRun {
  job: LongDriveJob;
  /** Text on the first contacts. */
  accounts: string[];
}

/** Drives one world with everything on from its first tick. */
export function driveLongWorld(job: LongDriveJob): LongDriveWorld {
  const run = inWorld({ ...job, mask: F_ALL }, (slab) =>
    driveLong(ground().kernel, slab, job.ticks),
  );
  const accounts = run.contacts.slice(0, ACCOUNTS_MAX).map((contact) => accountOf(job, contact));
  return { job, ...run, accounts };
}
