import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemTime } from '../../src/time.ts';

/** Where Linux mounts control groups. */
const MOUNT = '/sys/fs/cgroup';

/** A control group whose processes share a limit of memory. */
export interface MemoryGroup {
  /** A process that writes its id into it joins. */
  groupFile: string;
  /** Once no process is in it any more. */
  remove(): void;
}

/**
 * A group of its own below that of this process, so that other limits hold on. Throws where the
 * machine does not allow that.
 * @param own what `/proc/self/cgroup` says
 */
export function limitMemory(
  limitMib: number,
  own = readFileSync('/proc/self/cgroup', 'utf8'),
  mount = MOUNT,
): MemoryGroup {
  const { parent, limitName } = placeOf(own, mount);
  const folder = join(parent, `driving-twin-attack-${process.pid}-${Math.round(systemTime.now())}`);
  mkdirSync(folder);
  const remove = () => rmdirSync(folder);
  try {
    writeFileSync(join(folder, limitName), String(limitMib * 1024 * 1024));
  } catch (error) {
    remove();
    throw error;
  }
  return { groupFile: join(folder, 'cgroup.procs'), remove };
}

/** See cgroups(7): a line of version 1 names its controllers, that of version 2 none. */
export function placeOf(own: string, mount: string): { parent: string; limitName: string } {
  const pathIn = (pattern: RegExp) => pattern.exec(own)?.[1];
  const first = pathIn(/^\d+:(?:[^:\n]*,)?memory(?:,[^:\n]*)?:(.*)$/m);
  if (first !== undefined) {
    return { parent: join(mount, 'memory', first), limitName: 'memory.limit_in_bytes' };
  }
  const second = pathIn(/^0::(.*)$/m);
  if (second === undefined) throw new Error('this machine has no control groups');
  return { parent: join(mount, second), limitName: 'memory.max' };
}
