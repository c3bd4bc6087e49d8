import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { type FaultyNode, startFaultyNode, startTestNode, type TestNode } from './node.ts';
import { type NodeProcess, startNodeProcess } from './process.ts';

/** Nodes that end with the test, and their folders with them. */
export interface Nodes {
  /** A new folder. */
  dir(): string;
  inProcess(...args: Parameters<typeof startTestNode>): Promise<TestNode>;
  /** A node whose store can be made to fail. */
  withFaultyStore(settings?: Record<string, string>): Promise<FaultyNode>;
  ownProcess(settings: Record<string, string>): Promise<NodeProcess>;
}

/** To be called once in a test file, or in a block of tests; `start` starts its nodes. */
export function useNodes(start = startTestNode): Nodes {
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
      const node = await start(...args);
      ends.push(() => node.discard());
      return node;
    },
    async withFaultyStore(settings) {
      const node = await startFaultyNode(settings);
      ends.push(() => node.discard());
      return node;
    },
    async ownProcess(settings) {
      const node = await startNodeProcess(settings);
      ends.push(() => node.end('SIGKILL'));
      return node;
    },
  };
}
