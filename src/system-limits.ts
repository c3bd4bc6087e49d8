import { readFileSync } from 'node:fs';

/** Descriptors that a node needs besides those of connections. */
const OTHER_DESCRIPTORS = 256;
/** What a node is built to carry. */
const CONNECTIONS_WANTED = 20_000;
/** The library reads on from one connection, before anything else, as long as a read brings this. */
const READ_BYTES = 512 * 1024;

/** What the system lets a process have. Undefined: it does not say. */
export interface SystemLimits {
  descriptorsMax: number | undefined;
  receiveBufferBytesMax: number | undefined;
}

export function readSystemLimits(read = readText): SystemLimits {
  const [, soft] = /^Max open files\s+(\w+)/m.exec(read('/proc/self/limits')) ?? [];
  const [, , largest] = read('/proc/sys/net/ipv4/tcp_rmem').split(/\s+/);
  return {
    descriptorsMax: soft === 'unlimited' ? Number.POSITIVE_INFINITY : wholeOf(soft),
    receiveBufferBytesMax: wholeOf(largest),
  };
}

/** How many connections the system allows. */
export function connectionsAllowed({ descriptorsMax }: SystemLimits): number {
  if (descriptorsMax === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(OTHER_DESCRIPTORS, descriptorsMax - OTHER_DESCRIPTORS);
}

/** What an operator should change. */
export function systemWarnings(limits: SystemLimits, connectionsMax: number): string[] {
  const warnings: string[] = [];
  const { descriptorsMax, receiveBufferBytesMax: bytes } = limits;
  if (connectionsMax > connectionsAllowed(limits)) {
    warnings.push(`MAX_CONNECTIONS is ${connectionsMax}, but ulimit -n is only ${descriptorsMax}`);
  } else if (connectionsMax < CONNECTIONS_WANTED) {
    warnings.push(
      `at most ${connectionsMax} connections: a node is built for ${CONNECTIONS_WANTED}; raise ulimit -n`,
    );
  }
  if (bytes !== undefined && bytes >= READ_BYTES) {
    warnings.push(
      `net.ipv4.tcp_rmem allows ${bytes} bytes: a client that sends as fast as this node reads stops ` +
        `all others; keep its last number below ${READ_BYTES}, or put a proxy in front`,
    );
  }
  return warnings;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function wholeOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}
