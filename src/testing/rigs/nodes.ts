import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { EMBEDDED, type Engine } from './engines.ts';
import { type FaultyNode, startFaultyNode, type startTestNode, type TestNode } from './node.ts';
import type { NodeProcess } from './process.ts';

/** Nodes that end with the test, and their folders with them. */
export interface Nodes {
  /** A new folder. */
  dir(): string;
  inProcess(...args: Parameters<typeof startTestNode>): Promise<TestNode>;
  /** A node whose store can be made to fail. */
  withFaultyStore(...args: Parameters<typeof startFaultyNode>): Promise<FaultyNode>;
  ownProcess(settings: Record<string, string>): Promise<NodeProcess>;
}

/** To be called once in a test file, or in a block of tests; on the embedded store by default. */
export function useNodes(engine: Pick<Engine, 'start' | 'startProcess'> = EMBEDDED): Nodes {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  return {
    dir() {
      const dir = mkdtempSync(join(tmpdir(), 'twin-nodes-'));
      ends.push(async () => rmSync(dir, { recursive: true, force: true }));
      return dir;
    },
    async inProcess(...args) {
      const node = await engine.start(...args);
      ends.push(() => node.discard());
      return node;
    },
    async withFaultyStore(...args) {
      const node = await startFaultyNode(...args);
      ends.push(() => node.discard());
      return node;
    },
    async ownProcess(settings) {
      const node = await engine.startProcess(settings);
      ends.push(() => node.end('SIGKILL'));
      return node;
    },
  };
}
